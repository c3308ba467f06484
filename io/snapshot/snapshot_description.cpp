#include "io/snapshot/snapshot_description.hpp"

#include <utility>

#include "io/snapshot/chunks/chunk_grid.hpp"
#include "io/snapshot/datasets/axes.hpp"
#include "io/snapshot/layout.hpp"

namespace isotherm {
namespace {

/// Creates a group without time stamps, so equal contents give equal bytes.
hdf5::Group create_group(hid_t parent, char const* name) {
  hdf5::PropertyList const creation = hdf5::creation_without_times(H5P_GROUP_CREATE);
  return hdf5::Group(
      hdf5::check(H5Gcreate2(parent, name, H5P_DEFAULT, creation.get(), H5P_DEFAULT)));
}

/// Return the three numbers in the order x, y, z, as attributes store them.
std::vector<std::int64_t> axes(Index3 xyz) { return {xyz.x, xyz.y, xyz.z}; }
std::vector<double> axes(PerAxis<double> const& xyz) { return {xyz.begin(), xyz.end()}; }

/// Writes the grid as attributes. "graded" exists only if an axis is graded, so files of uniform
/// grids keep format 1.
void write_grid(hid_t group, Grid const& grid) {
  hdf5::write_attribute(group, "dimension", std::int64_t{grid.dimension});
  hdf5::write_attribute(group, "points", axes(grid.points));
  hdf5::write_attribute(group, "lower", axes(grid.lower));
  hdf5::write_attribute(group, "spacing", axes(grid.spacing));
  hdf5::write_attribute(group, "periodic",
                        std::vector<std::int64_t>{grid.periodic.begin(), grid.periodic.end()});
  if (!grid.is_graded()) return;
  if (grid.geometry != Geometry::cartesian && grid.is_graded(0)) {
    hdf5::write_attribute(group, layout::geometry, std::string(name(grid.geometry)));
  }
  hdf5::write_attribute(
      group, layout::graded,
      std::vector<std::int64_t>{grid.is_graded(0), grid.is_graded(1), grid.is_graded(2)});
}

/// Writes one text without filters: netCDF opens no text that passed through a filter. The checksum
/// of the description protects the text.
void write_text(hid_t parent, char const* name, std::string const& text) {
  hsize_t const one = 1;
  hdf5::Datatype const type = hdf5::text_type(text.size());
  hdf5::Dataspace const space(hdf5::check(H5Screate_simple(1, &one, nullptr)));
  hdf5::Dataset dataset(hdf5::check(H5Dcreate2(parent, name, type.get(), space.get(), H5P_DEFAULT,
                                               hdf5::FileImage::contiguous().get(), H5P_DEFAULT)));
  hdf5::check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()));
  hdf5::close(dataset);
}

/// Writes a one-dimensional float64 dataset without chunks.
void write_numbers(hid_t parent, char const* name, std::vector<double> const& values) {
  hsize_t const count = values.size();
  hdf5::Dataspace const space(hdf5::check(H5Screate_simple(1, &count, nullptr)));
  hdf5::Dataset dataset(
      hdf5::check(H5Dcreate2(parent, name, hdf5::file_type<double>(), space.get(), H5P_DEFAULT,
                             hdf5::FileImage::contiguous().get(), H5P_DEFAULT)));
  hdf5::check(H5Dwrite(dataset.get(), hdf5::memory_type<double>(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                       values.data()));
  hdf5::close(dataset);
}

/// Returns the shape of a dataset, slowest axis first: (z, y, x), of vectors (z, y, x, 3).
std::vector<hsize_t> shape_in_file(Extent3 points, int components) {
  auto const zyx = hdf5::to_zyx(points);
  std::vector<hsize_t> shape(zyx.begin(), zyx.end());
  if (components > scalar_components) shape.push_back(static_cast<hsize_t>(components));
  return shape;
}

/// Returns the creation properties of a compressed dataset: the filters of pack_chunk(), in its
/// order. The chunks are packed by pack_chunk(), not by HDF5; readers undo the filters that are
/// listed here.
hdf5::PropertyList compressed(Extent3 chunk_points, int deflate_level, int components) {
  hdf5::PropertyList creation = hdf5::creation_without_times(H5P_DATASET_CREATE);
  auto const chunk = shape_in_file(chunk_points, components);
  hdf5::check(H5Pset_chunk(creation.get(), static_cast<int>(chunk.size()), chunk.data()));
  // Every chunk gets values, so HDF5 need not fill it first.
  hdf5::check(H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER));
  // Bytes of equal significance are adjacent after the shuffle, which makes deflate effective for
  // floating-point numbers.
  hdf5::check(H5Pset_shuffle(creation.get()));
  hdf5::check(H5Pset_deflate(creation.get(), static_cast<unsigned>(deflate_level)));
  hdf5::check(H5Pset_fletcher32(creation.get()));
  return creation;
}

