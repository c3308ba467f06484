#include "solver/relaxation/jacobi.hpp"

#include "kernels/core/error.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Refuses the problems that the method cannot solve.
void check(Problem const& problem) {
  if (problem.equation == Equation::diffusion) {
    throw InputError("the method jacobi does not solve the diffusion equation (use ftcs)");
  }
  if (!has_given_values(problem)) {
    throw InputError(
        "the solution is unique only up to a constant (give a face or a fixed region a value, or "
        "use the diffusion equation)");
  }
}

/// Returns the scheme of a heterogeneous medium, whose residuals are in units of flows.
Scheme medium_scheme(Problem const& problem) {
  Scheme scheme;
  scheme.residual_factor = medium_units(problem).rate();
  return scheme;
}

}  // namespace

Scheme jacobi_scheme(Problem const& problem, MethodSettings const& /*method*/) {
  check(problem);
  if (is_heterogeneous(problem)) return medium_scheme(problem);
  Grid const& grid = problem.grid;
  PerAxis<double> ratio{};
  double sum = 0.0;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    // If the spacings are equal, their ratios are exactly 1; reciprocal squares would be rounded.
    double const relative = grid.spacing[0] / grid.spacing[axis];
    ratio[axis] = relative * relative;
    sum += ratio[axis];
  }
  Scheme scheme;
  for (int axis = 0; axis < 3; ++axis) scheme.weight[axis] = ratio[axis] / (2.0 * sum);
  scheme.residual_factor = 2.0 * inverse_spacing_sum(grid);
  scheme.source_factor = 1.0 / scheme.residual_factor;
  return scheme;
}

}  // namespace isotherm
