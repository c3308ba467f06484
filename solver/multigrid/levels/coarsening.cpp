#include "solver/multigrid/levels/coarsening.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "kernels/conduction/coarsening.hpp"
#include "kernels/core/error.hpp"
#include "kernels/multigrid/coarsest/modes.hpp"
#include "kernels/multigrid/transfer.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Maximum number of fine points on an axis that collapses to one point (RestrictionStencil).
constexpr std::int64_t max_collapsed = RestrictionStencil<double>::maximum;
/// An axis of three points has a single unknown between two Dirichlet faces.
constexpr int min_coarsest = 3;
/// On an axis of this many points the smoother alone damps all waves along it, while other axes are
/// still coarsened.
constexpr int few_to_smooth = 4;
/// A periodic axis of at most this many points is not coarsened, because half of them would be
/// fewer than the reach of transfers.
constexpr int few_round_an_axis = 7;
/// Ratio of spacings above which an axis is weakly coupled: its neighbours have at most a third of
/// the weight, 1 / 1.8² = 0.31.
constexpr double much_wider = 1.8;
/// The same for graded axes. A smaller factor needs more grids, a larger one more steps. Measured
/// for gaps of 100 : 1 with a ball of conductivity 100 : 1 in 33³ points: 1.8 needs 5 steps with
/// 3.1 times the field's points on all levels together. 3.0 needs 7 steps with 2.6 times the
/// points, 6.0 needs 10 with 2.1 times.
constexpr double much_wider_of_graded = 3.0;

/// Returns true if the axis has enough points to be coarsened.
bool can_be_coarsened(Problem const& problem, int axis, int coarsest) {
  if (is_heterogeneous(problem)) {
    // A periodic axis of few points cannot have a halo of the usual depth.
    std::int64_t const minimum = problem.grid.periodic[axis] ? few_round_an_axis : 1;
    return problem.grid.points[axis] > minimum;
  }
  // Without a Dirichlet face an axis may shrink to one point.
  int const minimum = has_dirichlet_end(problem, axis) ? std::min(few_to_smooth, coarsest) : 1;
  return problem.grid.points[axis] > minimum;
}

/// Reduces an axis to one point, along which nothing varies.
void collapse(Grid& grid, int axis) {
  grid.points[axis] = 1;
  grid.periodic[axis] = false;
}

/// Gives a graded axis its C points. An axis of a single point is no longer graded. Unlike
/// with_coordinates(), which checks user input, it accepts gaps of any ratio.
void place_points(Grid& grid, int axis, std::vector<double> coordinates) {
  grid.points[axis] = static_cast<std::int64_t>(coordinates.size());
  grid.lower[axis] = coordinates.front();
  grid.graded[axis] = {};
  if (coordinates.size() == 1) return;
  // The mean gap serves as the spacing of the axis.
  grid.spacing[axis] =
      (coordinates.back() - coordinates.front()) / static_cast<double>(coordinates.size() - 1);
  grid.graded[axis] = AxisCoordinates(std::move(coordinates));
}

/// Halves the number of intervals, rounded up, and keeps the length of the axis.
void halve(Grid& grid, int axis) {
  std::int64_t const ends = grid.periodic[axis] ? 0 : 1;
  std::int64_t const intervals = grid.points[axis] - ends;
  std::int64_t const fewer = (intervals + 1) / 2;
  grid.spacing[axis] *= static_cast<double>(intervals) / static_cast<double>(fewer);
  grid.points[axis] = fewer + ends;
}

/// Returns the narrower of the two gaps at an inner point of a graded axis; if the axis has two
/// points, its only gap. The mean gap would be misleading. Two close points are strongly coupled
/// and act as one on all others, so one of them must become an F point soon.
double narrower_gap(Grid const& grid, int axis, std::int64_t point) {
  if (grid.points[axis] == 2) return grid.gap(axis, 0);
  return std::min(grid.gap(axis, point - 1), grid.gap(axis, point));
}

/// Calls visit(point) for each point of a graded axis that may become an F point. The ends remain C
/// points; of two points the first one does.
template <class Visit>
void for_each_inner(Grid const& grid, int axis, Visit const& visit) {
  if (grid.points[axis] == 2) visit(std::int64_t{1});
  for (std::int64_t point = 1; point + 1 < grid.points[axis]; ++point) visit(point);
}

/// Coarsens a uniform axis: every second point is an F point (kernels/conduction/coarsening.hpp).
void coarsen_every_second(Grid& grid, int axis) {
  // The spacing doubles. If the number of points is even, the last gap is shorter; this is ignored.
  grid.points[axis] = c_points(grid.points[axis], grid.periodic[axis]);
  grid.spacing[axis] *= 2.0;
  if (grid.points[axis] == 1) grid.periodic[axis] = false;
}

/// Coarsens a graded axis: inner points whose narrower gap is at most `widest` become F points,
/// from the lower end upwards. The point after an F point is a C point.
void coarsen_where_narrow(Grid& grid, int axis, double widest) {
  std::vector<double> coordinates{grid.coordinate(axis, 0)};
  std::int64_t last = 0;  // last point that remains
  for_each_inner(grid, axis, [&](std::int64_t point) {
    // F points are never adjacent, because interpolation needs two C neighbours.
    bool const f_point = last == point - 1 && narrower_gap(grid, axis, point) <= widest;
    if (f_point) return;
    last = point;
    coordinates.push_back(grid.coordinate(axis, point));
  });
  // The last point remains; of two points only the first does.
  if (grid.points[axis] > 2) coordinates.push_back(grid.coordinate(axis, grid.points[axis] - 1));
  place_points(grid, axis, std::move(coordinates));
}