/// Describes a uniform grid to VTK as ImageData, version 1.0.
void add_image(hid_t id, layout::VtkImage const& image) {
  Extent3 const n = image.nodes;
  hdf5::write_attribute(id, "Version", std::vector<std::int64_t>{1, 0});
  hdf5::write_attribute(id, "Type", std::string("ImageData"));
  hdf5::write_attribute(id, "WholeExtent",
                        std::vector<std::int64_t>{0, n.x - 1, 0, n.y - 1, 0, n.z - 1});
  hdf5::write_attribute(id, "Origin", axes(image.origin));
  hdf5::write_attribute(id, "Spacing", axes(image.spacing));
  hdf5::write_attribute(id, "Direction", std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1});
}

/// Describes a graded grid to VTK. VTK's readers support RectilinearGrid from version 2.7 on; older
/// readers report that they do not.
void add_rectilinear_grid(hid_t group, Grid const& grid) {
  hdf5::write_attribute(group, "Version", std::vector<std::int64_t>{2, 7});
  hdf5::write_attribute(group, "Type", std::string("RectilinearGrid"));
  hdf5::write_attribute(group, "Dimensions", axes(layout::vtk_image(grid).nodes));
  for (int axis = 0; axis < 3; ++axis) {
    write_numbers(group, layout::vtk_axis_names[static_cast<std::size_t>(axis)],
                  layout::vtk_nodes(grid, axis));
  }
}

}  // namespace

SnapshotDescription::SnapshotDescription(SnapshotInfo const& info)
    : info_(info), sums_{BlockGrid(info.grid.points)} {
  // The lowest format that describes the file, so older versions of isotherm can read as many files
  // as possible.
  info_.format = !info.vector_fields.empty() ? layout::format
                 : info.grid.is_graded()     ? layout::format_with_graded_axes
                                             : layout::first_format;
  add_vtk_group(info.grid);
  add_own_group();
  if (field_axes::are_stored(info.grid)) {
    field_axes::write(image_.id(), info);
  }
  if (info.grid.is_graded()) add_coordinates(info.grid);
}

void SnapshotDescription::add_vtk_group(Grid const& grid) {
  layout::VtkImage const image = layout::vtk_image(grid);
  hdf5::Group const group = create_group(image_.id(), layout::vtk_group);
  hid_t const id = group.get();
  if (grid.is_graded()) {
    add_rectilinear_grid(id, grid);
  } else {
    add_image(id, image);
  }
  // `values_` remains open, since the fields' datasets are added later.
  values_ = create_group(id, layout::data_group(image));
}

/// Writes the coordinates of graded axes that isotherm itself computes with.
void SnapshotDescription::add_coordinates(Grid const& grid) {
  hdf5::Group const group = create_group(own_.get(), layout::coordinates);
  for (int axis = 0; axis < 3; ++axis) {
    if (!grid.is_graded(axis)) continue;
    write_numbers(group.get(), layout::axis_names[static_cast<std::size_t>(axis)],
                  grid.graded[axis].values());
  }
}

void SnapshotDescription::add_own_group() {
  SnapshotInfo const& info = info_;
  own_ = create_group(image_.id(), layout::own_group);
  hid_t const id = own_.get();
  hdf5::write_attribute(id, "format", info.format);
  hdf5::write_attribute(id, "version", info.version);
  hdf5::write_attribute(id, "field", info.field);
  hdf5::write_attribute(id, "iteration", info.iteration);
  hdf5::write_attribute(id, "time", info.time_s);
  hdf5::write_attribute(id, "role", std::string(layout::role(info.is_checkpoint)));
  hdf5::write_attribute(id, "can_resume", std::int64_t{info.can_resume});
  hdf5::write_attribute(id, "reason", info.reason_not_resumable);
  if (!info.vector_fields.empty()) {
    hdf5::write_attribute(id, layout::vectors, layout::in_one_text(info.vector_fields));
  }
  write_grid(id, info.grid);
  write_text(id, "case", info.case_text);
  write_text(id, "fingerprint", info.fingerprint);
  write_text(id, "state", info.state);
  // `checksum` and `description_checksum` follow in write_checksums(), when all values are known.
  hdf5::write_attribute(id, layout::block_points, axes(sums_.grid.block()));
  blocks_ = create_group(id, layout::block_checksums);
}

/// Creates the table of a field's block checksums. The table gets its place before the values do,
/// so a full disk is noticed before the values are written.
void SnapshotDescription::add_block_checksums(std::string const& field, Extent3 points) {
  require(points == sums_.grid.points(), "all fields of a file have the same points");
  auto const count = static_cast<hsize_t>(sums_.grid.count());
  hdf5::Dataspace const space(hdf5::check(H5Screate_simple(1, &count, nullptr)));
  hdf5::Dataset(hdf5::check(H5Dcreate2(blocks_.get(), field.c_str(),
                                       hdf5::file_type<std::uint64_t>(), space.get(), H5P_DEFAULT,
                                       hdf5::FileImage::contiguous().get(), H5P_DEFAULT)));
}

