#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "decomposition/grid/grid.hpp"

namespace isotherm::layout {

// Names in a snapshot file; docs/formats.md says what they hold.
inline constexpr char const* vtk_group = "VTKHDF";
inline constexpr char const* own_group = "isotherm";
inline constexpr char const* block_points = "block_points";
inline constexpr char const* block_checksums = "block_checksums";
inline constexpr std::array<char const*, 3> axis_names{"x", "y", "z"};  ///< of datasets in the root
/// Datasets in the root: coordinates of all values of a file.
inline constexpr char const* time = "time";
inline constexpr char const* iteration = "iteration";
inline constexpr char const* description_checksum = "description_checksum";
/// Goes up where an older isotherm would misread a file: fields of vectors came with this one.
inline constexpr std::int64_t format = 3;
inline constexpr std::int64_t format_with_graded_axes = 2;
/// Of files that hold nothing that newer ones brought.
inline constexpr std::int64_t first_format = 1;
inline constexpr char const* vectors = "vectors";      ///< an attribute: the names of such fields
inline constexpr char const* component = "component";  ///< their axis, a dataset in the root
inline constexpr char const* graded = "graded";
inline constexpr char const* coordinates = "coordinates";  ///< a group

/// More than any file has fields.
inline constexpr std::uint64_t most_fields = 1000;

inline char const* role(bool is_checkpoint) { return is_checkpoint ? "checkpoint" : "snapshot"; }

/// A grid as VTK sees it: an image whose points or whose cells carry the values; where an axis is
/// graded, a rectilinear grid in its place.
///
/// VTK's readers refuse images without thickness, so where an axis has one point (2D grids, plane
/// cuts) every point is the centre of a cell, and the image is one cell thick there.
struct VtkImage {
  bool cells = false;        ///< true: values belong to cells
  Extent3 nodes{};           ///< points of the image; one more an axis than cells
  PerAxis<double> origin{};  ///< of the first node
  PerAxis<double> spacing{};
};
/// Datasets of the coordinates of its nodes, where an axis is graded.
inline constexpr std::array<char const*, 3> vtk_axis_names{"XCoordinates", "YCoordinates",
                                                           "ZCoordinates"};
/// The coordinates of its nodes along an axis. Cells end half-way between the grid's points, the
/// outermost ones as far beyond them.
std::vector<double> vtk_nodes(Grid const& grid, int axis);
VtkImage vtk_image(Grid const& grid);

/// The group of the values in /VTKHDF.
inline char const* data_group(VtkImage const& image) {
  return image.cells ? "CellData" : "PointData";
}
/// Whether a text can name a field: letters, digits and _ only, since names become parts of paths
/// and of XML; at most 255.
bool is_field_name(std::string_view name);

/// Names with a space between two.
std::string in_one_text(std::vector<std::string> const& names);
/// The inverse.
std::vector<std::string> names_in(std::string const& text);

/// What the coordinates of the points take in a file.
inline std::int64_t axes_bytes(Extent3 points) {
  return static_cast<std::int64_t>(sizeof(double)) * (points.x + points.y + points.z);
}

/// The path of the group of the values: "/VTKHDF/PointData".
std::string group_path(Grid const& grid);
/// The path of a field's dataset: "/VTKHDF/PointData/u".
std::string dataset_path(Grid const& grid, std::string const& field);

}  // namespace isotherm::layout
