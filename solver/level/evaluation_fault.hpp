#pragma once

#include <limits>
#include <string>

#include "decomposition/field/value_refusal.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// The first value of this rank's faces or source that was not finite when it was evaluated at a
/// later time. The rank keeps it until the next collective check, which ends the run on all ranks.
///
///     fault.note("the source is not a finite number at x = 0.5", time_s);   // on any rank
///     fault.check(ranks);                                                   // throws on all ranks
class EvaluationFault {
 public:
  /// Notes a fault; only the first one is kept.
  /// @param what  a sentence about the value and its point
  /// @param time_s  the time of the evaluation
  void note(std::string what, double time_s);
  /// Forgets the fault.
  void forget() { *this = {}; }
  /// Reports a fault that any rank has noted. Collective.
  /// @throws Error  on every rank, about the earliest fault, which is then forgotten
  void check(mpi::Communicator const& ranks);

 private:
  double time_s_ = std::numeric_limits<double>::infinity();  ///< of the first fault; infinity: none
  std::string what_{};                                       ///< sentence about it
};

/// Returns the fault of an initial value: "the initial value is not a finite number in float64 at x
/// = 0, y = 0.5".
/// @param point  one of the rank's points, local indices
ValueFault faulty_initial_value(Problem const& problem, Subdomain const& subdomain, Index3 point);

/// Returns the fault of a boundary value: "the value of the face x_lower is not a finite number in
/// float64 at x = 0, y = 0.5".
/// @param point  one of the rank's points, on a Dirichlet face or fixed
ValueFault faulty_boundary(Problem const& problem, Subdomain const& subdomain, Index3 point);

/// Returns the fault of a point whose source term is not finite at time `time_s`. The message names
/// the source, a face, or the product that overflows.
/// @param point  one of the rank's points, local indices
ValueFault faulty_source(Problem const& problem, Subdomain const& subdomain, Index3 point,
                         double time_s);

}  // namespace isotherm
