#include "decomposition/grid/grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <sstream>
#include <utility>

#include "kernels/core/byte_count.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

constexpr char const* axis_names = "xyz";

/// Largest number of points. Byte offsets of float64 values and sums of a few point counts then fit
/// in 63 bits.
constexpr std::int64_t max_points = std::int64_t{1} << 60;

std::string the_axis(int axis) { return std::string("the ") + axis_names[axis] + " axis"; }

std::string number(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

/// Throws InputError if an axis has too few points.
void check_points(int axis, std::int64_t points, bool periodic) {
  std::int64_t const fewest = periodic ? 1 : 2;
  if (points < fewest) {
    throw InputError(the_axis(axis) + " has " + std::to_string(points) +
                     (points == 1 ? " point, but " : " points, but ") +
                     (periodic ? "a periodic axis needs at least 1"
                               : "an axis between two boundaries needs at least 2"));
  }
}

/// Throws InputError if the product of the point counts exceeds max_points. It divides instead of
/// multiplying, so nothing overflows.
void check_total(Extent3 points) {
  std::int64_t total = 1;
  for (int a = 0; a < 3; ++a) {
    if (points[a] > max_points / total) {
      throw InputError("a grid of " + std::to_string(points.x) + " x " + std::to_string(points.y) +
                       " x " + std::to_string(points.z) +
                       " points is too large: at most 2^60 points in total");
    }
    total *= points[a];
  }
}

/// Returns the spacing of a uniform axis. Throws InputError if the axis has no length, or if its
/// spacing is less than two units in the last place of the larger end's coordinate.
double spacing_of(int axis, std::int64_t points, double lower, double upper, bool periodic) {
  double const length = upper - lower;
  if (!std::isfinite(length) || length <= 0.0) {
    throw InputError(the_axis(axis) + " has no length: upper (" + number(upper) +
                     ") must be a finite number greater than lower (" + number(lower) + ")");
  }
  double const spacing = length / static_cast<double>(periodic ? points : points - 1);
  double const largest = std::max(std::abs(lower), std::abs(upper));
  // With a spacing of one unit in the last place or more, no two coordinates are rounded to one.
  if (spacing <
      2.0 * (std::nextafter(largest, std::numeric_limits<double>::infinity()) - largest)) {
    throw InputError(the_axis(axis) + " from " + number(lower) + " to " + number(upper) +
                     " is too short for " + std::to_string(points) +
                     " points: their coordinates would coincide");
  }
  return spacing;
}

/// Throws InputError unless the coordinates are at least two, finite and ascending, with gaps that
/// satisfy max_gap_ratio.
void check_coordinates(int axis, std::vector<double> const& all) {
  std::string const them = "the coordinates of " + the_axis(axis);
  if (all.size() < 2) {
    throw InputError(them + " are " + std::to_string(all.size()) + " (needs at least 2)");
  }
  double widest = 0.0;
  double narrowest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!std::isfinite(all[i])) {
      throw InputError(them + ": number " + std::to_string(i + 1) + " is " + number(all[i]) +
                       " (needs finite numbers)");
    }
    if (i == 0) continue;
    double const gap = all[i] - all[i - 1];
    // The difference of two finite coordinates may overflow to infinity.
    if (!(gap > 0.0) || !std::isfinite(gap)) {
      throw InputError(them + " do not ascend: number " + std::to_string(i + 1) + " is " +
                       number(all[i]) + ", but the one before is " + number(all[i - 1]));
    }
    widest = std::max(widest, gap);
    narrowest = std::min(narrowest, gap);
  }
  if (!(widest <= max_gap_ratio * narrowest)) {
    throw InputError(them + " have spacings from " + number(narrowest) + " to " + number(widest) +
                     " (the largest may be at most " + number(max_gap_ratio) +
                     " times the smallest)");
  }
}

/// Returns `count` coordinates from the first to the last of `old`, interpolated linearly in the
/// old index. Old points are reproduced exactly: both ends always, inner ones if the new index
/// meets them.
std::vector<double> coordinates_between(std::vector<double> const& old, std::int64_t count) {
  std::vector<double> all{old.front()};
  for (std::int64_t i = 1; i < count - 1; ++i) {
    double const place = static_cast<double>(i) * static_cast<double>(old.size() - 1) /
                         static_cast<double>(count - 1);
    auto const before = static_cast<std::size_t>(place);
    double const beyond = place - static_cast<double>(before);
    all.push_back(beyond == 0.0 ? old[before]
                                : old[before] + beyond * (old[before + 1] - old[before]));
  }
  all.push_back(old.back());
  return all;
}

}  // namespace

