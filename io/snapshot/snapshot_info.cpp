#include "io/snapshot/snapshot_info.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "io/snapshot/checks/block_checksums.hpp"
#include "io/snapshot/datasets/stored_field.hpp"
#include "io/snapshot/layout.hpp"
#include "io/snapshot/reading.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

/// Upper bounds on sizes that a file claims, larger than any file that isotherm writes. Parsing
/// JSON needs approximately sixty times the memory of its text.
constexpr std::size_t max_case_bytes = 64 << 20;
constexpr std::size_t max_fingerprint_bytes = 1 << 20;
constexpr std::size_t max_state_bytes = 1 << 20;
/// Upper bound on the bytes of all attributes of a file.
constexpr std::uint64_t max_attribute_bytes = 1 << 20;
/// Upper bound on the number of points, as in make_grid(): byte offsets of the values fit into 64
/// bits.
constexpr std::int64_t max_points = std::int64_t{1} << 60;

/// Opens the group /isotherm after checking the size of its attributes and the version of the
/// format.
hdf5::Group open_own_group(hdf5::File const& file, std::filesystem::path const& path) {
  if (!has_link(file.get(), layout::own_group)) {
    throw InputError(
        fmt::format("{} is an HDF5 file, but not one that isotherm wrote (it has no group /{})",
                    path.string(), layout::own_group));
  }
  hdf5::Group group = open_group(file.get(), layout::own_group);
  std::uint64_t const bytes = hdf5::attribute_bytes(group.get());
  require(bytes <= max_attribute_bytes,
          fmt::format("its attributes have {} bytes (at most {})", bytes, max_attribute_bytes));
  auto const format = hdf5::read_attribute<std::int64_t>(group.get(), "format");
  // The file is not damaged, so the message must not claim that.
  if (format > layout::format) {
    throw InputError(
        fmt::format("{} was written by a newer isotherm (format {}; this one reads {})",
                    path.string(), format, layout::format));
  }
  require(format >= 1, fmt::format("its format is {} (the first was 1)", format));
  return group;
}

/// Reads three finite numbers, one for each axis.
PerAxis<double> read_axes(hid_t group, char const* name) {
  auto const values = hdf5::read_attribute<double>(group, name, 3);
  for (double const value : values) {
    require(std::isfinite(value), fmt::format("its {} is {} (needs finite numbers)", name, value));
  }
  return {values[0], values[1], values[2]};
}

/// Reads the spacing, which must be positive.
PerAxis<double> read_spacing(hid_t group) {
  auto const spacing = read_axes(group, "spacing");
  for (double const distance : spacing) {
    require(distance > 0.0, fmt::format("its spacing is {} (needs to be above 0)", distance));
  }
  return spacing;
}

/// Converts 0 or 1 to a bool. Other numbers mean that the file is damaged.
bool read_flag(std::int64_t value, char const* name) {
  require(value == 0 || value == 1, fmt::format("its {} is {} (0 or 1)", name, value));
  return value == 1;
}

int read_dimension(hid_t group) {
  auto const dimension = hdf5::read_attribute<std::int64_t>(group, "dimension");
  require(dimension == 2 || dimension == 3, fmt::format("its dimension is {} (2 or 3)", dimension));
  return static_cast<int>(dimension);
}

/// Reads the number of points along each axis.
Extent3 read_points(hid_t group, int dimension) {
  auto const points = hdf5::read_attribute<std::int64_t>(group, "points", 3);
  std::int64_t room = max_points;  // divided by the counts, since their product may overflow
  for (std::int64_t const count : points) {
    require(count >= 1, fmt::format("it has {} points on an axis (at least 1)", count));
    room /= count;
  }
  require(room > 0, fmt::format("its {} x {} x {} points exceed the largest possible grid",
                                points[0], points[1], points[2]));
  require(dimension == 3 || points[2] == 1,
          fmt::format("it is 2D, but has {} points along z (must be 1)", points[2]));
  return {points[0], points[1], points[2]};
}

