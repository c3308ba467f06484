#include "io/snapshot/datasets/interpolation.hpp"

#include <algorithm>
#include <cmath>

namespace isotherm {
namespace {

/// Relative to a gap: points at most this far apart coincide. Rounding of coordinates then does not
/// turn a common point into an interpolated one.
constexpr double coincidence_tolerance = 1e-9;

/// Returns the position of a coordinate on an axis, in units of points from the first; an integer
/// if the coordinate coincides with a point.
double position(Grid const& grid, int axis, double coordinate) {
  double const exact = grid.position(axis, coordinate);
  double const nearest = std::round(exact);
  return std::abs(exact - nearest) <= coincidence_tolerance ? nearest : exact;
}

/// Returns the linear interpolant; exact for weight 0.
double between(double below, double weight, double above) {
  return below + weight * (above - below);
}

}  // namespace

Interpolation::Interpolation(Grid const& a, Grid const& b) {
  for (int axis = 0; axis < 3; ++axis) {
    bool const is_flat = axis == 2 && a.dimension == 2 && b.dimension == 2;  // z is ignored in 2D
    std::int64_t& first = common_.lower[axis];
    std::int64_t& end = common_.upper[axis];
    for (std::int64_t i = 0; i < a.points[axis]; ++i) {
      double const at = is_flat ? 0.0 : position(b, axis, a.coordinate(axis, i));
      if (at < 0.0 || at > static_cast<double>(b.intervals(axis))) continue;
      // Coordinates increase, so the points inside B's box are consecutive.
      if (places_[axis].empty()) first = i;
      end = i + 1;
      double const below = std::floor(at);
      places_[axis].push_back({static_cast<std::int64_t>(below), at - below});
    }
  }
}

std::int64_t Interpolation::coinciding() const {
  // The grids are tensor products: the points with weight 0 on all axes are counted axis by axis.
  std::int64_t count = 1;
  for (auto const& places : places_) {
    count *= std::ranges::count(places, 0.0, &Place::weight);
  }
  return count;
}

GlobalBox Interpolation::needed(GlobalBox points) const {
  GlobalBox box;
  for (int axis = 0; axis < 3; ++axis) {
    Place const& last = place(axis, points.upper[axis] - 1);
    box.lower[axis] = place(axis, points.lower[axis]).below;
    // The upper neighbour is needed only if it has a weight.
    box.upper[axis] = last.below + (last.weight > 0.0 ? 2 : 1);
  }
  return box;
}

// Neighbours of weight 0 are not accessed: they may not exist, or not be finite (0 · ∞ is NaN).
double Interpolation::value(Index3 point, DenseValues<double> const& values) const {
  Place const& x = place(0, point.x);
  Place const& y = place(1, point.y);
  Place const& z = place(2, point.z);
  // Interpolation along x, then y, then z: seven linear interpolants at most.
  auto const in_row = [&](std::int64_t j, std::int64_t k) {
    double const* const below = values.at({x.below, j, k});
    return x.weight > 0.0 ? between(below[0], x.weight, below[1]) : below[0];
  };
  auto const in_plane = [&](std::int64_t k) {
    double const below = in_row(y.below, k);
    return y.weight > 0.0 ? between(below, y.weight, in_row(y.below + 1, k)) : below;
  };
  double const below = in_plane(z.below);
  return z.weight > 0.0 ? between(below, z.weight, in_plane(z.below + 1)) : below;
}

}  // namespace isotherm
