#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/core/host_device.hpp"

namespace isotherm {

/// A point's coordinate, or a number of points per axis, in the order x, y, z. A plain struct
/// rather than std::array, so that device code can use it without --expt-relaxed-constexpr.
/// Two-dimensional grids have one point in z.
struct Index3 {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t z = 0;

  /// The component of `axis` (0: x, 1: y, 2: z).
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
using Extent3 = Index3;

/// A value for each axis, in the order x, y, z. On the host only: device code takes the values
/// apart.
template <class T>
struct PerAxis {
  std::array<T, 3> values{};

  /// The value of `axis` (0: x, 1: y, 2: z).
  constexpr T& operator[](int axis) { return values[static_cast<std::size_t>(axis)]; }
  constexpr T const& operator[](int axis) const { return values[static_cast<std::size_t>(axis)]; }
  constexpr auto begin() { return values.begin(); }
  constexpr auto end() { return values.end(); }
  [[nodiscard]] constexpr auto begin() const { return values.begin(); }
  [[nodiscard]] constexpr auto end() const { return values.end(); }
  friend constexpr bool operator==(PerAxis const&, PerAxis const&) = default;
};

/// Frames of reference: Local (0,0,0) is the rank's first owned point, so halo points of the lower
/// faces have negative indices; Global (0,0,0) is the first point of the whole grid.
struct LocalFrame {};
struct GlobalFrame {};

/// Points with lower <= i < upper on every axis. Half-open, so the extent is a plain difference.
/// A box with any lower >= upper is empty. Boxes of different frames are different types; only
/// Subdomain converts between them.
template <class Frame>
struct Box {
  Index3 lower{};
  Index3 upper{};

  [[nodiscard]] ISOTHERM_HOST_DEVICE constexpr Extent3 extent() const { return upper - lower; }
  [[nodiscard]] ISOTHERM_HOST_DEVICE constexpr bool empty() const {
    return lower.x >= upper.x || lower.y >= upper.y || lower.z >= upper.z;
  }
  [[nodiscard]] ISOTHERM_HOST_DEVICE constexpr std::int64_t point_count() const {
    return empty() ? 0 : (upper.x - lower.x) * (upper.y - lower.y) * (upper.z - lower.z);
  }
  /// The box with `width` more points at both ends of each axis (fewer where negative).
  [[nodiscard]] constexpr Box grown(Index3 width) const { return {lower - width, upper + width}; }

  [[nodiscard]] ISOTHERM_HOST_DEVICE constexpr bool contains(std::int64_t i, std::int64_t j,
                                                             std::int64_t k) const {
    return lower.x <= i && i < upper.x && lower.y <= j && j < upper.y && lower.z <= k &&
           k < upper.z;
  }
  [[nodiscard]] constexpr bool contains(Box const& inner) const {
    return inner.empty() || (lower.x <= inner.lower.x && inner.upper.x <= upper.x &&  //
                             lower.y <= inner.lower.y && inner.upper.y <= upper.y &&  //
                             lower.z <= inner.lower.z && inner.upper.z <= upper.z);
  }
  friend constexpr bool operator==(Box const&, Box const&) = default;
};
using LocalBox = Box<LocalFrame>;
using GlobalBox = Box<GlobalFrame>;

/// The points that lie in both boxes; empty (see Box::empty) where there is none.
template <class Frame>
ISOTHERM_HOST_DEVICE constexpr Box<Frame> intersection(Box<Frame> a, Box<Frame> b) {
  Box<Frame> both;
  for (int axis = 0; axis < 3; ++axis) {
    both.lower[axis] = a.lower[axis] > b.lower[axis] ? a.lower[axis] : b.lower[axis];
    both.upper[axis] = a.upper[axis] < b.upper[axis] ? a.upper[axis] : b.upper[axis];
  }
  return both;
}

/// `point`, moved into `period` by its extent along each axis on which it lies outside.
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