/// Reads the coordinates of graded axes. Nothing else in the description determines them.
Grid read_coordinates(hid_t group, Grid const& grid, std::uint64_t file_bytes) {
  auto const graded = hdf5::read_attribute<std::int64_t>(group, layout::graded, 3);
  hdf5::Group const lists = open_group(group, layout::coordinates);
  Grid found = grid;
  for (int axis = 0; axis < 3; ++axis) {
    auto const number = static_cast<std::size_t>(axis);
    if (!read_flag(graded[number], layout::graded)) continue;
    char const* const name = layout::axis_names[number];
    auto const count = static_cast<std::uint64_t>(grid.points[axis]);
    // A file cannot contain more numbers than its bytes can be inflated to. So no memory is
    // allocated for a length that is merely claimed.
    require(count <= file_bytes * hdf5::max_deflated / sizeof(double),
            fmt::format("its {} bytes are too few for {} coordinates", file_bytes, count));
    try {
      found = with_coordinates(
          found, axis, hdf5::read_numbers<double>(open_dataset(lists.get(), name), name, count));
    } catch (InputError const& fault) {
      throw Error(fault.what());
    }
  }
  // with_coordinates() derives lower and spacing from the coordinates. They must agree with the
  // attributes.
  require(found.lower == grid.lower && found.spacing == grid.spacing,
          "its coordinates do not match its lower and spacing");
  return found;
}

/// Reads the geometry of a grid, and checks that x may be a radius.
Geometry read_geometry(hid_t group, Grid const& grid) {
  std::string const found = hdf5::read_text_attribute(group, layout::geometry);
  for (Geometry const geometry : {Geometry::axisymmetric, Geometry::spherical}) {
    if (found != name(geometry)) continue;
    require(grid.dimension == 2 && grid.is_graded(0) && grid.lower[0] >= 0.0,
            "its x axis cannot be a radius");
    return geometry;
  }
  throw InputError(fmt::format("its geometry is \"{:.80}\"", found));
}

/// Reads the grid of the values.
Grid read_grid(hid_t group, std::int64_t format, std::uint64_t file_bytes) {
  Grid grid;
  grid.dimension = read_dimension(group);
  grid.points = read_points(group, grid.dimension);
  auto const periodic = hdf5::read_attribute<std::int64_t>(group, "periodic", 3);
  std::transform(periodic.begin(), periodic.end(), grid.periodic.begin(),
                 [](std::int64_t value) { return read_flag(value, "periodic"); });
  grid.lower = read_axes(group, "lower");
  grid.spacing = read_spacing(group);
  // In format 2 some axis is always graded; from format 3 on the attribute is decisive.
  bool const graded = format == layout::format_with_graded_axes ||
                      (format > layout::format_with_graded_axes &&
                       hdf5::check(H5Aexists(group, layout::graded)) > 0);
  if (!graded) return grid;
  grid = read_coordinates(group, grid, file_bytes);
  if (hdf5::check(H5Aexists(group, layout::geometry)) > 0)
    grid.geometry = read_geometry(group, grid);
  return grid;
}

std::string read_field_name(hid_t group) {
  std::string field = hdf5::read_text_attribute(group, "field");
  require(layout::is_field_name(field),
          fmt::format("\"{:.80}\" cannot name a field (letters, digits and _ only)", field));
  return field;
}

std::int64_t read_iteration(hid_t group) {
  auto const iteration = hdf5::read_attribute<std::int64_t>(group, "iteration");
  require(iteration >= 0, fmt::format("its iteration is {} (at least 0)", iteration));
  return iteration;
}

double read_time(hid_t group) {
  auto const time_s = hdf5::read_attribute<double>(group, "time");
  require(std::isfinite(time_s), fmt::format("its time is {} (needs a finite number)", time_s));
  return time_s;
}

bool read_is_checkpoint(hid_t group) {
  std::string const role = hdf5::read_text_attribute(group, "role");
  require(role == "checkpoint" || role == "snapshot",
          fmt::format("its role is \"{:.80}\" (checkpoint or snapshot)", role));
  return role == "checkpoint";
}

/// Reads a text dataset of at most `max_bytes` bytes.
std::string read_text(hid_t group, char const* name, std::size_t max_bytes) {
  return hdf5::read_text(open_dataset(group, name), name, max_bytes);
}

/// Reads all entries of /isotherm except the checksums of the blocks.
void read_own_group(hid_t group, SnapshotInfo& info, std::uint64_t file_bytes) {
  info.format = hdf5::read_attribute<std::int64_t>(group, "format");
  info.field = read_field_name(group);
  info.grid = read_grid(group, info.format, file_bytes);
  info.iteration = read_iteration(group);
  info.time_s = read_time(group);
  info.is_checkpoint = read_is_checkpoint(group);
  info.can_resume =
      read_flag(hdf5::read_attribute<std::int64_t>(group, "can_resume"), "can_resume");
  info.reason_not_resumable = hdf5::read_text_attribute(group, "reason");
  info.version = hdf5::read_text_attribute(group, "version");
  info.checksum = hdf5::read_attribute<std::uint64_t>(group, "checksum");
  info.case_text = read_text(group, "case", max_case_bytes);
  info.fingerprint = read_text(group, "fingerprint", max_fingerprint_bytes);
  info.state = read_text(group, "state", max_state_bytes);
}

