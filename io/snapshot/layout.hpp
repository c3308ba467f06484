#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "decomposition/grid/grid.hpp"

namespace isotherm::layout {

// Names of groups, datasets and attributes in a snapshot file; docs/reference/formats.md describes
// their contents.

inline constexpr char const* vtk_group = "VTKHDF";
/// The group of everything that isotherm itself reads, except the values.
inline constexpr char const* own_group = "isotherm";
/// In the group /isotherm: the extent of a block, and the tables of block checksums.
inline constexpr char const* block_points = "block_points";
inline constexpr char const* block_checksums = "block_checksums";
inline constexpr std::array<char const*, 3> axis_names{"x", "y", "z"};  ///< datasets in the root
/// Datasets in the root: coordinates that are the same for all values of a file.
inline constexpr char const* time = "time";
inline constexpr char const* iteration = "iteration";
/// An attribute of the group /isotherm.
inline constexpr char const* description_checksum = "description_checksum";
/// The newest format. It is incremented when an older isotherm would misread a file; format 3
/// introduced vector fields.
inline constexpr std::int64_t format = 3;
inline constexpr std::int64_t format_with_graded_axes = 2;  ///< introduced graded axes
/// The format of files that use no later feature.
inline constexpr std::int64_t first_format = 1;
inline constexpr char const* vectors = "vectors";  ///< attribute: the names of the vector fields
inline constexpr char const* component = "component";  ///< axis of vector components, in the root
inline constexpr char const* graded = "graded";        ///< attribute: which axes are graded
inline constexpr char const* geometry = "geometry";    ///< attribute: if x is a radius
inline constexpr char const* coordinates = "coordinates";  ///< group: coordinates of graded axes

/// Upper bound on the number of fields in a file, larger than in any real file.
inline constexpr std::uint64_t max_fields = 1000;

/// Returns the text of the attribute "role".
inline char const* role(bool is_checkpoint) { return is_checkpoint ? "checkpoint" : "snapshot"; }

/// A grid as VTK sees it: an image whose points or cells carry the values. If an axis is graded, a
/// rectilinear grid replaces the image.
///
/// VTK's readers reject images without thickness. So if an axis has one point (2D grids, plane
/// cuts), every grid point is the centre of a cell. The image is one cell thick along that axis.
struct VtkImage {
  bool cells = false;         ///< true: values belong to cells
  Extent3 nodes{};            ///< points of the image; one more than cells along each axis
  PerAxis<double> origin{};   ///< coordinates of the first node
  PerAxis<double> spacing{};  ///< distance of neighbouring nodes
};
/// Names of the datasets of the nodes' coordinates, if an axis is graded.
inline constexpr std::array<char const*, 3> vtk_axis_names{"XCoordinates", "YCoordinates",
                                                           "ZCoordinates"};
/// Returns the coordinates of the nodes along an axis. If values belong to cells, cell faces lie
/// half-way between grid points. The outermost faces lie as far beyond the end points as the faces
/// next to them lie before.
std::vector<double> vtk_nodes(Grid const& grid, int axis);
/// Returns the image that represents a grid.
VtkImage vtk_image(Grid const& grid);

/// Returns the name of the group within /VTKHDF that holds the values.
inline char const* data_group(VtkImage const& image) {
  return image.cells ? "CellData" : "PointData";
}
/// Returns true if a text can name a field. Names consist of letters, digits and _, since they
/// become parts of paths and of XML. They have at most 255 bytes.
bool is_field_name(std::string_view name);

/// Joins names, with a space between two.
std::string in_one_text(std::vector<std::string> const& names);
/// Splits such a text into names; the inverse of in_one_text().
std::vector<std::string> names_in(std::string const& text);

/// Returns the bytes that the coordinates of the points need in a file.
inline std::int64_t axes_bytes(Extent3 points) {
  return static_cast<std::int64_t>(sizeof(double)) * (points.x + points.y + points.z);
}

/// Returns the path of the group of the values: "/VTKHDF/PointData".
std::string group_path(Grid const& grid);
/// Returns the path of a field's dataset: "/VTKHDF/PointData/u".
std::string dataset_path(Grid const& grid, std::string const& field);

}  // namespace isotherm::layout
