#include "solver/iteration/solver_interface.hpp"

#include <algorithm>

namespace isotherm {

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
  bool const by_error = method.relative_to == RelativeTo::field && method.tolerance > 0.0 &&
                        last.error && *last.error <= method.tolerance;
  double const allowed = allowed_residual(method, state);
  return by_error || (allowed > 0.0 && last.value <= allowed);
}

}  // namespace isotherm
