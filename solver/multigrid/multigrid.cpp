#include "solver/multigrid/multigrid.hpp"

#include "kernels/core/error.hpp"
#include "solver/multigrid/coarsening.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

void check(Problem const& problem) {
  if (problem.equation == Equation::diffusion) {
    throw InputError("the method multigrid does not solve the diffusion equation (use ftcs)");
  }
  constexpr std::int64_t most_points = std::int64_t{1} << 31;
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    if (problem.grid.points[axis] > most_points) {
      throw InputError("the method multigrid takes at most 2^31 points on an axis");
    }
  }
}

}  // namespace

Scheme multigrid_scheme(Problem const& problem, MethodSettings const& /*method*/) {
  check(problem);
  Scheme scheme;
  scheme.weight = relaxation_weights(problem.grid);
  scheme.residual_factor = 2.0 * inverse_spacings_squared(problem.grid);
  scheme.source_factor = 1.0 / scheme.residual_factor;
  return scheme;
}

}  // namespace isotherm