/// Creates the dataset of a field in the values' group, and its table of block checksums.
template <class Stored>
hdf5::Dataset SnapshotDescription::create_dataset(std::string const& name, Extent3 points,
                                                  int components,
                                                  hdf5::PropertyList const& creation) {
  add_block_checksums(name, points);
  // All fields of a file have the same type. It is part of the description's checksum.
  info_.stored_type = precision_of<Stored>;
  auto const size = shape_in_file(points, components);
  hdf5::Dataspace const space(
      hdf5::check(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr)));
  return hdf5::Dataset(
      hdf5::check(H5Dcreate2(values_.get(), name.c_str(), hdf5::file_type<Stored>(), space.get(),
                             H5P_DEFAULT, creation.get(), H5P_DEFAULT)));
}

template <class Stored>
std::uint64_t SnapshotDescription::add_field(std::string const& name, Extent3 points,
                                             int components) {
  return hdf5::FileImage::address_of(
      create_dataset<Stored>(name, points, components, hdf5::FileImage::contiguous()));
}

template <class Stored>
void SnapshotDescription::add_compressed_field(std::string const& name, Extent3 points,
                                               int deflate_level, int components) {
  compressed_ = create_dataset<Stored>(name, points, components,
                                       compressed(chunk_extent(points), deflate_level, components));
  // place_chunk() refers to the field that was added last.
  compressed_components_ = components;
}

std::uint64_t SnapshotDescription::place_chunk(Index3 first, std::size_t bytes,
                                               std::uint32_t filters_left_out) {
  // `first` counts numbers along x; HDF5 wants the point, and the component as a fourth axis.
  // Chunks hold all components of their points.
  bool const vectors = compressed_components_ > scalar_components;
  first.x /= compressed_components_;
  auto const zyx = hdf5::to_zyx(first);
  std::vector<hsize_t> offset(zyx.begin(), zyx.end());
  if (vectors) offset.push_back(0);
  return image_.place_chunk(compressed_, offset, bytes, filters_left_out);
}

void SnapshotDescription::set_checksums(std::string const& field, std::vector<std::uint64_t> sums) {
  sums_.of_field[field] = std::move(sums);
}

/// Fills the tables of block checksums, and adds the two checksums that depend on them.
void SnapshotDescription::write_checksums() {
  for (auto const& [field, sums] : sums_.of_field) {
    hdf5::Dataset dataset(hdf5::check(H5Dopen2(blocks_.get(), field.c_str(), H5P_DEFAULT)));
    hdf5::check(H5Dwrite(dataset.get(), hdf5::memory_type<std::uint64_t>(), H5S_ALL, H5S_ALL,
                         H5P_DEFAULT, sums.data()));
    hdf5::close(dataset);
  }
  info_.checksum = sums_.of_all(info_.field);
  hdf5::write_attribute(own_.get(), "checksum", info_.checksum);
  hdf5::write_attribute(own_.get(), layout::description_checksum,
                        std::uint64_t{description_checksum(info_, sums_)});
}

/// Links the fields with their axes. This must follow all calls of place_chunk(): HDF5 writes the
/// references as values.
void SnapshotDescription::attach_axes() {
  if (!field_axes::are_stored(info_.grid)) return;
  std::vector<std::string> fields;
  fields.reserve(sums_.of_field.size());
  for (auto const& [field, sums] : sums_.of_field) fields.push_back(field);
  field_axes::attach(image_.id(), layout::group_path(info_.grid), fields, info_.vector_fields);
  field_axes::write_checksum(image_, own_.get());
}

// HDF5 allocates one 4096-byte heap for every 56 fields. `of_field` bounds the bytes of a field's
// attributes that do not fit into the room reserved for them.
std::uint64_t SnapshotDescription::max_bytes() const {
  constexpr std::uint64_t heap = 4096;
  constexpr std::uint64_t of_field = 512;
  return image_.bytes() + 2 * heap + (heap / 56 + of_field) * (1 + sums_.of_field.size());
}

void SnapshotDescription::close() {
  write_checksums();
  attach_axes();
  // HDF5 reports some failures only when an object is closed, so each is closed explicitly, with a
  // check.
  hdf5::close(blocks_);
  hdf5::close(own_);
  if (compressed_.get() != hdf5::Dataset().get()) {
    hdf5::close(compressed_);
  }
  hdf5::close(values_);
  image_.close();
}

template std::uint64_t SnapshotDescription::add_field<float>(std::string const&, Extent3, int);
template std::uint64_t SnapshotDescription::add_field<double>(std::string const&, Extent3, int);
template void SnapshotDescription::add_compressed_field<float>(std::string const&, Extent3, int,
                                                               int);
template void SnapshotDescription::add_compressed_field<double>(std::string const&, Extent3, int,
                                                                int);

}  // namespace isotherm
