#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "solver/iteration/solver_interface.hpp"
#include "solver/iteration/solver_plan.hpp"
#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"
#include "solver/problem/values.hpp"

namespace isotherm {

/// Finds the error of a field that claims to be steady, by multigrid cycles of the steady equation
/// on a copy of it.
///
/// Sweeps and time steps estimate their error from successive changes. One part of the domain may
/// settle far more slowly than another, because it conducts badly or lies behind a stiff Robin
/// face. Its changes are then too small for the estimate. The correction e of −∇·κ∇(u + e) = f is
/// as large as the error, whatever the conductivities are.
///
/// The cycles run in float64 on the CPU, with the decomposition of the solver. All members are
/// collective.
///
///     SteadyError steady(ranks, problem, method, parts);
///     auto const error = steady.norm_of_error(*solver, 1e-6 * range);
class SteadyError {
 public:
  /// Returns true if a claim of the method about the problem should be checked: the tolerance
  /// bounds the error, the error is estimated from changes of sweeps or time steps, and nothing
  /// varies in time.
  static bool applies(Problem const& problem, MethodSettings const& method);

  /// Plans the cycles and allocates nothing. @param parts  the decomposition of the solver
  /// @throws InputError  on every rank, if multigrid does not solve the steady problem
  SteadyError(mpi::Communicator const& ranks, Problem const& problem, MethodSettings const& method,
              Extent3 const& parts);

  /// Returns an upper bound on the host memory that norm_of_error() allocates on this rank.
  [[nodiscard]] std::size_t bytes() const;

  /// Returns the norm of the error of the solver's field over the unknowns. The error of a floating
  /// component has mean zero, weighted by heat capacity: its constant is not part of the error.
  ///
  /// Cycles run until the error of the correction is at most a tenth of the larger of the
  /// correction and `enough`.
  /// @returns  none if the cycles do not reach that accuracy
  std::optional<double> norm_of_error(Solver& solver, double enough) const;

 private:
  /// Returns the values of floating conductors in a field. Collective.
  [[nodiscard]] std::vector<double> floating_values_of(ConstValues const& field) const;
  /// Returns the norm of a change of the field. @param unknowns  of the whole grid
  [[nodiscard]] double norm(std::span<double const> change, std::int64_t unknowns) const;

  mpi::Communicator const& ranks_;
  Problem problem_;  ///< the steady one
  MethodSettings method_;
  SolverPlan plan_;
};

/// Returns the check of claims that make_solver() sets: SteadyError without a check of the memory.
/// It finds no error (none) if multigrid refuses the problem.
ErrorCheck check_by_multigrid(Problem const& problem, MethodSettings const& method,
                              Extent3 const& parts);

/// Returns this rank's part of a solver's field, converted to float64.
HostValues values_in_float64(Solver& solver);

}  // namespace isotherm
