#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "io/hdf5/chunk_codec.hpp"
#include "io/hdf5/hdf5.hpp"

/// The stored bytes of datasets. Other programs may have written them in chunks of any size and
/// through any filters.
namespace isotherm::hdf5 {

/// Thrown if values have passed a filter that isotherm cannot undo. The message is a clause.
class UnknownFilter : public Error {
 public:
  using Error::Error;
};

/// Returns the filters of a dataset in the order in which they were applied, each at most once.
/// @throws UnknownFilter  if there are other or repeated filters
std::vector<ChunkFilter> known_filters(PropertyList const& creation);

/// Returns number and name of a dataset's filter for messages: "32000 (lzf)".
/// @param place  of the filter among those of the dataset
std::string filter_name(PropertyList const& creation, unsigned place);

/// Largest compression ratio of deflate, 1032 to 1. It bounds the number of values that a file of a
/// given length can hold.
inline constexpr std::uint64_t max_deflated = 1032;

/// Returns the minimum number of bytes that `bytes` bytes occupy after the filters.
std::uint64_t min_stored_bytes(std::vector<ChunkFilter> const& filters, std::uint64_t bytes);

/// A chunk as the file stores it.
struct StoredChunk {
  std::vector<char> bytes{};
  std::vector<ChunkFilter> applied{};  ///< the filters that were not skipped, in their order
};

/// Reads a chunk without undoing its filters. Returns nullopt if it was never written.
/// @param filters  of the dataset, at least one
/// @param first  indices of the chunk's first value
/// @param bytes  size of the chunk without filters
/// @throws Error  if the stored size exceeds what such a chunk can need
std::optional<StoredChunk> fetch_chunk(Dataset const& dataset,
                                       std::vector<ChunkFilter> const& filters,
                                       hsize_t const* first, std::size_t bytes);

/// Reads the values of a dataset of one axis, in the byte order of the file, and undoes their
/// filters. Allocates no more memory than the file has bytes for.
/// @param dataset  `count` values of `element_bytes` each; opened without chunk cache
/// @param name  for messages
/// @throws Error  if a part is missing or damaged
std::vector<char> read_bytes(Dataset const& dataset, char const* name, std::size_t count,
                             std::size_t element_bytes);

/// Returns access properties for datasets whose chunks may be stored without filters. With a chunk
/// cache, HDF5 reads as many bytes of such a chunk as the file records, but uses as many as the
/// chunk's shape requires.
PropertyList without_chunk_cache();

}  // namespace isotherm::hdf5
