#include "solver/discretise/shapes/films/surface_distance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/shapes/open_shares.hpp"

namespace isotherm {

namespace {

/// The signed distance to a surface that is perpendicular to an axis or round: positive outside.
/// Distances along different axes combine as those to an edge do.
class SignedDistance {
 public:
  void add(double outwards) {
    outside_ += outwards > 0.0 ? outwards * outwards : 0.0;
    inside_ = std::max(inside_, outwards);
  }
  [[nodiscard]] double value() const { return outside_ > 0.0 ? std::sqrt(outside_) : inside_; }

 private:
  double outside_ = 0.0;  ///< squared
  double inside_ = -std::numeric_limits<double>::infinity();
};

/// Nothing varies along an axis of a single point, whose ends are no surfaces.
double signed_distance(Solid const& solid, PerAxis<double> const& place, Grid const& grid) {
  SignedDistance distance;
  double squared_radius = 0.0;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (grid.points[axis] == 1) continue;
    Interval const between = bounds_within(solid, grid, axis);
    if (!solid.round[axis]) {
      distance.add(std::max(between.lower - place[axis], place[axis] - between.upper));
      continue;
    }
    double const away = place[axis] - solid.center[axis];
    squared_radius += away * away;
  }
  if (!solid.is_box()) distance.add(std::sqrt(squared_radius) - solid.radius);
  return distance.value();
}

/// Returns the distance from a place to the nearest end of the given parts of its line along an
/// axis.
double nearest_end(std::vector<Interval> const& parts, double at, Interval line) {
  double distance = std::numeric_limits<double>::infinity();
  for (Interval const& part : parts) {
    for (double const end : {part.lower, part.upper}) {
      if (end != line.lower && end != line.upper) distance = std::min(distance, std::abs(end - at));
    }
  }
  return distance;
}

/// True if a part of a line ends at a place.
bool touches(std::vector<Interval> const& parts, double at) {
  return std::ranges::any_of(
      parts, [&](Interval const& part) { return part.lower == at || part.upper == at; });
}

/// Returns the signed distance of a point from the surface of an expression, as if that were a
/// plane through its crossings of the lines along the axes: 1/d² = Σ 1/(distance along the axis)².
/// Infinite if the surface crosses none of them as far as the next points.
/// @param point  one of the places_of() the point
double signed_distance(Region const& region, Grid const& grid, Index3 global,
                       PerAxis<double> const& point) {
  double sum = 0.0;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    auto const [first, second] = volume_intervals(grid, axis, global[axis]);
    Interval const volume = second.length() > 0.0 && point[axis] > first.upper ? second : first;
    if (!(volume.length() > 0.0)) continue;
    // As far as the next points, each half examined by itself.
    double nearest = std::numeric_limits<double>::infinity();
    unsigned begins = 0, halves = 0;  // of the halves: those on which a part begins at the point
    for (double const end : {2.0 * volume.lower - point[axis], 2.0 * volume.upper - point[axis]}) {
      Interval const line{std::min(point[axis], end), std::max(point[axis], end)};
      if (!(line.length() > 0.0)) continue;
      auto const parts = parts_inside(region, axis, point, line);
      nearest = std::min(nearest, nearest_end(parts, point[axis], line));
      ++halves;
      if (touches(parts, point[axis])) ++begins;
    }
    if (halves == 2 && begins == 1) nearest = 0.0;  // the surface contains the point
    sum += 1.0 / (nearest * nearest);
  }
  if (!(sum > 0.0)) return std::numeric_limits<double>::infinity();
  return std::isfinite(sum) ? (contains(region, point) ? -1.0 : 1.0) / std::sqrt(sum) : 0.0;
}

}  // namespace

Interval bounds_within(Solid const& solid, Grid const& grid, int axis) {
  Interval bounds = solid.between[axis];
  if (grid.periodic[axis]) return bounds;
  Interval const extent = extent_of(grid)[axis];
  double const slack = coincidence * grid.spacing[axis];
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (bounds.lower <= extent.lower + slack) bounds.lower = -infinity;
  if (bounds.upper >= extent.upper - slack) bounds.upper = infinity;
  return bounds;
}

double distance_from(Region const& region, Grid const& grid, Index3 global) {
  double nearest = std::numeric_limits<double>::infinity();
  for (PerAxis<double> const& place : places_of(grid, global)) {
    double const distance = region.solid ? signed_distance(*region.solid, place, grid)
                                         : signed_distance(region, grid, global, place);
    if (std::abs(distance) < std::abs(nearest)) nearest = distance;
  }
  return std::isfinite(nearest) ? nearest : 0.0;
}

bool is_flat_along(Region const& region, int axis) {
  return region.solid && !region.solid->round[axis];
}

double radius_of_surface(Region const& region, Grid const& grid, Index3 global, double distance,
                         double squared_normal) {
  auto const [x, y, z] = coordinates(grid, global);
  if (region.solid && region.solid->round[0]) {
    double const center = region.solid->center[0], radius = region.solid->radius;
    double const away = radius + distance;  // of the point from the center
    return away > 0.0 ? std::max(center + (x - center) * (radius / away), 0.0) : x;
  }
  double const width = std::abs(distance);
  Interval const line{x - 2.0 * width, x + 2.0 * width};
  auto const parts = region.solid ? std::vector{bounds_of(*region.solid)[0]}
                                  : parts_inside(region, 0, {x, y, z}, line);
  double end = std::numeric_limits<double>::infinity();
  for (Interval const& part : parts) {
    for (double const one : {part.lower, part.upper}) {
      bool const is_end_of_line = !region.solid && (one == line.lower || one == line.upper);
      if (!is_end_of_line && std::abs(one - x) < std::abs(end - x)) end = one;
    }
  }
  constexpr double rounding = 1e-12;
  if (!std::isfinite(end) || squared_normal < rounding) return x;
  if (is_flat_along(region, 0)) return std::max(end, 0.0);
  return std::max(x + std::copysign(width * std::sqrt(squared_normal), end - x), 0.0);
}

double resisting_distance(Grid const& grid, Index3 global, double distance, double surface) {
  double const radius = grid.coordinate(0, global[0]);
  bool const is_radial = grid.is_radial(0) && radius > 0.0 && surface > 0.0;
  if (!is_radial || radius == surface) return distance;
  double const relative = (radius - surface) / surface;
  return distance * (grid.geometry == Geometry::axisymmetric ? std::log1p(relative) / relative
                                                             : 1.0 / (1.0 + relative));
}

}  // namespace isotherm
