#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "io/hdf5/chunk_codec.hpp"
#include "io/hdf5/hdf5.hpp"

/// What a dataset holds, as bytes. Other programs may have put it into chunks of any size and
/// passed it through filters.
namespace isotherm::hdf5 {

/// Thrown if values passed a filter that is not read here. The message is one clause.
class UnknownFilter : public Error {
 public:
  using Error::Error;
};

/// The filters of a dataset, in the order in which they were applied: each of ChunkFilter at most
/// once. @throws UnknownFilter  if there are others
std::vector<ChunkFilter> known_filters(PropertyList const& creation);

/// "32000 (lzf)": the filter with this place among those of a dataset.
std::string filter_name(PropertyList const& creation, unsigned place);

/// Deflate packs at most that many bytes into one.
inline constexpr std::uint64_t most_deflated = 1032;

/// The fewest bytes that so many bytes take after filters.
std::uint64_t least_stored_bytes(std::vector<ChunkFilter> const& filters, std::uint64_t bytes);

/// A chunk as the file holds it.
struct StoredChunk {
  std::vector<char> bytes{};
  std::vector<ChunkFilter> applied{};  ///< some of the dataset's filters, in their order
};

/// Reads a chunk as it is stored; none if it was never written.
/// @param filters  of the dataset, at least one
/// @param first    the place of its first value
/// @param bytes    that it has without filters. @throws Error  if it takes more than they can need
std::optional<StoredChunk> fetch_chunk(Dataset const& dataset,
                                       std::vector<ChunkFilter> const& filters,
                                       hsize_t const* first, std::size_t bytes);

/// Reads the values of a dataset of one axis as they are in the file, without their filters. Asks
/// for no more memory than the file has bytes for.
/// @param dataset  of `count` values of `element_bytes` each, opened without a chunk cache
/// @param name     for messages
/// @throws Error  if a part is missing or damaged
std::vector<char> read_bytes(Dataset const& dataset, char const* name, std::size_t count,
                             std::size_t element_bytes);

/// How datasets are opened whose chunks may have passed no filter. HDF5 would read as many bytes of
/// such a chunk into its cache as the file notes, and use as many as the chunk has.
PropertyList without_chunk_cache();

}  // namespace isotherm::hdf5
