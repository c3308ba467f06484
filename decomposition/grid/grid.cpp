#include "decomposition/grid/grid.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "kernels/core/byte_count.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

constexpr char const* axis_names = "xyz";

/// Byte offsets of float64 values, and sums of a few point counts, then fit in 63 bits.
constexpr std::int64_t most_points = std::int64_t{1} << 60;

std::string the_axis(int axis) { return std::string("the ") + axis_names[axis] + " axis"; }

std::string number(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

void check_points(int axis, std::int64_t points, bool periodic) {
  std::int64_t const fewest = periodic ? 1 : 2;
  if (points < fewest) {
    throw InputError(the_axis(axis) + " has " + std::to_string(points) +
                     (points == 1 ? " point, but " : " points, but ") +
                     (periodic ? "a periodic axis needs at least 1"
                               : "an axis between two boundaries needs at least 2"));
  }
}

void check_total(Extent3 points) {
  std::int64_t total = 1;
  for (int a = 0; a < 3; ++a) {
    if (points[a] > most_points / total) {
      throw InputError("a grid of " + std::to_string(points.x) + " x " + std::to_string(points.y) +
                       " x " + std::to_string(points.z) +
                       " points is more than can be counted: at most 2^60 points in all");
    }
    total *= points[a];
  }
}

double spacing_of(int axis, std::int64_t points, double lower, double upper, bool periodic) {
  double const length = upper - lower;
  if (!std::isfinite(length) || length <= 0.0) {
    throw InputError(the_axis(axis) + " has no length: upper (" + number(upper) +
                     ") must be a finite number greater than lower (" + number(lower) + ")");
  }
  double const spacing = length / static_cast<double>(periodic ? points : points - 1);
  double const largest = std::max(std::abs(lower), std::abs(upper));
  if (largest + spacing == largest) {
    throw InputError(the_axis(axis) + " from " + number(lower) + " to " + number(upper) +
                     " is too short for " + std::to_string(points) +
                     " points: their coordinates would coincide");
  }
  return spacing;
}

}  // namespace

std::string name(Face face) {
  return std::string(1, axis_names[face.axis]) + (face.upper ? "_upper" : "_lower");
}

Grid make_grid(int dimension, Extent3 points, PerAxis<double> lower, PerAxis<double> upper,
               PerAxis<bool> periodic) {
  if (dimension != 2 && dimension != 3) {
    throw InputError("a grid has 2 or 3 axes, not " + std::to_string(dimension));
  }
  if (dimension == 2 && points.z != 1) {
    throw InputError("a grid of 2 axes has 1 point in z, not " + std::to_string(points.z));
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

Grid with_points(Grid const& grid, Extent3 points) {
  Grid other = grid;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    std::int64_t const count = points[axis];
    if (count == grid.points[axis]) continue;
    other.points[axis] = count;
    if (grid.intervals(axis) < 1 || other.intervals(axis) < 1 ||
        (grid.points[axis] == 1 && count != 1)) {
      throw InputError(
          std::to_string(count) + (count == 1 ? " point on " : " points on ") + the_axis(axis) +
          ", where there " + (grid.points[axis] == 1 ? "is " : "are ") +
          std::to_string(grid.points[axis]) + " (one point stays one, and more stay at least two)");
    }
    other.spacing[axis] = grid.length(axis) / static_cast<double>(other.intervals(axis));
  }
  if (exceeds_any_memory(other.box())) {
    throw InputError("more points than any memory holds");
  }
  return other;
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

/// Coordinates that were computed may lie so many spacings beside the point that they mean.
constexpr double slack = 1e-9;

/// `place`, in spacings from the first point, as an index of the axis or one past its last.
std::int64_t clamped(Grid const& grid, int axis, double place) {
  return static_cast<std::int64_t>(std::clamp(place, 0.0, static_cast<double>(grid.points[axis])));
}

}  // namespace

GlobalBox points_between(Grid const& grid, PerAxis<double> const& lower,
                         PerAxis<double> const& upper, UpperEnd end) {
  GlobalBox box = grid.box();
  for (int axis = 0; axis < grid.dimension; ++axis) {
    double const first = (lower[axis] - grid.lower[axis]) / grid.spacing[axis];
    double const last = (upper[axis] - grid.lower[axis]) / grid.spacing[axis];
    box.lower[axis] = clamped(grid, axis, std::ceil(first - slack));
    box.upper[axis] = clamped(
        grid, axis,
        end == UpperEnd::included ? std::floor(last + slack) + 1.0 : std::ceil(last - slack));
  }
  return box;
}

}  // namespace isotherm
