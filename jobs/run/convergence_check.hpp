#pragma once

#include <optional>

#include "jobs/run/field_statistics.hpp"
#include "jobs/run/prepared_run.hpp"
#include "solver/solver.hpp"

namespace isotherm {

/// What stands behind the claim that a field has converged.
///
/// A run measures residuals as rounded changes of its field, one check before the field that it
/// keeps. Where rounding is small beside what the tolerance allows, and nothing varies in time, the
/// claim is certain, as it is where the method evaluates its residuals. Else the residual of the
/// kept field is evaluated anew, in float64.
struct ConvergenceCheck {
  bool converged = true;
  std::optional<double> residual{};  ///< of the kept field, where it was evaluated in float64
};

/// Checks a field of which the solver says that it has converged. Collective.
/// @param field  its statistics
ConvergenceCheck check_convergence(mpi::Communicator const& ranks, PreparedRun const& run,
                                   Solver& solver, FieldStatistics const& field);

}  // namespace isotherm
