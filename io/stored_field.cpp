#include "io/stored_field.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "io/chunk_codec.hpp"
#include "io/chunk_grid.hpp"
#include "io/layout.hpp"
#include "io/reading.hpp"

namespace isotherm {
namespace {

/// Deflate packs no more than that many bytes into one.
constexpr std::uint64_t most_deflated = 1032;

NumberType type_of(hdf5::Dataset const& dataset) {
  hdf5::Datatype const type(hdf5::check(H5Dget_type(dataset.get())));
  if (hdf5::check(H5Tequal(type.get(), hdf5::file_type<float>())) > 0) {
    return NumberType::float32;
  }
  require(hdf5::check(H5Tequal(type.get(), hdf5::file_type<double>())) > 0,
          "the field's values are neither float32 nor float64 (IEEE 754, little-endian)");
  return NumberType::float64;
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

/// Each at most once, in the order in which isotherm has them.
void check_filters(std::vector<H5Z_filter_t> const& filters) {
  constexpr std::array known{H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE, H5Z_FILTER_FLETCHER32};
  auto next = known.begin();
  for (H5Z_filter_t const filter : filters) {
    next = std::find(next, known.end(), filter);
    require(next != known.end(),
            fmt::format("the field's values passed filter {} (there may be shuffle, deflate and "
                        "Fletcher-32, in this order)",
                        filter));
    ++next;
  }
}

/// The bits of the filters that a chunk has passed (ChunkFilter): HDF5 counts those that it was
/// stored without by their place in the dataset's list.
std::uint32_t filters_applied(std::vector<H5Z_filter_t> const& filters, std::uint32_t left_out) {
  std::uint32_t applied = 0;
  for (std::size_t i = 0; i < filters.size(); ++i) {
    bool const was_applied = (left_out >> i & 1U) == 0;
    applied |= !was_applied                       ? 0U
               : filters[i] == H5Z_FILTER_SHUFFLE ? shuffle_filter
               : filters[i] == H5Z_FILTER_DEFLATE ? deflate_filter
                                                  : fletcher32_filter;
  }
  return applied;
}

/// Copies the values of the points that two dense boxes share.
template <class From, class To>
void copy_rows(From const* from, GlobalBox from_box, To* to, GlobalBox to_box) {
  auto const place = [](GlobalBox box, Index3 point) {
    Index3 const at = point - box.lower;
    Extent3 const n = box.extent();
    return at.x + n.x * (at.y + n.y * at.z);
  };
  GlobalBox const both = intersection(from_box, to_box);
  for (std::int64_t k = both.lower.z; k < both.upper.z; ++k) {
    for (std::int64_t j = both.lower.y; j < both.upper.y; ++j) {
      Index3 const at{both.lower.x, j, k};
      From const* const row = from + place(from_box, at);
      std::transform(row, row + (both.upper.x - both.lower.x), to + place(to_box, at),
                     [](From value) { return static_cast<To>(value); });
    }
  }
}

}  // namespace

FieldStorage check_field(hdf5::Dataset const& dataset, Grid const& grid) {
  FieldStorage storage;
  storage.type = type_of(dataset);
  check_shape(dataset, grid.points);
  std::size_t const element_bytes = storage.type == NumberType::float32 ? 4 : 8;
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
    if (!storage_.chunk) {
      read_box(dataset_, 3, box, values);
    } else if (storage_.type == NumberType::float32) {
      read_chunks<float>(box, values);
    } else {
      read_chunks<double>(box, values);
    }
  });
}

// Not with H5Dread: a chunk of a few bytes can be deflated from any number of them, and HDF5 makes
// room for all.
template <class Stored, class Real>
void StoredField::read_chunks(GlobalBox box, Real* values) const {
  ChunkGrid const chunks(box.upper, *storage_.chunk);
  GlobalBox const touched = chunks.touching(box);
  for (std::int64_t n = 0; n < touched.point_count(); ++n) {
    Index3 const chunk = nth_index(touched, n);
    Index3 const first = chunks.first(chunk);
    std::vector<char> const bytes = unpacked_chunk(first);
    auto const* const stored = reinterpret_cast<Stored const*>(bytes.data());
    copy_rows(stored, GlobalBox{first, first + *storage_.chunk}, values, box);
  }
}

std::vector<char> StoredField::unpacked_chunk(Index3 first) const {
  auto const offset = hdf5::to_zyx(first);
  Extent3 const n = *storage_.chunk;
  std::size_t const element_bytes = storage_.type == NumberType::float32 ? 4 : 8;
  std::vector<char> values(element_bytes * static_cast<std::size_t>(n.x * n.y * n.z));
  hsize_t bytes = 0;
  hdf5::check(H5Dget_chunk_storage_size(dataset_.get(), offset.data(), &bytes));
  require(bytes <= most_packed_bytes(values.size()), "a chunk of its values is too long");
  std::vector<char> stored(bytes);
  std::uint32_t left_out = 0;
  hdf5::check(H5Dread_chunk(dataset_.get(), H5P_DEFAULT, offset.data(), &left_out, stored.data()));
  unpack_chunk(stored, filters_applied(storage_.filters, left_out), element_bytes, values);
  return values;
}

template void StoredField::read(GlobalBox, float*) const;
template void StoredField::read(GlobalBox, double*) const;

}  // namespace isotherm
