#pragma once

#include <optional>

#include "app/run/prepare/prepared_run.hpp"
#include "solver/solver.hpp"

// Confirmation of convergence. A solver claims convergence from residuals that it measured on its
// way. Sweeps and time steps then find the error of the stored field by multigrid (SteadyError),
// and continue if it is too large. At the end of the run, this check evaluates the residual r = f +
// ∇·(k∇u) of the stored field in float64. Convergence is reported only if the tolerance holds for
// that residual, too.

namespace isotherm::app {

/// The result of checking a field that claims to have converged.
///
/// Multigrid and implicit steps in float64 evaluate the residual of the stored field themselves. In
/// two cases it is evaluated again, and the estimated error is scaled with it:
/// - sweeps measure residuals as rounded changes of the field, one check before the stored field;
/// - float32 runs have a rounded source and rounded boundary values.
struct ConvergenceCheck {
  bool converged = true;  ///< the tolerance holds for the stored field
  /// Norm of its residual in float64, if this check evaluated it.
  std::optional<double> residual{};
  /// Its error relative to the range of values, scaled with that residual.
  std::optional<double> error{};
};

/// Returns the check of claims of a run: SteadyError, if its memory is free on all ranks. Empty if
/// the method needs none. The check finds nothing if the memory does not suffice, or if multigrid
/// does not solve the problem. It owns copies of its arguments; calling it is collective.
ErrorCheck check_within_memory(Case const& chosen, RunPlan const& plan);
/// Returns true if a claim of the method should have been checked by multigrid, but was not: the
/// memory did not suffice, or the cycles did not converge.
bool lacks_check(Case const& chosen, SolverState const& state);

/// Returns true if the solver has evaluated the residual of the stored field itself, in float64 and
/// with the numbers of the case.
bool has_been_evaluated(Case const& chosen);

/// Checks a field that the solver calls converged. Collective.
///
/// A second solver in float64 on the CPU evaluates the residual. If it does not fit into the
/// memory, float64 runs remain converged and float32 runs do not. The cost is that of building the
/// second solver and of one sweep, or of one evaluation of the residual by multigrid.
/// @pre solver.converged()
ConvergenceCheck check_convergence(mpi::Communicator const& ranks, PreparedRun const& run,
                                   Solver& solver);

}  // namespace isotherm::app
