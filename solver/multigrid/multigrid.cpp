#include "solver/multigrid/multigrid.hpp"

#include "kernels/core/error.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/multigrid/levels/coarsening.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Refuses the problems that the method does not solve.
void check(Problem const& problem) {
  if (problem.equation == Equation::diffusion) {
    throw InputError(
        "the method multigrid does not solve the diffusion equation (use ftcs, backward_euler or "
        "crank_nicolson)");
  }
  check_extents_of_cycles(problem.grid, "multigrid");
}

}  // namespace

void check_extents_of_cycles(Grid const& grid, std::string const& method) {
  constexpr std::int64_t max_points = std::int64_t{1} << 31;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (grid.points[axis] > max_points) {
      throw InputError("the method " + method + " takes at most 2^31 points on an axis");
    }
  }
}

Scheme multigrid_scheme(Problem const& problem, MethodSettings const& method) {
  check(problem);
  if (auto const points = method.multigrid.coarsest) check_coarsest(problem.grid, *points);
  Scheme scheme;
  if (is_heterogeneous(problem)) {
    MediumUnits const units = medium_units(problem);
    scheme.residual_factor = units.rate();
    scheme.shift = problem.sigma * units.time();
    return scheme;
  }
  scheme.weight = relaxation_weights(problem.grid, problem.sigma);
  scheme.shift = relaxation_shift(problem.grid, problem.sigma);
  scheme.residual_factor = diagonal(problem.grid, problem.sigma);
  scheme.source_factor = 1.0 / scheme.residual_factor;
  return scheme;
}

}  // namespace isotherm
