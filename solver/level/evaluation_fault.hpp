#pragma once

#include <limits>
#include <string>

#include "decomposition/field/value_refusal.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// The first value of a rank's faces or source that was not finite when it was evaluated anew, at a
/// later time. It is kept until all ranks come to a place where they can end the run together.
class EvaluationFault {
 public:
  /// @param what  was evaluated at `time_s`, and where
  void note(std::string what, double time_s);
  void forget() { *this = {}; }
  /// Collective. @throws Error  on every rank, where there is a fault on any: the earliest one,
  ///                            which is then forgotten
  void check(mpi::Communicator const& ranks);

 private:
  double time_s_ = std::numeric_limits<double>::infinity();
  std::string what_{};
};

/// "the initial value is not a finite number in float64 at x = 0, y = 0.5"
/// @param point  a point of the rank's
ValueFault faulty_initial_value(Problem const& problem, Subdomain const& subdomain, Index3 point);

/// "the value of the face x_lower is not a finite number in float64 at x = 0, y = 0.5"
/// @param point  a point of the rank's, at a Dirichlet face that is evaluated
ValueFault faulty_boundary(Problem const& problem, Subdomain const& subdomain, Index3 point);

/// The same of a point at which the source or a Neumann value is not finite at time `time_s`.
ValueFault faulty_source(Problem const& problem, Subdomain const& subdomain, Index3 point,
                         double time_s);

}  // namespace isotherm
