#include "io/hdf5/stored_bytes.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace isotherm::hdf5 {
namespace {

/// Our filter for HDF5's number, or nullopt if isotherm cannot undo it.
std::optional<ChunkFilter> known_filter(H5Z_filter_t filter) {
  switch (filter) {
    case H5Z_FILTER_SHUFFLE:
      return shuffle_filter;
    case H5Z_FILTER_DEFLATE:
      return deflate_filter;
    case H5Z_FILTER_FLETCHER32:
      return fletcher32_filter;
    default:
      return std::nullopt;
  }
}

/// Throws Error unless the file is long enough for the values. The storage size of a contiguous
/// dataset proves nothing, since HDF5 derives it from the shape. Therefore the length of the file
/// is compared, too.
void require_room(Dataset const& dataset, std::vector<ChunkFilter> const& filters, char const* name,
                  std::size_t bytes) {
  hsize_t file_bytes = 0;
  File const file(check(H5Iget_file_id(dataset.get())));
  check(H5Fget_filesize(file.get(), &file_bytes));
  std::uint64_t const stored = std::min(H5Dget_storage_size(dataset.get()), file_bytes);
  require(stored >= min_stored_bytes(filters, bytes),
          fmt::format("HDF5: \"{}\" has {} bytes, but the file contains only {} of them", name,
                      bytes, stored));
}

/// Returns the number of values per chunk. @throws Error  if it exceeds the number of values
std::size_t chunk_size(PropertyList const& creation, char const* name, std::size_t count) {
  hsize_t chunk = 0;
  check(H5Pget_chunk(creation.get(), 1, &chunk));
  require(chunk <= count,
          fmt::format("HDF5: the chunks of \"{}\" have {} values, more than the whole dataset, {}",
                      name, chunk, count));
  return chunk;
}

}  // namespace

std::string filter_name(PropertyList const& creation, unsigned place) {
  std::array<char, 64> name{};
  unsigned flags = 0, config = 0;
  std::size_t no_values = 0;
  // One byte less than the array has, so the name is terminated.
  H5Z_filter_t const id = H5Pget_filter2(creation.get(), place, &flags, &no_values, nullptr,
                                         name.size() - 1, name.data(), &config);
  return name[0] == '\0' ? std::to_string(id) : fmt::format("{} ({})", id, name.data());
}

std::vector<ChunkFilter> known_filters(PropertyList const& creation) {
  std::vector<ChunkFilter> filters;
  for (H5Z_filter_t const filter : filters_of(creation)) {
    auto const known = known_filter(filter);
    bool const again = known && std::ranges::count(filters, *known) > 0;
    if (!known || again) {
      throw UnknownFilter(fmt::format("its values were written with filter {}{}",
                                      filter_name(creation, static_cast<unsigned>(filters.size())),
                                      again ? " twice" : ""));
    }
    filters.push_back(*known);
  }
  return filters;
}

std::uint64_t min_stored_bytes(std::vector<ChunkFilter> const& filters, std::uint64_t bytes) {
  return std::ranges::count(filters, deflate_filter) > 0 ? bytes / max_deflated : bytes;
}

// Chunks without filters are refused: HDF5 derives their length from the shape, but reads as many
// bytes as the file records.
std::optional<StoredChunk> fetch_chunk(Dataset const& dataset,
                                       std::vector<ChunkFilter> const& filters,
                                       hsize_t const* first, std::size_t bytes) {
  require(!filters.empty(), "HDF5: a chunk without filters cannot be read as a packed chunk");
  hsize_t stored_bytes = 0;
  check(H5Dget_chunk_storage_size(dataset.get(), first, &stored_bytes));
  if (stored_bytes == 0) return std::nullopt;
  // Before memory is allocated: the recorded length may be damaged.
  require(stored_bytes <= max_packed_bytes(bytes), "a chunk of its values is too long");
  StoredChunk chunk{std::vector<char>(stored_bytes), {}};
  std::uint32_t skipped_filters = 0;  // bit i: filter i of the dataset's list was skipped
  check(H5Dread_chunk(dataset.get(), H5P_DEFAULT, first, &skipped_filters, chunk.bytes.data()));
  for (std::size_t i = 0; i < filters.size(); ++i) {
    if ((skipped_filters >> i & 1U) == 0) chunk.applied.push_back(filters[i]);
  }
  return chunk;
}

std::vector<char> read_bytes(Dataset const& dataset, char const* name, std::size_t count,
                             std::size_t element_bytes) {
  PropertyList const creation = creation_of(dataset);
  auto const filters = known_filters(creation);
  require_room(dataset, filters, name, count * element_bytes);
  std::vector<char> values(count * element_bytes);
  if (filters.empty()) {
    // Reads with the file's own type, so HDF5 converts nothing.
    Datatype const type(check(H5Dget_type(dataset.get())));
    check(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
    return values;
  }
  std::size_t const chunk = chunk_size(creation, name, count);
  std::vector<char> unpacked(chunk * element_bytes);
  for (hsize_t first = 0; first < count; first += chunk) {
    auto const stored = fetch_chunk(dataset, filters, &first, unpacked.size());
    // The chunk index has no checksum of its own. If damaged, its filter mask may claim that a
    // chunk has no checksum, so a chunk must have one if the dataset has the filter.
    bool const checked = stored && std::ranges::count(stored->applied, fletcher32_filter) ==
                                       std::ranges::count(filters, fletcher32_filter);
    require(checked, fmt::format("HDF5: the chunk index of \"{}\" is wrong", name));
    unpack_chunk(stored->bytes, stored->applied, element_bytes, unpacked);
    // The last chunk may extend beyond the dataset.
    std::size_t const length = std::min<std::size_t>(chunk, count - first) * element_bytes;
    std::copy_n(unpacked.begin(), length,
                values.begin() + static_cast<std::ptrdiff_t>(first * element_bytes));
  }
  return values;
}

PropertyList without_chunk_cache() {
  PropertyList access(check(H5Pcreate(H5P_DATASET_ACCESS)));
  check(H5Pset_chunk_cache(access.get(), 0, 0, H5D_CHUNK_CACHE_W0_DEFAULT));
  return access;
}

}  // namespace isotherm::hdf5