/// Returns the type of the values. Checks that the file is large enough for as many values as the
/// grid has points.
Precision read_stored_type(hdf5::Group const& values, SnapshotInfo const& info,
                           std::uint64_t file_bytes) {
  FieldStorage const storage = check_field(open_dataset(values.get(), info.field), info.grid);
  require(storage.min_stored_bytes <= file_bytes,
          fmt::format("its {} bytes are too few for the values of {} points", file_bytes,
                      to_text(info.grid.points)));
  return storage.type;
}

/// Returns the names of the vector fields, which files list from format 3 on. All of them must
/// exist.
std::vector<std::string> read_vector_fields(hid_t own, hdf5::Group const& values,
                                            SnapshotInfo const& info) {
  if (info.format < layout::format) return {};
  auto names = layout::names_in(hdf5::read_text_attribute(own, layout::vectors));
  for (std::string const& name : names) {
    require(layout::is_field_name(name) && name != info.field && has_link(values.get(), name),
            fmt::format("the field \"{:.80}\" is missing", name));
  }
  require(!names.empty() && std::ranges::is_sorted(names) &&
              std::ranges::adjacent_find(names) == names.end(),
          "the names of its vector fields are not sorted and unique");
  return names;
}

/// Returns the names of further scalar fields. Links that cannot be fields of isotherm, by their
/// names or because they lead out of the file, are ignored: nothing depends on them.
std::vector<std::string> read_extra_fields(hdf5::Group const& values, SnapshotInfo const& info) {
  std::vector<std::string> names;
  for (std::string const& name : hdf5::link_names(values, layout::max_fields)) {
    H5L_info_t link{};
    if (name != info.field && std::ranges::count(info.vector_fields, name) == 0 &&
        layout::is_field_name(name) &&
        H5Lget_info(values.get(), name.c_str(), &link, H5P_DEFAULT) >= 0 &&
        link.type == H5L_TYPE_HARD) {
      names.push_back(name);
    }
  }
  return names;
}

/// Compares the checksum of everything that was read, including the checksums of the blocks.
void check_description(hid_t own, SnapshotInfo const& info, std::uint64_t file_bytes) {
  BlockChecksums const blocks = read_block_checksums(own, info.grid.points, file_bytes);
  auto const sum = hdf5::read_attribute<std::uint64_t>(own, layout::description_checksum);
  require(sum == description_checksum(info, blocks), "its checksum is wrong");
  // A field with checksums must exist: a lost dataset would not change description_checksum.
  for (auto const& [field, sums] : blocks.of_field) {
    bool const is_there = field == info.field || std::ranges::count(info.extra_fields, field) > 0 ||
                          std::ranges::count(info.vector_fields, field) > 0;
    require(is_there, fmt::format("the field \"{}\" is missing", field));
  }
  require(blocks.of_field.contains(info.field),
          fmt::format("the checksums of \"{}\" are missing", info.field));
}

}  // namespace

bool is_snapshot(std::filesystem::path const& path) {
  return reading(path, "",
                 [&] { return has_link(open_for_reading(path).get(), layout::own_group); });
}

std::string dataset_of(SnapshotInfo const& info, std::string const& field) {
  return layout::dataset_path(info.grid, field);
}

// The order matters: each step bounds the sizes that the next one relies on.
SnapshotInfo read_snapshot_info(std::filesystem::path const& path) {
  return reading(path, in_description, [&] {
    hdf5::File const file = open_for_reading(path);
    hdf5::Group const group = open_own_group(file, path);
    SnapshotInfo info;
    std::uint64_t const file_bytes = std::filesystem::file_size(path);
    read_own_group(group.get(), info, file_bytes);
    hdf5::Group const values = open_group(file.get(), layout::group_path(info.grid));
    info.stored_type = read_stored_type(values, info, file_bytes);
    info.vector_fields = read_vector_fields(group.get(), values, info);
    // After the vector fields, which must not be listed twice.
    info.extra_fields = read_extra_fields(values, info);
    info.has_block_checksums = has_block_checksums(group.get());
    if (info.has_block_checksums) check_description(group.get(), info, file_bytes);
    return info;
  });
}

}  // namespace isotherm
