#include "solver/multigrid/coarsening.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "kernels/conduction/coarsening.hpp"
#include "kernels/multigrid/modes.hpp"
#include "kernels/multigrid/transfer.hpp"
#include "solver/discretise/finite_volumes.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Points of an axis that a single one can gather from (RestrictionStencil).
constexpr std::int64_t most_collapsed = RestrictionStencil<double>::most;
/// An axis of three points has one between two Dirichlet faces.
constexpr int least_coarsest = 3;
/// Points at which waves along an axis are short enough to be smoothed, where other axes have to be
/// coarsened further.
constexpr int few_to_smooth = 4;
/// Half as many would be fewer than transfers reach for.
constexpr int few_round_an_axis = 7;
/// Spacings that are larger by this factor make neighbours count for a third of the others'.
constexpr double much_wider = 1.8;

bool can_be_coarsened(Problem const& problem, int axis, int coarsest) {
  if (has_body(problem)) {
    // Of few points round an axis a halo of the usual depth could not be made.
    std::int64_t const least = problem.grid.periodic[axis] ? few_round_an_axis : 1;
    return problem.grid.points[axis] > least;
  }
  int const least = has_dirichlet_end(problem, axis) ? std::min(few_to_smooth, coarsest) : 1;
  return problem.grid.points[axis] > least;
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

/// Every second point is left out (kernels/conduction/coarsening.hpp).
void omit_points(Grid& grid, int axis) {
  grid.points[axis] = kept_points(grid.points[axis], grid.periodic[axis]);
  grid.spacing[axis] *= 2.0;
  if (grid.points[axis] == 1) grid.periodic[axis] = false;
}

void coarsen(Problem& problem, int axis) {
  if (has_body(problem)) return omit_points(problem.grid, axis);
  bool const few = problem.grid.points[axis] <= most_collapsed;
  few && !has_dirichlet_end(problem, axis) ? collapse(problem.grid, axis)
                                           : halve(problem.grid, axis);
}

/// As many gaps of an axis are wider as are narrower.
double usual_gap(Grid const& grid, int axis) {
  if (!grid.is_graded(axis)) return grid.spacing[axis];
  std::vector<double> gaps;
  for (std::int64_t i = 0; i + 1 < grid.points[axis]; ++i) gaps.push_back(grid.gap(axis, i));
  auto const middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::ranges::nth_element(gaps, middle);
  return *middle;
}

/// As if neighbours were further away, where the conductivity to them is less; of numbers that are
/// no conductivities, as at a point that takes no part, 1.
double weaker_by(double conductivity, double other) {
  double const factor = std::sqrt(other / conductivity);
  return std::isnormal(factor) ? factor : 1.0;
}

/// Of a body's correction: nothing is known of its faces but which axes are periodic, as its
/// operator marks the points that stay zero. Spacings are such as if it conducted alike along all
/// axes.
Problem body_correction(Problem const& problem) {
  Problem correction;
  correction.grid = problem.grid;
  correction.precision = problem.precision;
  correction.equation = Equation::poisson;
  correction.body.is_correction = true;
  correction.grid.graded = {};
  Extent3 const n = problem.grid.points;
  Index3 const middle{n.x / 2, n.y / 2, n.z / 2};
  double const along_x = conductivity_at(problem, 0, middle);
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    bool const closes = problem.grid.periodic[axis];
    for (bool const upper : {false, true}) {
      correction.boundary[{axis, upper}].kind =
          closes ? BoundaryKind::periodic : BoundaryKind::neumann;
    }
    correction.grid.spacing[axis] =
        usual_gap(problem.grid, axis) * weaker_by(conductivity_at(problem, axis, middle), along_x);
    if (problem.grid.points[axis] == 1) collapse(correction.grid, axis);
  }
  return correction;
}

}  // namespace

Problem correction_problem(Problem const& problem) {
  if (has_body(problem)) return body_correction(problem);
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

std::optional<Problem> coarser_problem(Problem const& correction, std::optional<int> asked) {
  Grid const& grid = correction.grid;
  int const usual = usual_coarsest(grid.dimension);
  int const coarsest = has_body(correction)
                           ? std::min(asked.value_or(usual), most_coarsest_of_body(grid.dimension))
                           : asked.value_or(usual);
  if (std::max({grid.points.x, grid.points.y, grid.points.z}) <= coarsest) return std::nullopt;
  double smallest = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (!can_be_coarsened(correction, axis, coarsest)) continue;
    smallest = std::min(smallest, grid.spacing[axis]);
  }
  std::optional<Problem> coarser;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (!can_be_coarsened(correction, axis, coarsest)) continue;
    if (grid.spacing[axis] >= much_wider * smallest) continue;
    if (!coarser) coarser = correction;
    coarsen(*coarser, axis);
  }
  return coarser;
}

std::vector<Problem> correction_problems(Problem const& problem, std::optional<int> coarsest) {
  std::vector<Problem> all{correction_problem(problem)};
  while (auto coarser = coarser_problem(all.back(), coarsest)) {
    all.push_back(*std::move(coarser));
  }
  return all;
}

int usual_coarsest(int dimension) { return dimension == 2 ? 33 : 17; }

int most_coarsest_of_body(int dimension) { return dimension == 2 ? 32 : 10; }

int most_coarsest(int dimension) {
  auto const points = static_cast<double>(most_mode_points);
  return static_cast<int>(dimension == 2 ? std::sqrt(points) : std::cbrt(points));
}

void check_coarsest(Grid const& grid, std::int64_t coarsest) {
  int const most = most_coarsest(grid.dimension);
  if (coarsest >= least_coarsest && coarsest <= most) return;
  throw SettingError("coarsest", "is " + std::to_string(coarsest) + " (needs " +
                                     std::to_string(least_coarsest) + " to " +
                                     std::to_string(most) + " points on an axis in " +
                                     std::to_string(grid.dimension) + "D)");
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
