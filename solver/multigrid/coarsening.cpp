#include "solver/multigrid/coarsening.hpp"

#include <limits>

#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Points of an axis that are few enough.
constexpr std::int64_t few_points = 4;
/// Spacings that are larger by this factor make neighbours count for a third of the others'.
constexpr double much_wider = 1.8;

bool has_dirichlet_end(Problem const& problem, int axis) {
  return is(problem, {axis, false}, BoundaryKind::dirichlet) ||
         is(problem, {axis, true}, BoundaryKind::dirichlet);
}

bool can_be_coarsened(Problem const& problem, int axis) {
  std::int64_t const points = problem.grid.points[axis];
  return points > few_points || (points > 1 && !has_dirichlet_end(problem, axis));
}

/// To one point, along which nothing varies.
void collapse(Grid& grid, int axis) {
  grid.points[axis] = 1;
  grid.periodic[axis] = false;
}

void halve(Grid& grid, int axis) {
  std::int64_t const ends = grid.periodic[axis] ? 0 : 1;
  std::int64_t const intervals = grid.points[axis] - ends;
  std::int64_t const fewer = (intervals + 1) / 2;
  grid.spacing[axis] *= static_cast<double>(intervals) / static_cast<double>(fewer);
  grid.points[axis] = fewer + ends;
}

}  // namespace

Problem correction_problem(Problem const& problem) {
  Problem correction;
  correction.grid = problem.grid;
  correction.precision = problem.precision;
  correction.equation = Equation::poisson;
  correction.sigma = problem.sigma;
  for (Face const face : faces(problem.grid)) {
    correction.boundary[face].kind = condition(problem, face).kind;
  }
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    if (problem.grid.points[axis] == 1) collapse(correction.grid, axis);
  }
  return correction;
}

std::optional<Problem> coarser_problem(Problem const& correction) {
  Grid const& grid = correction.grid;
  double smallest = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (can_be_coarsened(correction, axis)) smallest = std::min(smallest, grid.spacing[axis]);
  }
  std::optional<Problem> coarser;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (!can_be_coarsened(correction, axis) || grid.spacing[axis] >= much_wider * smallest)
      continue;
    if (!coarser) coarser = correction;
    grid.points[axis] > few_points ? halve(coarser->grid, axis) : collapse(coarser->grid, axis);
  }
  return coarser;
}

std::vector<Problem> correction_problems(Problem const& problem) {
  std::vector<Problem> all{correction_problem(problem)};
  while (auto coarser = coarser_problem(all.back())) all.push_back(*std::move(coarser));
  return all;
}

double inverse_spacings_squared(Grid const& grid) {
  double sum = 0.0;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (grid.points[axis] > 1) sum += 1.0 / (grid.spacing[axis] * grid.spacing[axis]);
  }
  return sum > 0.0 ? sum : 1.0;
}

double diagonal(Grid const& grid, double sigma) {
  return 2.0 * inverse_spacings_squared(grid) + sigma;
}

PerAxis<double> relaxation_weights(Grid const& grid, double sigma) {
  PerAxis<double> weights{};
  double const all = diagonal(grid, sigma);
  for (int axis = 0; axis < grid.dimension; ++axis) {
    double const spacing = grid.spacing[axis];
    if (grid.points[axis] > 1) weights[axis] = 1.0 / (spacing * spacing) / all;
  }
  return weights;
}

double relaxation_shift(Grid const& grid, double sigma) { return sigma / diagonal(grid, sigma); }

}  // namespace isotherm