/// Coarsens an axis of a problem with constant coefficients.
void coarsen(Problem& problem, int axis) {
  // Without a Dirichlet face, an axis of few points collapses to their mean.
  bool const few = problem.grid.points[axis] <= max_collapsed;
  few && !has_dirichlet_end(problem, axis) ? collapse(problem.grid, axis)
                                           : halve(problem.grid, axis);
}

/// Multiplies all gaps of an axis by `factor`.
void widen(Grid& grid, int axis, double factor) {
  if (!grid.is_graded(axis)) {
    grid.spacing[axis] *= factor;
    return;
  }
  std::vector<double> coordinates = coordinates_of(grid, axis);
  double const first = coordinates.front();
  // Only gaps matter to a correction, so coordinates may start at 0.
  for (double& coordinate : coordinates) coordinate = (coordinate - first) * factor;
  place_points(grid, axis, std::move(coordinates));
}

/// Returns the factor by which to widen an axis so that an isotropic medium has the same ratio of
/// couplings κ / h²: √(other / conductivity). Returns 1 if that is no normal number, as at
/// insulated points.
double weaker_by(double conductivity, double other) {
  double const factor = std::sqrt(other / conductivity);
  return std::isnormal(factor) ? factor : 1.0;
}

/// Returns the correction problem of a heterogeneous medium. Its operator marks the points that
/// remain zero, so the faces need no condition other than periodic or not. Spacings are rescaled to
/// those of an equivalent isotropic medium, judged by the conductivities at the centre.
Problem medium_correction(Problem const& problem) {
  Problem correction;
  correction.grid = problem.grid;
  correction.precision = problem.precision;
  correction.equation = Equation::poisson;
  correction.medium.is_correction = true;
  Extent3 const n = problem.grid.points;
  Index3 const middle{n.x / 2, n.y / 2, n.z / 2};
  // The coupling along each axis is judged at the centre of the grid.
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

/// Returns the next coarser grid of a heterogeneous medium: the C points of the axes with narrow
/// gaps, all points of the others. None if no axis can be coarsened.
std::optional<Problem> coarser_medium(Problem const& correction, int coarsest) {
  Grid const& grid = correction.grid;
  // The narrowest gap of each axis that can be coarsened, and of all of them.
  PerAxis<double> narrowest{};
  double smallest = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (!can_be_coarsened(correction, axis, coarsest)) continue;
    narrowest[axis] = narrowest_gap(grid, axis);
    smallest = std::min(smallest, narrowest[axis]);
  }
  double const widest = smallest * (grid.is_graded() ? much_wider_of_graded : much_wider);
  // Axes with wider gaps only are weakly coupled and wait.
  std::optional<Problem> coarser;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (!can_be_coarsened(correction, axis, coarsest) || narrowest[axis] >= widest) continue;
    if (!coarser) coarser = correction;
    if (grid.is_graded(axis)) {
      coarsen_where_narrow(coarser->grid, axis, widest);
    } else {
      coarsen_every_second(coarser->grid, axis);
    }
  }
  return coarser;
}

}  // namespace

Problem correction_problem(Problem const& problem) {
  if (is_heterogeneous(problem)) return medium_correction(problem);
  Problem correction;
  correction.grid = problem.grid;
  correction.precision = problem.precision;
  correction.equation = Equation::poisson;
  correction.sigma = problem.sigma;
  // Homogeneous conditions of the same kinds.
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
  bool const medium = is_heterogeneous(correction);
  int const wanted = asked.value_or(usual_coarsest(grid.dimension));
  int const coarsest = medium ? std::min(wanted, max_coarsest_of_medium(grid.dimension)) : wanted;
  if (std::max({grid.points.x, grid.points.y, grid.points.z}) <= coarsest) return std::nullopt;
  if (medium) return coarser_medium(correction, coarsest);
  double smallest = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < grid.dimension; ++axis) {
    // Only axes that can still be coarsened decide which spacing is the smallest.
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

std::vector<std::int64_t> c_points(Grid const& fine, Grid const& coarse, int axis) {
  std::vector<std::int64_t> remaining;
  for (std::int64_t point = 0; point < fine.points[axis]; ++point) {
    // Coarse coordinates are copies of fine ones, so equality is exact.
    auto const next = static_cast<std::int64_t>(remaining.size());
    bool const is_there =
        next < coarse.points[axis] && fine.coordinate(axis, point) == coarse.coordinate(axis, next);
    if (is_there) remaining.push_back(point);
  }
  require(static_cast<std::int64_t>(remaining.size()) == coarse.points[axis],
          "a coarse grid has points that are not on the finer grid");
  return remaining;
}

int usual_coarsest(int dimension) { return dimension == 2 ? 33 : 17; }

int max_coarsest_of_medium(int dimension) { return dimension == 2 ? 32 : 10; }

int max_coarsest(int dimension) {
  auto const points = static_cast<double>(max_mode_points);
  return static_cast<int>(dimension == 2 ? std::sqrt(points) : std::cbrt(points));
}

void check_coarsest(Grid const& grid, std::int64_t coarsest) {
  int const maximum = max_coarsest(grid.dimension);
  if (coarsest >= min_coarsest && coarsest <= maximum) return;
  throw SettingError("coarsest", "is " + std::to_string(coarsest) + " (needs " +
                                     std::to_string(min_coarsest) + " to " +
                                     std::to_string(maximum) + " points per axis in " +
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
