#include "io/snapshot/stored_field.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "io/snapshot/chunk_grid.hpp"
#include "io/snapshot/chunked_read.hpp"
#include "io/snapshot/layout.hpp"
#include "io/snapshot/reading.hpp"

namespace isotherm {
namespace {

/// Deflate packs no more than that many bytes into one.
constexpr std::uint64_t most_deflated = 1032;

Precision type_of(hdf5::Dataset const& dataset) {
  hdf5::Datatype const type(hdf5::check(H5Dget_type(dataset.get())));
  if (hdf5::check(H5Tequal(type.get(), hdf5::file_type<float>())) > 0) {
    return Precision::float32;
  }
  require(hdf5::check(H5Tequal(type.get(), hdf5::file_type<double>())) > 0,
          "the field's values are neither float32 nor float64 (IEEE 754, little-endian)");
  return Precision::float64;
}

void check_shape(hdf5::Dataset const& dataset, Extent3 points) {
  auto const shape = hdf5::shape_of(dataset);
  require(shape.size() == 3,
          fmt::format("the field's values have {} axes and should have 3", shape.size()));
  auto const found = hdf5::from_zyx({shape[0], shape[1], shape[2]});
  require(found == points, fmt::format("the file holds the values of {} points and should hold {}",
                                       to_text(found), to_text(points)));
}

/// The points of a chunk; none where the values lie one after the other.
std::optional<Extent3> check_chunks(hdf5::PropertyList const& creation, Extent3 points) {
  if (H5Pget_layout(creation.get()) != H5D_CHUNKED) {
    return std::nullopt;
  }
  std::array<hsize_t, 3> chunk{};
  require(hdf5::check(H5Pget_chunk(creation.get(), 3, chunk.data())) == 3,
          "the field's chunks do not have 3 axes");
  Extent3 const found = hdf5::from_zyx(chunk);
  require(found == chunk_extent(points),
          fmt::format("the field's chunks are of {} values (isotherm's are of {})", to_text(found),
                      to_text(chunk_extent(points))));
  return found;
}

}  // namespace

FieldStorage check_field(hdf5::Dataset const& dataset, Grid const& grid) {
  FieldStorage storage;
  storage.type = type_of(dataset);
  check_shape(dataset, grid.points);
  std::size_t const element_bytes = storage.type == Precision::float32 ? 4 : 8;
  hdf5::PropertyList const creation = hdf5::creation_of(dataset);
  storage.chunk = check_chunks(creation, grid.points);
  storage.filters = hdf5::filters_of(creation);
  check_filters(storage.filters);
  // HDF5 tells the length of an unfiltered chunk from its shape, and reads as much as is noted.
  require(!storage.chunk || !storage.filters.empty(),
          "the field's values are in chunks that have passed no filter");
  storage.bytes = static_cast<std::uint64_t>(grid.point_count()) * element_bytes;
  bool const deflated = std::count(storage.filters.begin(), storage.filters.end(),
                                   H5Z_filter_t{H5Z_FILTER_DEFLATE}) > 0;
  storage.least_stored_bytes = deflated ? storage.bytes / most_deflated : storage.bytes;
  return storage;
}

StoredField::StoredField(std::filesystem::path const& path, SnapshotInfo const& info,
                         std::string const& field)
    : path_(path), file_(open_for_reading(path)) {
  reading(path_, [&] {
    dataset_ = open_dataset(file_.get(), layout::dataset_path(info.grid, field));
    storage_ = check_field(dataset_, info.grid);
    require(storage_.type == info.stored_type, "its fields are of different types");
  });
}

void StoredField::require_all() const {
  reading(path_, [&] {
    std::uint64_t const stored = H5Dget_storage_size(dataset_.get());
    require(stored >= storage_.least_stored_bytes,
            fmt::format("a part of its values is missing: {} bytes are there for {}", stored,
                        storage_.bytes));
  });
}

template <class Real>
void StoredField::read(GlobalBox box, Real* values) const {
  reading(path_, [&] {
    if (storage_.chunk) {
      read_chunked_box(dataset_, 3, box, values);
    } else {
      read_box(dataset_, 3, box, values);
    }
  });
}

template void StoredField::read(GlobalBox, float*) const;
template void StoredField::read(GlobalBox, double*) const;

}  // namespace isotherm
