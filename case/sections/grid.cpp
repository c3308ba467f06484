#include <algorithm>
#include <cmath>
#include <iterator>
#include <unistd.h>

#include "case/basics/text/text.hpp"
#include "case/sections/axes.hpp"
#include "case/sections/parts.hpp"
#include "kernels/core/byte_count.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/number_text.hpp"
#include "kernels/core/text.hpp"

namespace isotherm {
namespace {

/// Reads `lower` or `upper`; by default all axes have the same coordinate, and z is 0 in 2D.
PerAxis<double> corner(CaseSection const& section, char const* key, int dimension,
                       double fallback) {
  return section.has(key) ? section.place(key, dimension)
                          : PerAxis<double>{fallback, fallback, dimension == 3 ? fallback : 0.0};
}

/// Returns the name of a geometry in quotes.
std::string quoted_name(Geometry geometry) { return '"' + std::string(name(geometry)) + '"'; }

/// The listed coordinates of each axis; empty for axes without a list.
using Listed = PerAxis<std::vector<double>>;

/// Returns the number of points of an axis for each list of coordinates.
Extent3 points_of(Listed const& listed) {
  Extent3 points;
  for (int axis = 0; axis < 3; ++axis) points[axis] = std::ssize(listed[axis]);
  points.z = std::max<std::int64_t>(points.z, 1);
  return points;
}

/// Returns the number of points along an axis of a given spacing, which must divide its length.
std::int64_t points_of_spacing(CaseSection const& section, int axis, double spacing, double length,
                               bool periodic) {
  constexpr double slack = 1e-6;    // tolerance relative to the spacing
  constexpr double maximum = 1e15;  // bound of the number of gaps, below 2^53
  if (!(spacing > 0.0) || !std::isfinite(spacing) || !(length / spacing < maximum)) {
    section.fail("spacing", "is " + shortest(spacing) + ' ' + on_axis(axis) +
                                " (needs a positive number, not too small)");
  }
  double const gaps = std::max(1.0, std::round(length / spacing));
  if (std::abs(gaps * spacing - length) > slack * spacing) {
    section.fail("spacing", "is " + shortest(spacing) + ' ' + on_axis(axis) +
                                ", which does not divide the length " + shortest(length) +
                                " (the nearest spacing that does is " + shortest(length / gaps) +
                                ')');
  }
  return static_cast<std::int64_t>(gaps) + (periodic ? 0 : 1);
}

/// Returns the number of points per axis if [grid] has `spacing`. An axis with listed coordinates
/// has as many points as its list.
///
///     [grid]
///     upper   = [1.0, 1.0, 0.5]
///     spacing = [0.125, 0.125, 0.0625]     # 9 points per axis if no axis is periodic
Extent3 read_spacing(CaseSection const& section, Listed const& listed, Problem const& problem,
                     PerAxis<double> const& lower, PerAxis<double> const& upper) {
  PerAxis<double> const spacing = section.place("spacing", problem.grid.dimension);
  Extent3 points = points_of(listed);
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    if (!listed[axis].empty()) continue;
    points[axis] = points_of_spacing(section, axis, spacing[axis], upper[axis] - lower[axis],
                                     problem.grid.periodic[axis]);
  }
  return points;
}

/// Reads [grid] points, which must agree with the lists of coordinates. If they are missing, the
/// lists determine them.
///
///     [grid]
///     points = [65, 65, 33]        # x, y, z; both ends are points of the grid
Extent3 read_points(CaseSection const& section, Listed const& listed) {
  if (!section.has("points")) return points_of(listed);
  auto const list = section.wholes("points");
  for (std::size_t axis = 0; axis < list.size(); ++axis) {
    if (list[axis] < 1) {
      section.fail("points", "is " + std::to_string(list[axis]) + ' ' +
                                 on_axis(static_cast<int>(axis)) + " (needs at least 1)");
    }
    auto const given = std::ssize(listed[static_cast<int>(axis)]);
    if (given > 0 && list[axis] != given) {
      section.fail("points", "is " + std::to_string(list[axis]) + ' ' +
                                 on_axis(static_cast<int>(axis)) + ", which has " +
                                 std::to_string(given) + " coordinates");
    }
  }
  return {list[0], list[1], list.size() == 3 ? list[2] : 1};
}

/// Replaces an end of the axis by that of its listed coordinates. A given `lower` or `upper` must
/// agree with it up to rounding. `coordinate` is the value from [grid] lower or upper, and becomes
/// the end of the list.
void take_end(CaseSection const& section, char const* key, double end, int axis, double length,
              double& coordinate) {
  constexpr double slack = 1e-9;
  if (section.has(key) && std::abs(coordinate - end) > slack * length) {
    section.fail(key, "is " + shortest(coordinate) + ' ' + on_axis(axis) +
                          ", but the coordinates there end at " + shortest(end));
  }
  coordinate = end;
}

/// Applies take_end() to both ends of all axes with listed coordinates.
void take_ends(CaseSection const& section, Listed const& listed, PerAxis<double>& lower,
               PerAxis<double>& upper) {
  for (int axis = 0; axis < 3; ++axis) {
    auto const& list = listed[axis];
    if (list.empty()) continue;
    double const length = list.back() - list.front();
    take_end(section, "lower", list.front(), axis, length, lower[axis]);
    take_end(section, "upper", list.back(), axis, length, upper[axis]);
  }
}

/// Returns whether an end of an axis has a Dirichlet condition.
bool is_dirichlet(Problem const& problem, int axis, bool upper) {
  return problem.boundary[{axis, upper}].kind == BoundaryKind::dirichlet;
}

/// Requires at least one unknown on each axis. An axis with Dirichlet conditions at both ends needs
/// three points. With a Dirichlet condition at one end, two points leave one unknown. A periodic
/// axis may even have a single point.
void require_unknowns(CaseSection const& section, Problem const& problem, Extent3 points) {
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    bool const periodic = problem.grid.periodic[axis];
    int const fixed = (is_dirichlet(problem, axis, false) ? 1 : 0) +  //
                      (is_dirichlet(problem, axis, true) ? 1 : 0);
    std::int64_t const fewest = periodic ? 1 : fixed == 2 ? 3 : 2;
    if (points[axis] < fewest) {
      section.fail("points", "is " + std::to_string(points[axis]) + ' ' + on_axis(axis) +
                                 " (needs at least " + std::to_string(fewest) +
                                 " with these boundaries)");
    }
  }
}

