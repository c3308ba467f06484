#include "io/snapshot/series/series.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/files/atomic_file.hpp"
#include "io/files/xml_text.hpp"
#include "io/snapshot/datasets/components.hpp"
#include "io/snapshot/layout.hpp"

namespace isotherm {
namespace {

/// Returns the position of a file in a series: its iteration if the problem is steady, else its
/// time.
double time_of(SnapshotInfo const& info, bool steady) {
  return steady ? static_cast<double>(info.iteration) : info.time_s;
}

/// Formats three values in XDMF's order, z y x.
template <class Values>
std::string zyx(Values const& xyz) {
  return fmt::format("{} {} {}", xyz[2], xyz[1], xyz[0]);
}

/// Returns the XDMF element of one field, which refers to a dataset in the snapshot file.
std::string attribute(SnapshotFile const& file, std::string const& field, bool is_vector = false) {
  // XDMF's Dimensions are slowest first, as HDF5's are. Vectors have one more, of length 3.
  std::string const shape = zyx(file.info.grid.points);
  return fmt::format(
      R"(        <Attribute Name="{0}" AttributeType="{5}" Center="Node">
          <DataItem Dimensions="{1}" NumberType="Float" Precision="{2}" Format="HDF">{3}:{4}</DataItem>
        </Attribute>
)",
      field, is_vector ? fmt::format("{} {}", shape, vector_components) : shape,
      file.info.stored_type == Precision::float32 ? 4 : 8, xml_text(file.path.filename().string()),
      layout::dataset_path(file.info.grid, field), is_vector ? "Vector" : "Scalar");
}

/// Returns the XDMF elements of a uniform grid.
std::string even_points(Grid const& grid) {
  return fmt::format(
      R"(        <Topology TopologyType="3DCoRectMesh" Dimensions="{}"/>
        <Geometry GeometryType="ORIGIN_DXDYDZ">
          <DataItem Dimensions="3" NumberType="Float" Precision="8" Format="XML">{}</DataItem>
          <DataItem Dimensions="3" NumberType="Float" Precision="8" Format="XML">{}</DataItem>
        </Geometry>
)",
      zyx(grid.points), zyx(grid.lower), zyx(grid.spacing));
}

/// Returns the XDMF elements of a graded grid, with the coordinates that every such file has in its
/// root. The order of the axes is x y z here.
std::string graded_points(SnapshotFile const& file) {
  Grid const& grid = file.info.grid;
  std::string text = fmt::format(
      R"(        <Topology TopologyType="3DRectMesh" Dimensions="{}"/>
        <Geometry GeometryType="VXVYVZ">
)",
      zyx(grid.points));
  for (int axis = 0; axis < 3; ++axis) {
    text += fmt::format(
        R"(          <DataItem Dimensions="{}" NumberType="Float" Precision="8" Format="HDF">{}:/{}</DataItem>
)",
        grid.points[axis], xml_text(file.path.filename().string()),
        layout::axis_names[static_cast<std::size_t>(axis)]);
  }
  return text + "        </Geometry>\n";
}

/// Returns the XDMF element of one file. Values belong to the grid's points. Planes have no
/// thickness, which readers of XDMF accept, unlike those of .vtkhdf files. Cells would be worse:
/// filters such as contours work only on values at points.
std::string one_grid(SnapshotFile const& file, bool steady) {
  std::string text =
      fmt::format("      <Grid Name=\"{}\" GridType=\"Uniform\">\n        <Time Value=\"{}\"/>\n",
                  file.info.field, time_of(file.info, steady));
  // Geometry first, then one element for each field.
  text += file.info.grid.is_graded() ? graded_points(file) : even_points(file.info.grid);
  text += attribute(file, file.info.field);
  for (std::string const& extra : file.info.extra_fields) {
    text += attribute(file, extra);
  }
  for (std::string const& vectors : file.info.vector_fields) {
    text += attribute(file, vectors, true);
  }
  return text + "      </Grid>\n";
}

