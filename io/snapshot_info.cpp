#include <algorithm>
#include <fmt/format.h>

#include "io/layout.hpp"
#include "io/reading.hpp"
#include "io/snapshot.hpp"

namespace isotherm {
namespace {

hdf5::Group open_own_group(hdf5::File const& file, std::filesystem::path const& path) {
  if (H5Lexists(file.get(), layout::own_group, H5P_DEFAULT) <= 0) {
    throw InputError(
        fmt::format("{} is an HDF5 file, but not one that isotherm wrote (no group /{})",
                    path.string(), layout::own_group));
  }
  hdf5::Group group(hdf5::check(H5Gopen2(file.get(), layout::own_group, H5P_DEFAULT)));
  auto const format = hdf5::read_attribute<std::int64_t>(group.get(), "format");
  if (format > layout::format) {
    throw InputError(
        fmt::format("{} was written by a newer isotherm (format {}; this one reads {})",
                    path.string(), format, layout::format));
  }
  return group;
}

std::array<double, 3> read_axes(hid_t group, char const* name) {
  auto const values = hdf5::read_attribute<double>(group, name, 3);
  return {values[0], values[1], values[2]};
}

Grid read_grid(hid_t group) {
  Grid grid;
  grid.dimension = static_cast<int>(hdf5::read_attribute<std::int64_t>(group, "dimension"));
  auto const points = hdf5::read_attribute<std::int64_t>(group, "points", 3);
  auto const periodic = hdf5::read_attribute<std::int64_t>(group, "periodic", 3);
  grid.points = {points[0], points[1], points[2]};
  grid.periodic = {periodic[0] != 0, periodic[1] != 0, periodic[2] != 0};
  grid.lower = read_axes(group, "lower");
  grid.spacing = read_axes(group, "spacing");
  return grid;
}

void read_own_group(hid_t group, SnapshotInfo& info) {
  info.field = hdf5::read_text_attribute(group, "field");
  info.grid = read_grid(group);
  info.iteration = hdf5::read_attribute<std::int64_t>(group, "iteration");
  info.time_s = hdf5::read_attribute<double>(group, "time");
  info.is_checkpoint = hdf5::read_text_attribute(group, "role") == "checkpoint";
  info.can_resume = hdf5::read_attribute<std::int64_t>(group, "can_resume") != 0;
  info.reason_not_resumable = hdf5::read_text_attribute(group, "reason");
  info.version = hdf5::read_text_attribute(group, "version");
  info.checksum = hdf5::read_attribute<std::uint64_t>(group, "checksum");
  info.case_text = hdf5::read_text(group, "case");
  info.fingerprint = hdf5::read_text(group, "fingerprint");
  info.state = hdf5::read_text(group, "state");
}

/// The type of the values, after making sure that there are as many as the grid has points.
NumberType read_stored_type(hdf5::File const& file, SnapshotInfo const& info) {
  std::string const path = layout::dataset_path(info.grid, info.field);
  hdf5::Dataset const dataset(hdf5::check(H5Dopen2(file.get(), path.c_str(), H5P_DEFAULT)));
  hdf5::Dataspace const space(hdf5::check(H5Dget_space(dataset.get())));
  std::array<hsize_t, 3> size{};
  require(H5Sget_simple_extent_ndims(space.get()) == 3,
          fmt::format("HDF5: {} has not 3 axes", path));
  hdf5::check(H5Sget_simple_extent_dims(space.get(), size.data(), nullptr));
  require(hdf5::from_zyx(size) == info.grid.points,
          fmt::format("HDF5: {} holds {} points and should hold {}", path,
                      to_text(hdf5::from_zyx(size)), to_text(info.grid.points)));
  hdf5::Datatype const type(hdf5::check(H5Dget_type(dataset.get())));
  return H5Tget_size(type.get()) == sizeof(float) ? NumberType::float32 : NumberType::float64;
}

std::vector<std::string> names_in(hid_t group) {
  H5G_info_t content{};
  hdf5::check(H5Gget_info(group, &content));
  std::vector<std::string> names;
  for (hsize_t i = 0; i < content.nlinks; ++i) {
    auto const length = hdf5::check(
        H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, nullptr, 0, H5P_DEFAULT));
    std::string name(static_cast<std::size_t>(length), '\0');
    hdf5::check(H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name.data(),
                                   name.size() + 1, H5P_DEFAULT));
    names.push_back(name);
  }
  return names;
}

std::vector<std::string> read_extra_fields(hdf5::File const& file, SnapshotInfo const& info) {
  std::filesystem::path const group =
      std::filesystem::path(layout::dataset_path(info.grid, info.field)).parent_path();
  hdf5::Group const values(hdf5::check(H5Gopen2(file.get(), group.c_str(), H5P_DEFAULT)));
  std::vector<std::string> names = names_in(values.get());
  names.erase(std::remove(names.begin(), names.end(), info.field), names.end());
  return names;
}

}  // namespace

SnapshotInfo read_snapshot_info(std::filesystem::path const& path) {
  return reading(path, [&] {
    hdf5::File const file = open_for_reading(path);
    hdf5::Group const group = open_own_group(file, path);
    SnapshotInfo info;
    read_own_group(group.get(), info);
    info.stored_type = read_stored_type(file, info);
    info.extra_fields = read_extra_fields(file, info);
    return info;
  });
}

}  // namespace isotherm
