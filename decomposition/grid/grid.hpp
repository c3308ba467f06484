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
/// Returns the name that case files and messages use: "x_lower" … "z_upper".
std::string name(Face face);

/// One value for each of the six faces, indexed by Face::index(). A 2D grid does not use those of
/// z.
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

/// The coordinates of the points of a graded (non-uniform) axis, in ascending order. Empty for a
/// uniform axis.
///
/// Copies share one immutable array, so a Grid is cheap to copy. Two objects are equal if all their
/// numbers are equal.
class AxisCoordinates {
 public:
  AxisCoordinates() = default;
  explicit AxisCoordinates(std::vector<double> values)
      : values_(std::make_shared<std::vector<double> const>(std::move(values))) {}

  /// True if the axis is graded.
  [[nodiscard]] explicit operator bool() const { return values_ != nullptr; }
  /// The coordinate of a point. @pre  the axis is graded, and 0 <= index < number of points
  [[nodiscard]] double operator[](std::int64_t index) const {
    return (*values_)[static_cast<std::size_t>(index)];
  }
  /// All coordinates. @pre  the axis is graded
  [[nodiscard]] std::vector<double> const& values() const { return *values_; }
  friend bool operator==(AxisCoordinates const& a, AxisCoordinates const& b) {
    return a.values_ == b.values_ || (a.values_ && b.values_ && *a.values_ == *b.values_);
  }

 private:
  std::shared_ptr<std::vector<double> const> values_{};
};

/// The space that the axes of a grid describe.
enum class Geometry {
  cartesian,     ///< x, y, z
  axisymmetric,  ///< x is the distance from the axis of rotation, y the place along it
  spherical      ///< x is the distance from the centre; nothing varies along y
};
/// Returns the name in case files: "cartesian", "axisymmetric" or "spherical".
char const* name(Geometry geometry);

/// The points of the whole problem, a tensor product of two or three axes. The grid is the same on
/// every rank.
///
/// A uniform axis between two physical boundaries includes both end points: spacing = length / (n −
/// 1). A periodic axis has n points at spacing = length / n; its upper end coincides with point 0
/// and is not stored. A 2D grid has one point in z. An axis of one point that is not periodic has
/// no faces, because nothing varies along it.
///
/// A graded axis stores the coordinates of its points. It is never periodic.
///
///     Grid const grid = make_grid(2, {257, 129, 1}, {0, 0, 0}, {2.0, 1.0, 0}, {});
///     double const x = grid.coordinate(0, 128);         // 1.0
///     Grid const finer = with_points(grid, {513, 257, 1});
///     std::int64_t const unknowns = finer.point_count();
struct Grid {
  int dimension = 3;                  ///< 2 or 3
  Extent3 points{1, 1, 1};            ///< points per axis, at least 1
  PerAxis<double> lower{};            ///< coordinate of the first point
  PerAxis<double> spacing{1, 1, 1};   ///< distance of neighbours, > 0; the mean of a graded axis
  PerAxis<bool> periodic{};           ///< true if the first point follows the last one
  PerAxis<AxisCoordinates> graded{};  ///< set by with_coordinates(), which validates them
  /// If x is a radius, that axis is graded, not periodic, and begins at 0 or above.
  Geometry geometry = Geometry::cartesian;

  /// The box of all points, in global indices.
  [[nodiscard]] GlobalBox box() const { return {{0, 0, 0}, points}; }
  [[nodiscard]] std::int64_t point_count() const { return box().point_count(); }
  [[nodiscard]] bool is_graded(int axis) const { return static_cast<bool>(graded[axis]); }
  [[nodiscard]] bool is_graded() const { return is_graded(0) || is_graded(1) || is_graded(2); }
  /// True if the coordinate of an axis is a radius.
  [[nodiscard]] bool is_radial(int axis) const {
    return axis == 0 && geometry != Geometry::cartesian;
  }
  /// Number of gaps between neighbours. A periodic axis has as many gaps as points, since the last
  /// point is a neighbour of the first one.
  [[nodiscard]] std::int64_t intervals(int axis) const {
    return points[axis] - (periodic[axis] ? 0 : 1);
  }
  /// Length of the axis; of a periodic axis its period.
  [[nodiscard]] double length(int axis) const {
    return is_graded(axis) ? upper(axis) - lower[axis]
                           : static_cast<double>(intervals(axis)) * spacing[axis];
  }
  /// Coordinate of the upper end; of a periodic axis the lower end plus one period.
  [[nodiscard]] double upper(int axis) const { return coordinate(axis, intervals(axis)); }
  /// Coordinate of a point.
  /// @param index  of a point; on a uniform axis it may also lie beyond the ends
  [[nodiscard]] double coordinate(int axis, std::int64_t index) const {
    return is_graded(axis) ? graded[axis][index]
                           : lower[axis] + static_cast<double>(index) * spacing[axis];
  }
  /// Wraps an index into 0 … n − 1 if the axis is periodic. On other axes the index is returned
  /// unchanged, even if it lies beyond the grid.
  [[nodiscard]] std::int64_t on_axis(int axis, std::int64_t index) const {
    std::int64_t const n = points[axis];
    return periodic[axis] ? (index % n + n) % n : index;
  }
  /// Distance from point `index` to the next one along an axis.
  [[nodiscard]] double gap(int axis, std::int64_t index) const {
    return is_graded(axis) ? graded[axis][index + 1] - graded[axis][index] : spacing[axis];
  }
  /// Returns the factor by which areas across an axis grow with its coordinate: 2 π r of a
  /// cylinder, 4 π r² of a sphere; 1 if the coordinate is no radius.
  [[nodiscard]] double metric(int axis, double coordinate) const;
  /// Returns the integral of metric() between two coordinates; without radii, their distance.
  [[nodiscard]] double measure(int axis, double from, double to) const;
  /// Returns the measure() of the part of an axis that is closer to a point than to its neighbours.
  /// @param before, behind  the gaps to them, which the caller cuts off at the ends of the axis
  [[nodiscard]] double width_around(int axis, std::int64_t index, double before,
                                    double behind) const;
  /// Returns the length of the gap from point `index` to the next one as it enters conductances,
  /// κ A / length with the area A without metric(). Without radii it is gap().
  ///
  /// The length between two radii is ∫ dr / metric(r). So a steady field without sources, linear in
  /// ln r or in 1/r, has the exact flux. A grid that begins at the axis or the centre has gap()
  /// over the metric in the middle of the gap instead. The field r² of a uniform source, which has
  /// no singularity there, then has the exact flux.
  [[nodiscard]] double conducting_gap(int axis, std::int64_t index) const;
  /// The fractional index of a coordinate: the inverse of coordinate(), linear within each gap.
  /// Beyond the ends of a graded axis the outermost gaps extrapolate.
  [[nodiscard]] double position(int axis, double coordinate) const {
    return is_graded(axis) ? graded_position(axis, coordinate)
                           : (coordinate - lower[axis]) / spacing[axis];
  }
  friend bool operator==(Grid const&, Grid const&) = default;