/// Requires that each axis has a positive length.
void require_length(CaseSection const& section, int dimension, PerAxis<double> lower,
                    PerAxis<double> upper) {
  for (int axis = 0; axis < dimension; ++axis) {
    if (upper[axis] <= lower[axis]) {
      section.fail("upper", "is " + shortest(upper[axis]) + ' ' + on_axis(axis) +
                                " (needs more than lower, " + shortest(lower[axis]) + ')');
    }
  }
}

/// Refuses grids that no memory holds. Everything that is evaluated along axes would take years.
void require_countable_points(CaseSection const& section, Grid const& grid) {
  if (!exceeds_any_memory(grid.box())) return;
  section.fail(section.has("points") ? "points" : "spacing",
               "makes " + std::to_string(grid.point_count()) +
                   " points, more than any memory holds (choose a smaller grid)");
}

/// Requires that float64 represents the squares of inverse spacings and of their ratios, from which
/// the stencil's weights are computed.
void require_moderate_spacings(CaseSection const& section, Grid const& grid) {
  for (int axis = 0; axis < grid.dimension; ++axis) {
    double const inverse = 1.0 / narrowest_gap(grid, axis);
    double const ratio = grid.spacing[0] / grid.spacing[axis];
    if (!std::isnormal(inverse * inverse) || !std::isfinite(inverse_spacing_sum(grid))) {
      section.fail("upper",
                   "is so close to or far from lower that float64 cannot represent the inverse "
                   "square of the spacing (choose another unit of length)");
    }
    if (!std::isnormal(ratio * ratio)) {
      section.fail("upper",
                   "makes the spacings of the axes so different that float64 cannot represent the "
                   "square of their ratio (choose other lengths or points)");
    }
  }
}