double Grid::graded_position(int axis, double coordinate) const {
  std::vector<double> const& all = graded[axis].values();
  // The search excludes both ends, so a coordinate beyond an end falls into the outermost gap.
  auto const above = std::upper_bound(all.begin() + 1, all.end() - 1, coordinate);
  auto const before = static_cast<double>(above - all.begin() - 1);
  return before + (coordinate - *(above - 1)) / (*above - *(above - 1));
}

std::string name(Face face) {
  return std::string(1, axis_names[face.axis]) + (face.upper ? "_upper" : "_lower");
}

Grid make_grid(int dimension, Extent3 points, PerAxis<double> lower, PerAxis<double> upper,
               PerAxis<bool> periodic) {
  if (dimension != 2 && dimension != 3) {
    throw InputError("a grid has 2 or 3 axes, not " + std::to_string(dimension));
  }
  if (dimension == 2 && points.z != 1) {
    throw InputError("a 2D grid has 1 point along z, not " + std::to_string(points.z));
  }
  Grid grid;
  grid.dimension = dimension;
  grid.points = points;
  for (int a = 0; a < dimension; ++a) {
    check_points(a, points[a], periodic[a]);
    grid.lower[a] = lower[a];
    grid.spacing[a] = spacing_of(a, points[a], lower[a], upper[a], periodic[a]);
    grid.periodic[a] = periodic[a];
  }
  check_total(points);
  return grid;
}

Grid with_coordinates(Grid const& grid, int axis, std::vector<double> coordinates) {
  if (axis >= grid.dimension) throw InputError("a 2D grid has no coordinates along z");
  if (grid.periodic[axis]) {
    throw InputError(the_axis(axis) +
                     " is periodic: its spacing is uniform, so it cannot have coordinates");
  }
  check_coordinates(axis, coordinates);
  Grid other = grid;
  other.points[axis] = static_cast<std::int64_t>(coordinates.size());
  check_total(other.points);
  other.lower[axis] = coordinates.front();
  other.spacing[axis] =
      (coordinates.back() - coordinates.front()) / static_cast<double>(coordinates.size() - 1);
  other.graded[axis] = AxisCoordinates(std::move(coordinates));
  return other;
}

Grid part_of(Grid const& grid, GlobalBox const& box) {
  Grid part = grid;
  part.points = box.extent();
  for (int axis = 0; axis < 3; ++axis) {
    part.lower[axis] = grid.coordinate(axis, box.lower[axis]);
    part.periodic[axis] = grid.periodic[axis] && part.points[axis] == grid.points[axis];
    if (!grid.is_graded(axis)) continue;
    part.graded[axis] = {};
    if (part.points[axis] < 2) continue;
    auto const first = grid.graded[axis].values().begin();
    part = with_coordinates(part, axis, {first + box.lower[axis], first + box.upper[axis]});
  }
  return part;
}

char const* name(Geometry geometry) {
  switch (geometry) {
    case Geometry::cartesian:
      return "cartesian";
    case Geometry::axisymmetric:
      return "axisymmetric";
    case Geometry::spherical:
      return "spherical";
  }
  return "";
}

double Grid::metric(int axis, double coordinate) const {
  if (!is_radial(axis)) return 1.0;
  return geometry == Geometry::axisymmetric ? 2.0 * std::numbers::pi * coordinate
                                            : 4.0 * std::numbers::pi * coordinate * coordinate;
}

double Grid::measure(int axis, double from, double to) const {
  double const distance = to - from;
  if (!is_radial(axis)) return distance;
  // Differences of powers are written as products, which lose no digits.
  return geometry == Geometry::axisymmetric
             ? std::numbers::pi * distance * (to + from)
             : 4.0 / 3.0 * std::numbers::pi * distance * (to * to + to * from + from * from);
}

double Grid::width_around(int axis, std::int64_t index, double before, double behind) const {
  if (!is_radial(axis)) return 0.5 * (before + behind);
  double const place = coordinate(axis, index);
  return measure(axis, place - 0.5 * before, place + 0.5 * behind);
}