 private:
  [[nodiscard]] double graded_position(int axis, double coordinate) const;
};

/// Makes a uniform grid of `points` between `lower` and `upper`. In 2D points.z must be 1, and the
/// other arguments for z are ignored.
/// @throws InputError  if the dimension is neither 2 nor 3; if an axis has too few points (at least
///   2 on a physical, 1 on a periodic axis) or no length; if coordinates of neighbours would
///   coincide; or if there are more than 2^60 points in all (so that offsets of 8-byte values fit
///   in 64 bits)
Grid make_grid(int dimension, Extent3 points, PerAxis<double> lower, PerAxis<double> upper,
               PerAxis<bool> periodic);

/// Returns `grid` with a graded axis whose points lie at the given coordinates. Their number
/// becomes the number of points of that axis.
/// @throws InputError  if there are fewer than two coordinates; if they are not finite or do not
///   ascend; if the widest gap exceeds max_gap_ratio times the narrowest; if the axis is
///   periodic; or if the grid would have more than 2^60 points
Grid with_coordinates(Grid const& grid, int axis, std::vector<double> coordinates);
/// Largest allowed ratio of the widest to the narrowest gap of an axis. Coefficients that combine
/// gaps of very different widths would keep few significant digits.
inline constexpr double max_gap_ratio = 1e6;

/// Returns the points of `grid` inside `box` as a grid of their own. An axis remains periodic only
/// if the box contains all its points. If the box contains one point of a graded axis, that axis
/// becomes uniform.
Grid part_of(Grid const& grid, GlobalBox const& box);

/// Returns the smallest distance of two neighbours on an axis; on a uniform axis the spacing.
double narrowest_gap(Grid const& grid, int axis);

/// Returns the coordinates of all points of an axis, which may be uniform or graded.
std::vector<double> coordinates_of(Grid const& grid, int axis);

/// Returns a finer or coarser grid over the same box. A graded axis keeps its grading. If n gaps
/// become m, each new gap spans n / m old ones, with linear interpolation inside a gap.
/// @throws InputError  if an axis of one point would get more points; if an axis of several points
///   would get one only; or if there are more points than any memory holds
Grid with_points(Grid const& grid, Extent3 points);

/// Returns the number of axes that users see: the dimension, or 1 for a grid whose y axis is
/// periodic and has one point, so nothing varies along it.
int axis_count(Grid const& grid);

/// Returns the faces that a grid has, in the order of Face::index(): four in 2D, six in 3D. Axes of
/// one point that are not periodic have none.
std::vector<Face> faces(Grid const& grid);
/// Returns all 2 · dimension faces, in the order of Face::index().
std::vector<Face> faces(int dimension);

/// Whether an interval of coordinates includes its upper end.
enum class UpperEnd { excluded, included };

/// Returns the box of points with lower <= coordinate < upper; if `end` is UpperEnd::included,
/// coordinate <= upper. The comparisons tolerate 10⁻⁹ of a gap, because the coordinates may be
/// computed. In z of a 2D grid the limits are ignored. The box is empty if no point satisfies them.
///
///     // The points of the plane z = 0.5 of a 3D grid over the unit cube:
///     points_between(grid, {0.0, 0.0, 0.5}, {1.0, 1.0, 0.5}, UpperEnd::included);
GlobalBox points_between(Grid const& grid, PerAxis<double> const& lower,
                         PerAxis<double> const& upper, UpperEnd end);

}  // namespace isotherm