/// Returns the geometry that [grid] asks for.
Geometry geometry_of(CaseSection const& section) {
  std::string const asked = section.text("geometry", name(Geometry::cartesian));
  return asked == name(Geometry::axisymmetric) ? Geometry::axisymmetric
         : asked == name(Geometry::spherical)  ? Geometry::spherical
                                               : Geometry::cartesian;
}

/// Makes x a radius. Radii have lists of coordinates, so the grid has the operators of graded axes.
///
///     [grid]
///     geometry = "axisymmetric"        # x is the radius, y the place along the axis
///     points   = [65, 129]
void make_radial(CaseSection const& section, Geometry geometry, Problem& problem) {
  Grid& grid = problem.grid;
  std::string const asked = "is " + quoted_name(geometry);
  if (grid.dimension != 2) {
    section.fail("geometry", asked + ", but the grid is 3D (needs points = [radii, heights])");
  }
  if (geometry == Geometry::spherical && axis_count(grid) != 1) {
    section.fail("geometry",
                 asked + ", but the grid is 2D (needs one number, as in points = [65])");
  }
  if (grid.periodic[0]) section.fail("geometry", asked + ", but the x axis is periodic");
  if (grid.points.x > max_listed) {
    section.fail("points", "is " + std::to_string(grid.points.x) +
                               " on the x axis, a radius (needs " + "at most " +
                               std::to_string(max_listed) + " there)");
  }
  if (grid.lower[0] < 0.0) {
    section.fail("lower", "is " + shortest(grid.lower[0]) +
                              " on the x axis, which is a radius (needs 0 or more)");
  }
  if (!grid.is_graded(0)) grid = with_coordinates(grid, 0, coordinates_of(grid, 0));
  grid.geometry = geometry;
}

/// Requires a condition of the lower end of a radius that does not begin at 0.
void require_inner_condition(CaseDocument const& document, Grid const& grid) {
  CaseSection const section = document.section("boundary");
  for (char const* const key : {"x_lower", "x", "all"}) {
    if (section.has(key)) return;
  }
  section.fail("x_lower", "has no boundary condition (needs one, since the radius begins at " +
                              shortest(grid.lower[0]) + " rather than at 0)");
}

/// Insulates the lower end of a radius that begins at 0, which is no face of the body.
void close_centre(CaseDocument const& document, Problem& problem) {
  CaseSection const section = document.section("boundary");
  BoundaryCondition& centre = problem.boundary[{0, false}];
  bool const is_closed = centre.kind == BoundaryKind::neumann && centre.value.is_zero();
  if (!is_closed) {
    for (char const* const key : {"x_lower", "x"}) {
      section.refuse(key,
                     std::string("gives a condition at the radius 0, which is ") +
                         (problem.grid.geometry == Geometry::spherical ? "the centre"
                                                                       : "the axis of rotation") +
                         " and no face (needs { type = \"neumann\" } there)");
    }
  }
  centre = BoundaryCondition{};
  centre.kind = BoundaryKind::neumann;
}

}  // namespace

