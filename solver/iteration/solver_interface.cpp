#include "solver/iteration/solver_interface.hpp"

#include <algorithm>

namespace isotherm {

void keep_decisions(MethodSettings& method, SolverState const& state) {
  HierarchyKind& hierarchy = method.multigrid.hierarchy;
  if (hierarchy == HierarchyKind::automatic) hierarchy = state.hierarchy;
}

double allowed_residual(MethodSettings const& method, SolverState const& state) {
  // Relative to the field, the tolerance bounds the error; only the absolute tolerance bounds
  // residuals.
  bool const by_residual = method.relative_to != RelativeTo::field;
  double const reference = state.reference.value_or(0.0);
  return std::max(by_residual ? method.tolerance * reference : 0.0, method.absolute_tolerance);
}

bool claims_convergence(MethodSettings const& method, SolverState const& state) {
  if (!state.last_residual) return false;
  Residual const& last = *state.last_residual;
  bool const bounds_error = method.relative_to == RelativeTo::field && method.tolerance > 0.0;
  // An error that was found in another way counts more than the estimate.
  auto const error = state.found_error ? state.found_error : last.error;
  if (bounds_error && error && *error <= method.tolerance) return true;
  // A residual of 0 is within any tolerance, even if the residuals that it is relative to are 0.
  bool const bounds_residual =
      method.absolute_tolerance > 0.0 || (method.tolerance > 0.0 && !bounds_error);
  return bounds_residual && last.value <= allowed_residual(method, state);
}

}  // namespace isotherm
