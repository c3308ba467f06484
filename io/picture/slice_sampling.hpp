#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "decomposition/field/point_mask.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// A plane of grid points that is drawn with one axis to the right and one upwards.
struct Slice {
  int right = 0;           ///< axis to the right (0: x, 1: y, 2: z)
  int up = 1;              ///< axis upwards
  int normal = 2;          ///< axis perpendicular to the plane
  std::int64_t index = 0;  ///< of the plane among the points of the normal axis
};

/// Returns the slices of a picture: in 2D the grid itself; in 3D the grid planes nearest to the
/// given coordinates. If none is given, returns the three planes through the middle of `window`:
/// (x, y), (x, z), (y, z). Of a grid that is itself a plane, it returns this plane.
/// @param window  the points that are drawn; nullopt: all
std::vector<Slice> slices_of(Grid const& grid, PerAxis<std::optional<double>> const& planes,
                             std::optional<GlobalBox> const& window = {});

/// The number of the material at a point; see PictureOptions::material.
using MaterialNumber = std::function<int(Index3 global)>;
/// The number of the material at a place between points, by its coordinates.
using PlaceMaterial = std::function<int(PerAxis<double> const& place)>;
/// The conductivities along the axes at a point.
using PointConductivity = std::function<PerAxis<double>(Index3 global)>;

/// What is sampled in addition to the values. Each rank evaluates the functions at its own points;
/// they are empty on all ranks or on none.
struct SampledFunctions {
  MaterialNumber material{};  ///< empty: all points have the same
  /// The root evaluates it between points of different materials. Empty: surfaces are not known.
  PlaceMaterial material_at{};
  int excluded_number = -1;          ///< what `material_at` returns at excluded places
  int pixels = 1440;                 ///< of the longer side, which the surfaces should resolve
  PointConductivity conductivity{};  ///< empty: none is sampled
};

/// The materials in cells between samples of different materials: each such cell is divided into
/// per_cell × per_cell equal parts, whose centres are sampled.
struct SurfaceCells {
  int per_cell = 0;
  std::vector<std::int64_t> cells{};  ///< positions of the lower left samples, in ascending order
  std::vector<int> materials{};       ///< of all parts, cell by cell, row by row
};

/// Values at columns × rows points of a slice, evenly spaced by index, including both ends.
struct SliceSamples {
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  std::vector<double> values{};  ///< row by row, from the lowest coordinate
  /// Positions of columns and rows, from 0 to 1; empty if they are evenly spaced. On a graded axis
  /// they are those of the grid points, which are not.
  std::vector<double> column_places{};
  std::vector<double> row_places{};

  /// The numbers of the samples' materials, and `excluded` for excluded points. Empty: all samples
  /// have the same material.
  std::vector<int> materials{};
  static constexpr int excluded = std::numeric_limits<int>::min();
  SurfaceCells surfaces{};  ///< empty: surfaces lie midway between samples
  /// The conductivities along the axis to the right and the upward axis, at all samples; empty if
  /// they were not sampled.
  std::vector<double> conductivity_right{};
  std::vector<double> conductivity_up{};

  /// Returns the value at a place by bilinear interpolation between the samples that are not
  /// excluded; NaN if the place is, or all samples around it. (0, 0) is the first point, (1, 1) the
  /// last one. If a surface passes between these samples, those of other materials are replaced by
  /// extrapolation from the material of the place, so the field has its kink or jump at the
  /// surface.
  /// @pre  0 <= right <= 1 and 0 <= up <= 1
  [[nodiscard]] double at(double right, double up) const;
  /// The material of a place in a cell of `surfaces`, elsewhere that of the nearest sample; 0 if
  /// all samples have the same.
  [[nodiscard]] int material_at(double right, double up) const;
  /// True if the sample at a position in `values` is excluded.
  [[nodiscard]] bool is_excluded(std::size_t position) const {
    return !materials.empty() && materials[position] == excluded;
  }
  /// The column, and the row, of the sample nearest to a place.
  [[nodiscard]] std::int64_t column_at(double right) const;
  [[nodiscard]] std::int64_t row_at(double up) const;
  /// The position of a sample in `values`.
  [[nodiscard]] std::size_t position(std::int64_t column, std::int64_t row) const {
    return static_cast<std::size_t>(row * columns + column);
  }
  /// The place of a column, and of a row, from 0 to 1.
  [[nodiscard]] double place_of_column(std::int64_t column) const;
  [[nodiscard]] double place_of_row(std::int64_t row) const;

 private:
  /// A corner of a cell between samples.
  struct Corner {
    std::int64_t column, row;                    ///< of the sample
    std::int64_t opposite_column, opposite_row;  ///< of the opposite corner of the cell
  };
  /// What a material's values gain by one step from a sample, by linear extrapolation from the step
  /// before; nullopt if one of its samples is not of the material.
  /// @param right, up  the step: one of them is 0, the other 1 or −1
  [[nodiscard]] std::optional<double> gain(std::int64_t column, std::int64_t row,
                                           std::int64_t right, std::int64_t up, int material) const;
  /// The value of a material at a corner of another one, by linear extrapolation from the samples
  /// of the material next to it; nullopt if there are none.
  [[nodiscard]] std::optional<double> extrapolated(Corner const& corner, int material) const;
  /// The value at a place between samples of several materials.
  /// @param material  of the place
  /// @param weights   of the corners, by bilinear interpolation
  [[nodiscard]] double at_surface(std::array<Corner, 4> const& corners, int material,
                                  std::array<double, 4> const& weights) const;
};

/// Returns the samples of each slice on the root, and an empty list on other ranks. Collective.
///
/// Each rank sends its own samples only, so a picture of any field costs messages of at most limit²
/// values per slice.
/// @param window    the points that are drawn; the slices cross it
/// @param limit     maximum number of samples per axis
/// @param owned     dense values of the owned points, x fastest
/// @param excluded  flags of the owned points; empty on all ranks or on none
template <class Real>
std::vector<SliceSamples> sample(mpi::Communicator const& ranks, Subdomain const& subdomain,
                                 std::vector<Slice> const& slices, GlobalBox const& window,
                                 std::int64_t limit, Real const* owned,
                                 SampledFunctions const& functions = {},
                                 PointMask const& excluded = {});

}  // namespace isotherm
