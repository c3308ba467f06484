#include "io/snapshot/datasets/axes.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <numeric>
#include <zlib.h>

#include "io/files/descriptor.hpp"
#include "io/hdf5/file_access.hpp"
#include "io/hdf5/own_data.hpp"
#include "io/hdf5/stored_bytes.hpp"
#include "io/snapshot/datasets/components.hpp"
#include "io/snapshot/layout.hpp"

namespace isotherm::field_axes {
namespace {

/// An entry of an axis's REFERENCE_LIST: a dataset, and the number of the axis within that dataset.
struct Use {
  hobj_ref_t dataset;
  std::int32_t dimension;
};

/// The axes in the order of the datasets, slowest first.
constexpr std::array<int, 3> zyx{2, 1, 0};

constexpr char const* heaps_name = "axes_references";   // attribute: places of the heaps
constexpr char const* checksum_name = "axes_checksum";  // attribute: CRC-32 of all axes and heaps
/// Upper bounds on what a file may claim. HDF5 allocates heaps of 4 KiB, which hold 170 references
/// each. No file needs more than these.
constexpr std::size_t max_heaps = 32;
constexpr std::uint64_t max_heap_bytes = 64 << 10;

/// Writes a text attribute that ends with a zero byte. HDF5's own functions accept no other form
/// for a dimension scale.
void write_ended_text(hid_t owner, char const* name, char const* text) {
  hdf5::Datatype const type(hdf5::check(H5Tcopy(H5T_C_S1)));
  hdf5::check(H5Tset_size(type.get(), std::strlen(text) + 1));
  hdf5::Dataspace const space(hdf5::check(H5Screate(H5S_SCALAR)));
  hdf5::Attribute const attribute(
      hdf5::check(H5Acreate2(owner, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT)));
  hdf5::check(H5Awrite(attribute.get(), type.get(), text));
}

/// Returns the names of the axes of a field, in the order of its dataset: z, y, x, of vectors also
/// component.
std::vector<char const*> axes_of(bool vectors) {
  std::vector<char const*> names;
  names.reserve(zyx.size() + 1);
  for (int const axis : zyx) names.push_back(layout::axis_names[static_cast<std::size_t>(axis)]);
  if (vectors) names.push_back(layout::component);
  return names;
}

/// Returns 0, 1, 2: the coordinates of the axis "component".
std::vector<double> numbers_of_components() {
  std::vector<double> numbers(vector_components);
  std::iota(numbers.begin(), numbers.end(), 0.0);
  return numbers;
}

/// Writes a dimension scale, as HDF5's "Dimension Scale Specification" defines it: a dataset with
/// the attributes CLASS and NAME.
hdf5::Dataset write_scale(hid_t file, char const* name, std::vector<double> const& values) {
  hsize_t const count = values.size();
  hdf5::Dataspace const space(hdf5::check(H5Screate_simple(1, &count, nullptr)));
  hdf5::Dataset dataset(
      hdf5::check(H5Dcreate2(file, name, hdf5::file_type<double>(), space.get(), H5P_DEFAULT,
                             hdf5::FileImage::contiguous().get(), H5P_DEFAULT)));
  hdf5::check(H5Dwrite(dataset.get(), hdf5::memory_type<double>(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                       values.data()));
  write_ended_text(dataset.get(), "CLASS", "DIMENSION_SCALE");
  write_ended_text(dataset.get(), "NAME", name);
  return dataset;
}

/// Writes one axis of the grid, labelled as the CF conventions demand.
void write_axis(hid_t file, Grid const& grid, int axis) {
  hdf5::Dataset dataset = write_scale(file, layout::axis_names[static_cast<std::size_t>(axis)],
                                      coordinates_of(grid, axis));
  write_ended_text(dataset.get(), "axis",
                   std::array{"X", "Y", "Z"}[static_cast<std::size_t>(axis)]);
  hdf5::close(dataset);
}

/// Writes a dataset without axes.
template <class Number>
void write_scalar(hid_t file, char const* name, Number number) {
  hdf5::Dataspace const space(hdf5::check(H5Screate(H5S_SCALAR)));
  hdf5::Dataset dataset(
      hdf5::check(H5Dcreate2(file, name, hdf5::file_type<Number>(), space.get(), H5P_DEFAULT,
                             hdf5::FileImage::contiguous().get(), H5P_DEFAULT)));
  hdf5::check(
      H5Dwrite(dataset.get(), hdf5::memory_type<Number>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &number));
  hdf5::close(dataset);
}

hdf5::Dataset open(hid_t parent, char const* name) {
  return hdf5::Dataset(hdf5::check(H5Dopen2(parent, name, H5P_DEFAULT)));
}

/// Returns HDF5's reference to an object in the file.
hobj_ref_t reference_to(hid_t file, std::string const& path) {
  hobj_ref_t reference{};
  hdf5::check(H5Rcreate(&reference, file, path.c_str(), H5R_OBJECT, -1));
  return reference;
}

/// Writes a one-dimensional attribute.
template <class Value>
void write_list(hid_t dataset, char const* name, hid_t type, std::vector<Value> const& values,
                hid_t memory_type) {
  hsize_t const count = values.size();
  hdf5::Dataspace const space(hdf5::check(H5Screate_simple(1, &count, nullptr)));
  hdf5::Attribute const attribute(
      hdf5::check(H5Acreate2(dataset, name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT)));
  hdf5::check(H5Awrite(attribute.get(), memory_type, values.data()));
}

/// Writes a field's attributes: DIMENSION_LIST, one list with a single scale for each axis, and
/// `coordinates`, which names the scalar coordinates as the CF conventions do.
void write_dimension_list(hid_t file, std::string const& field_path, bool vectors) {
  std::vector<hobj_ref_t> scales;
  for (char const* const axis : axes_of(vectors)) scales.push_back(reference_to(file, axis));
  std::vector<hvl_t> lists;
  // The lists refer to the elements of `scales`, which must not move any more.
  lists.reserve(scales.size());
  for (hobj_ref_t& scale : scales) lists.push_back({1, &scale});
  hdf5::Datatype const type(hdf5::check(H5Tvlen_create(H5T_STD_REF_OBJ)));
  hdf5::Dataset dataset = open(file, field_path.c_str());
  write_list(dataset.get(), "DIMENSION_LIST", type.get(), lists, type.get());
  write_ended_text(dataset.get(), "coordinates",
                   fmt::format("{} {}", layout::time, layout::iteration).c_str());
  hdf5::close(dataset);
}

/// Returns HDF5's description of a Use.
/// @param packed  without padding, as in a file: padding bytes would have arbitrary values
hdf5::Datatype use_type(bool packed) {
  // In memory the compiler may add padding after `dimension`.
  std::size_t const dimension_at = packed ? sizeof(hobj_ref_t) : offsetof(Use, dimension);
  std::size_t const bytes = packed ? dimension_at + sizeof(std::int32_t) : sizeof(Use);
  hdf5::Datatype type(hdf5::check(H5Tcreate(H5T_COMPOUND, bytes)));
  hdf5::check(H5Tinsert(type.get(), "dataset", 0, H5T_STD_REF_OBJ));
  hdf5::check(
      H5Tinsert(type.get(), "dimension", dimension_at, packed ? H5T_STD_I32LE : H5T_NATIVE_INT32));
  return type;
}

/// Writes an axis's REFERENCE_LIST: the datasets that use the axis.
void write_reference_list(hid_t file, std::vector<std::string> const& field_paths, int dimension) {
  std::vector<Use> uses;
  uses.reserve(field_paths.size());
  for (std::string const& path : field_paths) uses.push_back({reference_to(file, path), dimension});
  hdf5::Dataset dataset = open(file, axes_of(true)[static_cast<std::size_t>(dimension)]);
  write_list(dataset.get(), "REFERENCE_LIST", use_type(true).get(), uses, use_type(false).get());
  hdf5::close(dataset);
}

/// The CRC-32 of numbers and bytes, one after another.
class Sum {
 public:
  template <class Value>
  void add(std::vector<Value> const& values) {
    sum_ =
        crc32_z(sum_, reinterpret_cast<Bytef const*>(values.data()), values.size() * sizeof(Value));
  }
  [[nodiscard]] std::uint64_t value() const { return sum_; }

 private:
  uLong sum_ = crc32_z(0, nullptr, 0);
};

/// Returns the names of all coordinates in the root, in the order of the checksum.
std::vector<char const*> names_of_all(bool has_vectors) {
  std::vector<char const*> names(layout::axis_names.begin(), layout::axis_names.end());
  if (has_vectors) names.push_back(layout::component);
  return names;
}

/// Reads an axis. The dataset is opened link by link and must have the right number of values, for
/// which the file must be large enough.
std::vector<double> read_axis(hdf5::File const& file, Grid const& grid, int axis,
                              std::uint64_t file_bytes) {
  char const* const name = layout::axis_names[static_cast<std::size_t>(axis)];
  auto const count = static_cast<std::uint64_t>(grid.points[axis]);
  require(count <= file_bytes * hdf5::max_deflated / sizeof(double),
          fmt::format("its {} bytes are too few for {} coordinates", file_bytes, count));
  return hdf5::read_numbers<double>(open_dataset(file.get(), name), name, count);
}

/// Checks the coordinates that VTK gets for a graded grid. They follow from the grid.
void check_nodes(hdf5::File const& file, Grid const& grid) {
  hdf5::Group const group = open_group(file.get(), layout::vtk_group);
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<double> const nodes = layout::vtk_nodes(grid, axis);
    char const* const name = layout::vtk_axis_names[static_cast<std::size_t>(axis)];
    auto const found =
        hdf5::read_numbers<double>(open_dataset(group.get(), name), name, nodes.size());
    require(found == nodes, fmt::format("{} do not match the grid", name));
  }
}

/// Checks the coordinates of the points. They follow from the grid, which has a checksum of its
/// own.
void check_coordinates(hdf5::File const& file, SnapshotInfo const& info, std::uint64_t file_bytes) {
  for (int axis = 0; axis < 3; ++axis) {
    require(read_axis(file, info.grid, axis, file_bytes) == coordinates_of(info.grid, axis),
            fmt::format("the coordinates {} do not match the grid",
                        layout::axis_names[static_cast<std::size_t>(axis)]));
  }
}

/// Checks a scalar coordinate; files up to version 0.2 do not have it. @param said  the value in
/// the description
template <class Number>
void check_scalar(hdf5::File const& file, char const* name, Number said) {
  if (!has_link(file.get(), name)) return;
  hdf5::Dataset const dataset = open_dataset(file.get(), name);
  require(hdf5::read_numbers<Number>(dataset, name, 1).front() == said,
          fmt::format("the {} differs from the description", name));
}

/// Reads the offsets and lengths of the global heaps.
std::vector<hdf5::FileImage::Part> read_heaps(hid_t own) {
  std::size_t const count = hdf5::attribute_size(own, heaps_name);
  // Each heap has two numbers, its offset and its length.
  require(count % 2 == 0 && count <= 2 * max_heaps,
          fmt::format("\"{}\" has {} numbers", heaps_name, count));
  auto const numbers = hdf5::read_attribute<std::uint64_t>(own, heaps_name, count);
  std::vector<hdf5::FileImage::Part> heaps;
  for (std::size_t i = 0; i < count; i += 2) heaps.push_back({numbers[i], numbers[i + 1]});
  return heaps;
}

}  // namespace

bool are_stored(Grid const& grid) {
  constexpr std::int64_t max_points = std::int64_t{1} << 22;
  return grid.is_graded() ||  // whose coordinates are in memory anyway
         std::max({grid.points.x, grid.points.y, grid.points.z}) <= max_points;
}

void write(hid_t file, SnapshotInfo const& info) {
  for (int const axis : zyx) write_axis(file, info.grid, axis);
  write_scalar(file, layout::time, info.time_s);
  write_scalar(file, layout::iteration, info.iteration);
  if (info.vector_fields.empty()) return;
  hdf5::Dataset component = write_scale(file, layout::component, numbers_of_components());
  hdf5::close(component);
}

void attach(hid_t file, std::string const& group_of_values, std::vector<std::string> const& fields,
            std::vector<std::string> const& vectors) {
  std::vector<std::string> paths;
  std::vector<std::string> paths_of_vectors;
  for (std::string const& field : fields) {
    paths.push_back(fmt::format("{}/{}", group_of_values, field));
    // Vector fields have a fourth axis, `component`; only they are listed in its REFERENCE_LIST.
    bool const is_vector = std::ranges::count(vectors, field) > 0;
    if (is_vector) paths_of_vectors.push_back(paths.back());
    write_dimension_list(file, paths.back(), is_vector);
    // A field with the name of an axis or a group gets no link.
    if (has_link(file, field)) continue;
    hdf5::check(
        H5Lcreate_hard(file, paths.back().c_str(), file, field.c_str(), H5P_DEFAULT, H5P_DEFAULT));
  }
  for (int dimension = 0; dimension < 3; ++dimension) write_reference_list(file, paths, dimension);
  if (!vectors.empty()) write_reference_list(file, paths_of_vectors, 3);
}

void write_checksum(hdf5::FileImage& image, hid_t own) {
  // HDF5 may still hold parts of the image in its caches.
  image.flush();
  Sum sum;
  bool const has_vectors = hdf5::check(H5Aexists(own, layout::vectors)) > 0;
  for (char const* const name : names_of_all(has_vectors)) {
    hdf5::Dataset const dataset = open(image.id(), name);
    sum.add(hdf5::read_numbers<double>(dataset, name, hdf5::shape_of(dataset).front()));
  }
  std::vector<std::uint64_t> numbers;
  for (hdf5::FileImage::Part const& heap : image.heaps()) {
    sum.add(image.content_of(heap));
    numbers.insert(numbers.end(), {heap.place, heap.bytes});
  }
  // The heaps are found in the bytes of the image. If HDF5 changed their format, this would fail
  // instead of writing a checksum of nothing.
  require(!numbers.empty(), "HDF5: the references of the axes are not found");
  hdf5::write_attribute(own, heaps_name, numbers);
  hdf5::write_attribute(own, checksum_name, sum.value());
}

bool is_rewritten(hdf5::File const& file, std::filesystem::path const& path) {
  constexpr std::uint64_t version_at = 8;  // bytes, after HDF5's signature
  constexpr char version_of_ours = 2;  // see FileImage; HDF5 protects the superblock by a checksum
  char version = 0;
  read_at(hdf5::descriptor_of(file), version_at, &version, 1, path);
  return version != version_of_ours;
}

void check(hdf5::File const& file, hid_t own, SnapshotInfo const& info,
           std::filesystem::path const& path) {
  Grid const& grid = info.grid;
  // An older file, or one whose axes are too long to be stored.
  if (hdf5::check(H5Aexists(own, checksum_name)) == 0) return;
  std::uint64_t const file_bytes = std::filesystem::file_size(path);
  check_scalar(file, layout::time, info.time_s);
  check_scalar(file, layout::iteration, info.iteration);
  // VTK's nodes are not part of the checksum, so they are compared with the grid.
  if (grid.is_graded()) check_nodes(file, grid);
  if (is_rewritten(file, path)) return check_coordinates(file, info, file_bytes);
  Sum sum;
  for (int axis = 0; axis < 3; ++axis) sum.add(read_axis(file, grid, axis, file_bytes));
  if (!info.vector_fields.empty()) {
    sum.add(hdf5::read_numbers<double>(open_dataset(file.get(), layout::component),
                                       layout::component, vector_components));
  }
  // The heaps are read as plain bytes: versions of HDF5 up to 1.10 at least access memory out of
  // bounds if references are damaged.
  for (hdf5::FileImage::Part const& heap : read_heaps(own)) {
    require(heap.bytes <= max_heap_bytes,
            fmt::format("the references of the axes take {} bytes", heap.bytes));
    std::vector<char> bytes(heap.bytes);
    read_at(hdf5::descriptor_of(file), heap.place, bytes.data(), bytes.size(), path);
    sum.add(bytes);
  }
  require(sum.value() == hdf5::read_attribute<std::uint64_t>(own, checksum_name),
          "the checksum is wrong");
}

}  // namespace isotherm::field_axes
