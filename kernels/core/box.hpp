#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/core/host_device.hpp"

namespace isotherm {

/// Coordinates of a point, or numbers of points, in the order x, y, z.
///
/// This is a plain struct, not a std::array: device code can use it without
/// --expt-relaxed-constexpr. Two-dimensional grids have a single point in z.
struct Index3 {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t z = 0;

  /// Returns the component of `axis` (0: x, 1: y, 2: z).
  ISOTHERM_HOST_DEVICE constexpr std::int64_t& operator[](int axis) {
    return axis == 0 ? x : axis == 1 ? y : z;
  }
  ISOTHERM_HOST_DEVICE constexpr std::int64_t operator[](int axis) const {
    return axis == 0 ? x : axis == 1 ? y : z;
  }
  friend ISOTHERM_HOST_DEVICE constexpr Index3 operator+(Index3 a, Index3 b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend ISOTHERM_HOST_DEVICE constexpr Index3 operator-(Index3 a, Index3 b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend constexpr bool operator==(Index3 const&, Index3 const&) = default;
};
/// Numbers of points along the axes.
using Extent3 = Index3;

/// A value for each axis, in the order x, y, z. For host code only: kernels receive the three
/// values separately.
template <class T>
struct PerAxis {
  std::array<T, 3> values{};

  /// Returns the value of `axis` (0: x, 1: y, 2: z).
  constexpr T& operator[](int axis) { return values[static_cast<std::size_t>(axis)]; }
  constexpr T const& operator[](int axis) const { return values[static_cast<std::size_t>(axis)]; }
  constexpr auto begin() { return values.begin(); }
  constexpr auto end() { return values.end(); }
  [[nodiscard]] constexpr auto begin() const { return values.begin(); }
  [[nodiscard]] constexpr auto end() const { return values.end(); }
  friend constexpr bool operator==(PerAxis const&, PerAxis const&) = default;
};

/// Frame of reference of one rank: (0,0,0) is its first owned point. Ghost points (the halo) beyond
/// the lower faces have negative indices.
struct LocalFrame {};
/// Frame of reference of the whole grid: (0,0,0) is its first point.
struct GlobalFrame {};

/// The points with lower <= i < upper on every axis.
///
/// The interval is half-open, so the extent is a plain difference. A box is empty if lower >= upper
/// on any axis. Boxes of different frames are different types; only Subdomain converts between
/// them.
template <class Frame>
struct Box {
  /// The first point on each axis.
  Index3 lower{};
  /// The point behind the last one on each axis, which is not part of the box.
  Index3 upper{};

  /// Returns the number of points on each axis; not positive on some axis if the box is empty.
  [[nodiscard]] ISOTHERM_HOST_DEVICE constexpr Extent3 extent() const { return upper - lower; }
  /// Returns true if the box has no points.
  [[nodiscard]] ISOTHERM_HOST_DEVICE constexpr bool empty() const {
    return lower.x >= upper.x || lower.y >= upper.y || lower.z >= upper.z;
  }
  /// Returns the number of points, 0 if the box is empty.
  [[nodiscard]] ISOTHERM_HOST_DEVICE constexpr std::int64_t point_count() const {
    return empty() ? 0 : (upper.x - lower.x) * (upper.y - lower.y) * (upper.z - lower.z);
  }
  /// Returns the box with `width` more points at both ends of each axis; a negative width shrinks
  /// it.
  [[nodiscard]] constexpr Box grown(Index3 width) const { return {lower - width, upper + width}; }

  /// Returns true if (i, j, k) is a point of this box.
  [[nodiscard]] ISOTHERM_HOST_DEVICE constexpr bool contains(std::int64_t i, std::int64_t j,
                                                             std::int64_t k) const {
    return lower.x <= i && i < upper.x && lower.y <= j && j < upper.y && lower.z <= k &&
           k < upper.z;
  }
  /// Returns true if all points of `inner` are points of this box.
  [[nodiscard]] constexpr bool contains(Box const& inner) const {
    return inner.empty() || (lower.x <= inner.lower.x && inner.upper.x <= upper.x &&  //
                             lower.y <= inner.lower.y && inner.upper.y <= upper.y &&  //
                             lower.z <= inner.lower.z && inner.upper.z <= upper.z);
  }
  friend constexpr bool operator==(Box const&, Box const&) = default;
};
/// A box in the indices of one rank, which are negative in the halo below the owned points.
using LocalBox = Box<LocalFrame>;
/// A box in the indices of the whole grid.
using GlobalBox = Box<GlobalFrame>;

/// Returns the points that both boxes contain. The result is empty (see Box::empty) if they are
/// disjoint.
template <class Frame>
ISOTHERM_HOST_DEVICE constexpr Box<Frame> intersection(Box<Frame> a, Box<Frame> b) {
  Box<Frame> both;
  for (int axis = 0; axis < 3; ++axis) {
    both.lower[axis] = a.lower[axis] > b.lower[axis] ? a.lower[axis] : b.lower[axis];
    both.upper[axis] = a.upper[axis] < b.upper[axis] ? a.upper[axis] : b.upper[axis];
  }
  return both;
}

/// Maps a point into the periodic box `period`. A coordinate outside is shifted once by the box's
/// extent on that axis, so it may lie at most one extent outside.
template <class Frame>
ISOTHERM_HOST_DEVICE constexpr Index3 wrapped(Index3 point, Box<Frame> const& period) {
  for (int axis = 0; axis < 3; ++axis) {
    std::int64_t const length = period.upper[axis] - period.lower[axis];
    if (point[axis] < period.lower[axis]) point[axis] += length;
    if (point[axis] >= period.upper[axis]) point[axis] -= length;
  }
  return point;
}

}  // namespace isotherm
