#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
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

/// The coordinates of an axis' points where their distances differ; none where they are all the
/// same. Copies share them. Two are equal where all numbers are.
class AxisCoordinates {
 public:
  AxisCoordinates() = default;
  explicit AxisCoordinates(std::vector<double> values)
      : values_(std::make_shared<std::vector<double> const>(std::move(values))) {}

  [[nodiscard]] explicit operator bool() const { return values_ != nullptr; }
  [[nodiscard]] double operator[](std::int64_t index) const {
    return (*values_)[static_cast<std::size_t>(index)];
  }
  /// Where there are some.
  [[nodiscard]] std::vector<double> const& values() const { return *values_; }
  friend bool operator==(AxisCoordinates const& a, AxisCoordinates const& b) {
    return a.values_ == b.values_ || (a.values_ && b.values_ && *a.values_ == *b.values_);
  }

 private:
  std::shared_ptr<std::vector<double> const> values_{};
};

/// The points of the whole problem; the same on every rank.
///
/// On an axis with physical boundaries the points include both ends, spacing = length / (n − 1);
/// on a periodic axis there are n points, spacing = length / n. A 2D grid has one point in z. An
/// axis of one point that is not periodic has no faces: nothing varies along it.
///
/// The points of a graded axis, which is not periodic, lie at coordinates of their own.
struct Grid {
  int dimension = 3;                 ///< 2 or 3
  Extent3 points{1, 1, 1};           ///< points per axis, at least 1
  PerAxis<double> lower{};           ///< coordinate of the first point
  PerAxis<double> spacing{1, 1, 1};  ///< distance of neighbours, > 0; of a graded axis their mean
  PerAxis<bool> periodic{};
  PerAxis<AxisCoordinates> graded{};  ///< of graded axes; with_coordinates() checks and sets them

  [[nodiscard]] GlobalBox box() const { return {{0, 0, 0}, points}; }
  [[nodiscard]] std::int64_t point_count() const { return box().point_count(); }
  [[nodiscard]] bool is_graded(int axis) const { return static_cast<bool>(graded[axis]); }
  [[nodiscard]] bool is_graded() const { return is_graded(0) || is_graded(1) || is_graded(2); }
  /// Gaps from the first point to the last one; to where a periodic axis closes.
  [[nodiscard]] std::int64_t intervals(int axis) const {
    return points[axis] - (periodic[axis] ? 0 : 1);
  }
  [[nodiscard]] double length(int axis) const {
    return is_graded(axis) ? upper(axis) - lower[axis]
                           : static_cast<double>(intervals(axis)) * spacing[axis];
  }
  /// The coordinate where that length ends.
  [[nodiscard]] double upper(int axis) const { return coordinate(axis, intervals(axis)); }
  /// @param index  of a point; of an axis that is not graded, also beyond its ends
  [[nodiscard]] double coordinate(int axis, std::int64_t index) const {
    return is_graded(axis) ? graded[axis][index]
                           : lower[axis] + static_cast<double>(index) * spacing[axis];
  }
  /// An index taken round where the axis is periodic; another one may lie beyond the grid.
  [[nodiscard]] std::int64_t on_axis(int axis, std::int64_t index) const {
    std::int64_t const n = points[axis];
    return periodic[axis] ? (index % n + n) % n : index;
  }
  /// From a point to the next one along an axis.
  [[nodiscard]] double gap(int axis, std::int64_t index) const {
    return is_graded(axis) ? graded[axis][index + 1] - graded[axis][index] : spacing[axis];
  }
  /// How many points are before a coordinate, between two by the share of their gap: the inverse of
  /// coordinate(). Beyond the ends the outermost gaps go on.
  [[nodiscard]] double position(int axis, double coordinate) const {
    return is_graded(axis) ? graded_position(axis, coordinate)
                           : (coordinate - lower[axis]) / spacing[axis];
  }
  friend bool operator==(Grid const&, Grid const&) = default;

 private:
  [[nodiscard]] double graded_position(int axis, double coordinate) const;
};

/// The grid of `points` between `lower` and `upper`.
/// In 2D points.z is 1, and all that is given for z is ignored.
/// @throws InputError  if an axis has too few points (at least 2 on a physical, 1 on a periodic
/// axis)
///                     or no length, or there are more than 2^60 points in all (so that offsets of
///                     8-byte values fit in 64 bits)
Grid make_grid(int dimension, Extent3 points, PerAxis<double> lower, PerAxis<double> upper,
               PerAxis<bool> periodic);

/// The grid whose points along an axis lie at these coordinates, as many as they are.
/// @throws InputError  where they are fewer than two, are not finite, do not ascend, or have gaps
///                     some of which are more than most_gap_ratio times as wide as others; where
///                     the axis is periodic, or there are more points than in any grid
Grid with_coordinates(Grid const& grid, int axis, std::vector<double> coordinates);
/// Wider ones beside narrower ones leave few digits to the numbers that are made of both.
inline constexpr double most_gap_ratio = 1e6;

/// Those of the grid's points that are in a box, as a grid of their own. Of a graded axis one point
/// is an axis that is not graded.
Grid part_of(Grid const& grid, GlobalBox const& box);

/// The spacing; of a graded axis the smallest distance of two neighbours.
double narrowest_gap(Grid const& grid, int axis);

/// The coordinates of an axis' points.
std::vector<double> coordinates_of(Grid const& grid, int axis);

/// The grid of so many points over the same box. On a graded axis they are as dense as its own are:
/// of n gaps that become m, each of the m takes n / m of the n.
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

/// The points with lower <= coordinate < upper, or <= upper, to within a billionth of a gap; on
/// axes that the grid does not have, all of them. Empty if there are none.
GlobalBox points_between(Grid const& grid, PerAxis<double> const& lower,
                         PerAxis<double> const& upper, UpperEnd end);

}  // namespace isotherm
