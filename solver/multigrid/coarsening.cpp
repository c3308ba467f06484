#include "solver/multigrid/coarsening.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "kernels/conduction/coarsening.hpp"
#include "kernels/core/error.hpp"
#include "kernels/multigrid/modes.hpp"
#include "kernels/multigrid/transfer.hpp"
#include "solver/discretise/body_units.hpp"
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
/// The same where gaps differ. With less more grids are needed, with more more steps: of 100 : 1
/// with a ball of 100 : 1 in 33³ points 1.8 takes 5 steps on 3.1 times the field's points, 3 takes
/// 7 on 2.6, 6 takes 10 on 2.1 times.
constexpr double much_wider_of_graded = 3.0;

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

/// Of a graded axis, which is none where a single point is left. Unlike with_coordinates(), which
/// is for what users ask for, whatever the gaps are.
void place_points(Grid& grid, int axis, std::vector<double> coordinates) {
  grid.points[axis] = static_cast<std::int64_t>(coordinates.size());
  grid.lower[axis] = coordinates.front();
  grid.graded[axis] = {};
  if (coordinates.size() == 1) return;
  grid.spacing[axis] =
      (coordinates.back() - coordinates.front()) / static_cast<double>(coordinates.size() - 1);
  grid.graded[axis] = AxisCoordinates(std::move(coordinates));
}

void halve(Grid& grid, int axis) {
  std::int64_t const ends = grid.periodic[axis] ? 0 : 1;
  std::int64_t const intervals = grid.points[axis] - ends;
  std::int64_t const fewer = (intervals + 1) / 2;
  grid.spacing[axis] *= static_cast<double>(intervals) / static_cast<double>(fewer);
  grid.points[axis] = fewer + ends;
}

/// The narrower gap beside a graded axis' inner point; of two points the only one. Not the mean:
/// two points close together count as one to all others, so one of them has to go soon, however far
/// away the others are.
double narrower_gap(Grid const& grid, int axis, std::int64_t point) {
  if (grid.points[axis] == 2) return grid.gap(axis, 0);
  return std::min(grid.gap(axis, point - 1), grid.gap(axis, point));
}

/// Calls visit(point) for those of a graded axis that may be omitted: the ends stay, of two points
/// the first.
template <class Visit>
void for_each_inner(Grid const& grid, int axis, Visit const& visit) {
  if (grid.points[axis] == 2) visit(std::int64_t{1});
  for (std::int64_t point = 1; point + 1 < grid.points[axis]; ++point) visit(point);
}

/// Every second point is left out (kernels/conduction/coarsening.hpp).
void omit_every_second(Grid& grid, int axis) {
  grid.points[axis] = remaining_points(grid.points[axis], grid.periodic[axis]);
  grid.spacing[axis] *= 2.0;
  if (grid.points[axis] == 1) grid.periodic[axis] = false;
}

/// Leaves out inner points of a graded axis with a gap no wider than that, from the lower end
/// on, but for those next to one that is left out.
void omit_where_narrow(Grid& grid, int axis, double widest) {
  std::vector<double> coordinates{grid.coordinate(axis, 0)};
  std::int64_t last = 0;  // that remains
  for_each_inner(grid, axis, [&](std::int64_t point) {
    bool const omitted = last == point - 1 && narrower_gap(grid, axis, point) <= widest;
    if (omitted) return;
    last = point;
    coordinates.push_back(grid.coordinate(axis, point));
  });
  if (grid.points[axis] > 2) coordinates.push_back(grid.coordinate(axis, grid.points[axis] - 1));
  place_points(grid, axis, std::move(coordinates));
}

void coarsen(Problem& problem, int axis) {
  bool const few = problem.grid.points[axis] <= most_collapsed;
  few && !has_dirichlet_end(problem, axis) ? collapse(problem.grid, axis)
                                           : halve(problem.grid, axis);
}

void widen(Grid& grid, int axis, double factor) {
  if (!grid.is_graded(axis)) {
    grid.spacing[axis] *= factor;
    return;
  }
  std::vector<double> coordinates = coordinates_of(grid, axis);
  double const first = coordinates.front();
  for (double& coordinate : coordinates) coordinate = (coordinate - first) * factor;
  place_points(grid, axis, std::move(coordinates));
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
  Extent3 const n = problem.grid.points;
  Index3 const middle{n.x / 2, n.y / 2, n.z / 2};
  double const along_x = conductivity_at(problem, 0, middle);
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    bool const closes = problem.grid.periodic[axis];
    for (bool const upper : {false, true}) {
      correction.boundary[{axis, upper}].kind =
          closes ? BoundaryKind::periodic : BoundaryKind::neumann;
    }
    widen(correction.grid, axis, weaker_by(conductivity_at(problem, axis, middle), along_x));
    if (problem.grid.points[axis] == 1) collapse(correction.grid, axis);
  }
  return correction;
}

/// Without the points that are omitted where gaps are narrow, if that is so anywhere.
std::optional<Problem> coarser_body(Problem const& correction, int coarsest) {
  Grid const& grid = correction.grid;
  PerAxis<double> narrowest{};
  double smallest = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (!can_be_coarsened(correction, axis, coarsest)) continue;
    narrowest[axis] = narrowest_gap(grid, axis);
    smallest = std::min(smallest, narrowest[axis]);
  }
  double const widest = smallest * (grid.is_graded() ? much_wider_of_graded : much_wider);
  std::optional<Problem> coarser;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (!can_be_coarsened(correction, axis, coarsest) || narrowest[axis] >= widest) continue;
    if (!coarser) coarser = correction;
    if (grid.is_graded(axis)) {
      omit_where_narrow(coarser->grid, axis, widest);
    } else {
      omit_every_second(coarser->grid, axis);
    }
  }
  return coarser;
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
  bool const body = has_body(correction);
  int const wanted = asked.value_or(usual_coarsest(grid.dimension));
  int const coarsest = body ? std::min(wanted, most_coarsest_of_body(grid.dimension)) : wanted;
  if (std::max({grid.points.x, grid.points.y, grid.points.z}) <= coarsest) return std::nullopt;
  if (body) return coarser_body(correction, coarsest);
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

std::vector<std::int64_t> remaining_points(Grid const& fine, Grid const& coarse, int axis) {
  std::vector<std::int64_t> remaining;
  for (std::int64_t point = 0; point < fine.points[axis]; ++point) {
    auto const next = static_cast<std::int64_t>(remaining.size());
    bool const is_there =
        next < coarse.points[axis] && fine.coordinate(axis, point) == coarse.coordinate(axis, next);
    if (is_there) remaining.push_back(point);
  }
  require(static_cast<std::int64_t>(remaining.size()) == coarse.points[axis],
          "a coarse grid has points that the finer one does not have");
  return remaining;
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