double Grid::conducting_gap(int axis, std::int64_t index) const {
  double const distance = gap(axis, index);
  if (!is_radial(axis)) return distance;
  double const from = coordinate(axis, index);
  double const to = coordinate(axis, index + 1);
  if (lower[axis] == 0.0) return distance / metric(axis, 0.5 * (from + to));
  return geometry == Geometry::axisymmetric ? std::log1p(distance / from) / (2.0 * std::numbers::pi)
                                            : distance / (4.0 * std::numbers::pi * from * to);
}

double narrowest_gap(Grid const& grid, int axis) {
  double narrowest = grid.spacing[axis];
  if (!grid.is_graded(axis)) return narrowest;
  for (std::int64_t i = 0; i < grid.intervals(axis); ++i) {
    narrowest = std::min(narrowest, grid.gap(axis, i));
  }
  return narrowest;
}

std::vector<double> coordinates_of(Grid const& grid, int axis) {
  std::vector<double> all(static_cast<std::size_t>(grid.points[axis]));
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = grid.coordinate(axis, static_cast<std::int64_t>(i));
  }
  return all;
}

Grid with_points(Grid const& grid, Extent3 points) {
  Grid other = grid;
  std::vector<int> refined;  // graded axes whose number of points changes
  for (int axis = 0; axis < grid.dimension; ++axis) {
    std::int64_t const count = points[axis];
    if (count == grid.points[axis]) continue;
    other.points[axis] = count;
    if (grid.intervals(axis) < 1 || other.intervals(axis) < 1 ||
        (grid.points[axis] == 1 && count != 1)) {
      throw InputError(std::to_string(count) + (count == 1 ? " point on " : " points on ") +
                       the_axis(axis) + ", where there " +
                       (grid.points[axis] == 1 ? "is " : "are ") +
                       std::to_string(grid.points[axis]) +
                       " (a single point stays single, and several points stay at least two)");
    }
    other.spacing[axis] = grid.length(axis) / static_cast<double>(other.intervals(axis));
    if (grid.is_graded(axis)) refined.push_back(axis);
  }
  // Before with_coordinates(), so that a huge request does not allocate huge coordinate arrays.
  if (exceeds_any_memory(other.box())) {
    throw InputError("more points than fit into any memory");
  }
  for (int const axis : refined) {
    other = with_coordinates(other, axis,
                             coordinates_between(grid.graded[axis].values(), points[axis]));
  }
  return other;
}

int axis_count(Grid const& grid) {
  bool const is_line = grid.dimension == 2 && grid.points.y == 1 && grid.periodic[1];
  return is_line ? 1 : grid.dimension;
}

std::vector<Face> faces(int dimension) {
  std::vector<Face> all;
  all.reserve(6);
  for (int index = 0; index < 2 * dimension; ++index) all.push_back(Face::from_index(index));
  return all;
}

std::vector<Face> faces(Grid const& grid) {
  std::vector<Face> all = faces(grid.dimension);
  std::erase_if(
      all, [&](Face face) { return grid.points[face.axis] == 1 && !grid.periodic[face.axis]; });
  return all;
}

namespace {

/// Tolerance in gaps. A computed coordinate may differ from that of the intended point by rounding.
constexpr double slack = 1e-9;

/// Rounds a fractional index, which must already be integral, to 0 … n: an index or one past the
/// last.
std::int64_t clamped(Grid const& grid, int axis, double place) {
  return static_cast<std::int64_t>(std::clamp(place, 0.0, static_cast<double>(grid.points[axis])));
}

}  // namespace

GlobalBox points_between(Grid const& grid, PerAxis<double> const& lower,
                         PerAxis<double> const& upper, UpperEnd end) {
  GlobalBox box = grid.box();
  for (int axis = 0; axis < grid.dimension; ++axis) {
    double const first = grid.position(axis, lower[axis]);
    double const last = grid.position(axis, upper[axis]);
    box.lower[axis] = clamped(grid, axis, std::ceil(first - slack));
    box.upper[axis] = clamped(
        grid, axis,
        end == UpperEnd::included ? std::floor(last + slack) + 1.0 : std::ceil(last - slack));
  }
  return box;
}

}  // namespace isotherm
