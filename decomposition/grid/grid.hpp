#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "kernels/core/box.hpp"

namespace isotherm {

/// One of the six faces of a box: the lower or upper end of an axis.
struct Face {
  int axis = 0;        ///< 0: x, 1: y, 2: z
  bool upper = false;  ///< false: the end with the smallest coordinate

  /// 0 … 5 in the order x_lower, x_upper, y_lower, y_upper, z_lower, z_upper.
  [[nodiscard]] constexpr int index() const { return 2 * axis + (upper ? 1 : 0); }
  static constexpr Face from_index(int index) { return {index / 2, index % 2 == 1}; }
  friend constexpr bool operator==(Face const&, Face const&) = default;
};
/// "x_lower" … "z_upper".
std::string name(Face face);

/// A value for each face, in the order of Face::index().
template <class T>
struct PerFace {
  std::array<T, 6> values{};

  constexpr T& operator[](Face face) { return values[static_cast<std::size_t>(face.index())]; }
  constexpr T const& operator[](Face face) const {
    return values[static_cast<std::size_t>(face.index())];
  }
  constexpr auto begin() { return values.begin(); }
  constexpr auto end() { return values.end(); }
  [[nodiscard]] constexpr auto begin() const { return values.begin(); }
  [[nodiscard]] constexpr auto end() const { return values.end(); }
  friend constexpr bool operator==(PerFace const&, PerFace const&) = default;
};

/// The points of the whole problem; the same on every rank.
///
/// On an axis with physical boundaries the points include both ends, spacing = length / (n − 1);
/// on a periodic axis there are n points, spacing = length / n. A 2D grid has one point in z. An
/// axis of one point that is not periodic has no faces: nothing varies along it.
struct Grid {
  int dimension = 3;                 ///< 2 or 3
  Extent3 points{1, 1, 1};           ///< points per axis, at least 1
  PerAxis<double> lower{};           ///< coordinate of the first point
  PerAxis<double> spacing{1, 1, 1};  ///< distance of neighbours, > 0
  PerAxis<bool> periodic{};

  [[nodiscard]] GlobalBox box() const { return {{0, 0, 0}, points}; }
  [[nodiscard]] std::int64_t point_count() const { return box().point_count(); }
  /// Spacings from the first point to the last one; to where a periodic axis closes.
  [[nodiscard]] std::int64_t intervals(int axis) const {
    return points[axis] - (periodic[axis] ? 0 : 1);
  }
  [[nodiscard]] double length(int axis) const {
    return static_cast<double>(intervals(axis)) * spacing[axis];
  }
  /// The coordinate where that length ends.
  [[nodiscard]] double upper(int axis) const { return coordinate(axis, intervals(axis)); }
  [[nodiscard]] double coordinate(int axis, std::int64_t index) const {
    return lower[axis] + static_cast<double>(index) * spacing[axis];
  }
  /// From a point to the next one along an axis.
  [[nodiscard]] double gap(int axis, std::int64_t /*index*/) const { return spacing[axis]; }
  friend bool operator==(Grid const&, Grid const&) = default;
};

/// The grid of `points` between `lower` and `upper`.
/// In 2D points.z is 1, and all that is given for z is ignored.
/// @throws InputError  if an axis has too few points (at least 2 on a physical, 1 on a periodic
/// axis)
///                     or no length, or there are more than 2^60 points in all (so that offsets of
///                     8-byte values fit in 64 bits)
Grid make_grid(int dimension, Extent3 points, PerAxis<double> lower, PerAxis<double> upper,
               PerAxis<bool> periodic);

/// The grid of so many points over the same box.
/// @throws InputError  where an axis of one point would get more, an axis of more only one, or
/// there
///                     are more points than any memory holds
Grid with_points(Grid const& grid, Extent3 points);

/// The faces that a grid has: four in 2D, six in 3D, less those of axes without any, in the order
/// of Face::index().
std::vector<Face> faces(Grid const& grid);
/// Those of any grid of so many dimensions.
std::vector<Face> faces(int dimension);

/// Whether an interval of coordinates includes its upper end.
enum class UpperEnd { excluded, included };

/// The points with lower <= coordinate < upper, or <= upper, to within a billionth of a spacing; on
/// axes that the grid does not have, all of them. Empty if there are none.
GlobalBox points_between(Grid const& grid, PerAxis<double> const& lower,
                         PerAxis<double> const& upper, UpperEnd end);

}  // namespace isotherm