/// Returns the text of FIELD.xmf: a temporal collection of grids.
std::string xdmf(std::string const& field, std::vector<SnapshotFile> const& files, bool steady) {
  std::string grids;
  for (SnapshotFile const& file : files) {
    grids += one_grid(file, steady);
  }
  return fmt::format(R"(<?xml version="1.0" ?>
<Xdmf Version="3.0">
  <Domain>
    <Grid Name="{}" GridType="Collection" CollectionType="Temporal">
{}    </Grid>
  </Domain>
</Xdmf>
)",
                     field, grids);
}

/// Returns the text of FIELD.vtkhdf.series: the list of files and times in JSON that ParaView
/// reads.
std::string file_series(std::vector<SnapshotFile> const& files, bool steady) {
  nlohmann::ordered_json series;
  series["file-series-version"] = "1.0";
  series["files"] = nlohmann::ordered_json::array();
  for (SnapshotFile const& file : files) {
    series["files"].push_back(
        {{"name", file.path.filename().string()}, {"time", time_of(file.info, steady)}});
  }
  // File names need not be UTF-8; invalid bytes are replaced.
  return series.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

/// Returns the file that determines which files a series shows: the last snapshot, or the last file
/// if there are only checkpoints.
SnapshotInfo const& kind_of(std::vector<SnapshotFile> const& files) {
  auto const last = std::find_if(files.rbegin(), files.rend(),
                                 [](SnapshotFile const& file) { return !file.info.is_checkpoint; });
  return last == files.rend() ? files.back().info : last->info;
}

/// Returns the files that a series names, sorted by time. Files that no longer exist, or are of
/// another kind, are omitted: ParaView reports an error for missing files and displays mixed kinds
/// incorrectly.
std::vector<SnapshotFile> to_show(std::vector<SnapshotFile> files, bool steady) {
  std::erase_if(files,
                [](SnapshotFile const& file) { return !std::filesystem::exists(file.path); });
  if (files.empty()) return files;
  // A copy: the erasure below would invalidate a reference into the list.
  SnapshotInfo const kind = kind_of(files);
  std::erase_if(files, [&](SnapshotFile const& file) { return !same_kind(file.info, kind); });
  auto const time = [&](SnapshotFile const& file) { return time_of(file.info, steady); };
  // Reversal makes the last file of each time the first one, which std::unique keeps.
  std::reverse(files.begin(), files.end());
  std::ranges::stable_sort(files, {}, time);
  auto const same_time = [&](SnapshotFile const& a, SnapshotFile const& b) {
    return time(a) == time(b);
  };
  files.erase(std::unique(files.begin(), files.end(), same_time), files.end());
  return files;
}

}  // namespace

bool same_kind(SnapshotInfo const& a, SnapshotInfo const& b) {
  return a.stored_type == b.stored_type && a.grid.points == b.grid.points &&
         a.grid.lower.values == b.grid.lower.values &&
         a.grid.spacing.values == b.grid.spacing.values && a.grid.graded == b.grid.graded &&
         a.extra_fields == b.extra_fields && a.vector_fields == b.vector_fields;
}

void write_series(std::filesystem::path const& directory, std::string const& field,
                  std::vector<SnapshotFile> const& files, bool steady,
                  MayReplace const& may_replace) {
  // ParaView reads either file; FIELD.xmf also serves versions without a reader for VTK HDF.
  auto const write = [&](std::string const& name, std::vector<SnapshotFile> const& shown) {
    write_file_atomically(directory / (name + ".xmf"), xdmf(field, shown, steady), may_replace);
    write_file_atomically(directory / (name + ".vtkhdf.series"), file_series(shown, steady),
                          may_replace);
  };
  std::vector<SnapshotFile> snapshots = files;
  std::erase_if(snapshots, [](SnapshotFile const& file) { return file.info.is_checkpoint; });
  std::string const name = name_of_snapshots(field);
  // If no snapshot remains, an older series file must not name removed files any more.
  bool const is_there = std::filesystem::exists(directory / (name + ".xmf"));
  if (!snapshots.empty() || is_there) write(name, to_show(std::move(snapshots), steady));
  write(field, to_show(files, steady));
}

std::string name_of_snapshots(std::string const& field) { return field + "_snapshots"; }

}  // namespace isotherm
