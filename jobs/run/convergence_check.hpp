#pragma once

#include <optional>

#include "jobs/run/prepared_run.hpp"
#include "solver/solver.hpp"

namespace isotherm {

/// What stands behind the claim that a field has converged: the residual of the field that is kept,
/// in float64 and of the case's own numbers. A float64 run of multigrid or of implicit steps has
/// evaluated it itself. Sweeps measure residuals as rounded changes of the field one check before
/// the kept one, and a float32 run has a rounded source and rounded boundary values: there it is
/// evaluated anew, and the estimated error is scaled with it.
struct ConvergenceCheck {
  bool converged = true;
  std::optional<double> residual{};  ///< of the kept field, where it was evaluated in float64
};

/// True if the solver has evaluated the residual of the stored field itself, in float64 and with
/// the numbers of the case.
bool has_been_evaluated(Case const& chosen);

/// Checks a field of which the solver says that it has converged. Collective.
ConvergenceCheck check_convergence(mpi::Communicator const& ranks, PreparedRun const& run,
                                   Solver& solver);

}  // namespace isotherm