/// Two lists of coordinates without `points` define a 2D grid, three a 3D grid.
///
///     [grid]
///     x = { coordinates = [0.0, 0.1, 0.3] }
///     y = { coordinates = [0.0, 0.5, 1.0] }      # a 2D grid of 3 x 3 points
int read_dimension(CaseDocument const& document) {
  CaseSection const section = document.section("grid");
  if (!section.has("points") && lists_coordinates(section, 0) && lists_coordinates(section, 1)) {
    return section.has("z") && lists_coordinates(section, 2) ? 3 : 2;
  }
  char const* const key = section.has("spacing") ? "spacing" : "points";
  if (section.has("spacing")) {
    section.refuse("points", "conflicts with spacing (leave one of them out)");
  }
  section.require_key(key, "1 to 3 whole numbers, as in points = [512, 512, 512]");
  auto const axes =
      section.has("spacing") ? section.numbers(key).size() : section.wholes(key).size();
  if (axes != 2 && axes != 3) {
    section.fail(key, "has " + std::to_string(axes) + " entries (needs 1 to 3: x, y, z)");
  }
  return static_cast<int>(axes);
}

// First a uniform grid with the right extent, then graded axes replace their coordinates.
// require_moderate_spacings() needs the final gaps.
void read_grid(CaseDocument const& document, Problem& problem) {
  CaseSection const section = document.section("grid");
  int const dimension = problem.grid.dimension;
  // 1. Listed coordinates. Their ends replace [grid] lower and upper.
  Listed const listed = listed_coordinates(document, dimension);
  auto lower = corner(section, "lower", dimension, 0.0);
  auto upper = corner(section, "upper", dimension, 1.0);
  take_ends(section, listed, lower, upper);
  require_length(section, dimension, lower, upper);
  // 2. The number of points, from the spacing or as given.
  Extent3 const points = section.has("spacing")
                             ? read_spacing(section, listed, problem, lower, upper)
                             : read_points(section, listed);
  require_unknowns(section, problem, points);
  // 3. A uniform grid, then the coordinates of graded axes.
  try {
    problem.grid = make_grid(dimension, points, lower, upper, problem.grid.periodic);
  } catch (InputError const& error) {
    section.fail("points", std::string(": ") + error.what());
  }
  problem.grid = graded(document, problem.grid, listed);
  require_countable_points(section, problem.grid);
  Geometry const geometry = geometry_of(section);
  if (geometry != Geometry::cartesian) {
    make_radial(section, geometry, problem);
    if (problem.grid.lower[0] == 0.0) {
      close_centre(document, problem);
    } else {
      require_inner_condition(document, problem.grid);
    }
  }
  require_moderate_spacings(section, problem.grid);
}

void require_holdable(CaseDocument const& document, Grid const& grid) {
  if (document.ranks == 0) return;
  constexpr double two_fields = 8.0;  // bytes a point, in float32
  double const bytes = two_fields * static_cast<double>(grid.point_count()) / document.ranks;
  double const memory =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (bytes <= memory) return;
  document.section("grid").fail(
      "points", "makes " + std::to_string(grid.point_count()) + " points, which need more than " +
                    format_bytes(bytes) + " of memory per rank, but the host has only " +
                    format_bytes(memory) + " (use more hosts, or a smaller grid)");
}

// intervals() counts the gap that closes a periodic axis, too.
bool is_inside(Grid const& grid, int axis, double coordinate) {
  constexpr double part = 1e-9;
  return coordinate >= grid.lower[axis] - part * grid.gap(axis, 0) &&
         coordinate <= grid.upper(axis) + part * grid.gap(axis, grid.intervals(axis) - 1);
}

std::string outside_of(Grid const& grid, int axis) {
  return "outside the grid (which extends from " + six_digits(grid.lower[axis]) + " to " +
         six_digits(grid.upper(axis)) + ')';
}

PerAxis<double> read_place(CaseSection const& section, std::string const& key, Grid const& grid) {
  PerAxis<double> const place = section.place(key, grid.dimension);
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (is_inside(grid, axis, place[axis])) continue;
    section.fail(
        key, "is " + shortest(place[axis]) + ' ' + on_axis(axis) + ", " + outside_of(grid, axis));
  }
  return place;
}

}  // namespace isotherm
