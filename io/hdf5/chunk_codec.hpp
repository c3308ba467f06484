#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace isotherm {

/// The filters of a compressed dataset, in the order in which isotherm applies them; their bits
/// say which of them a chunk is stored without.
enum ChunkFilter : std::uint32_t { shuffle_filter = 1, deflate_filter = 2, fletcher32_filter = 4 };

/// A chunk as a file holds it.
struct PackedChunk {
  std::vector<char> bytes{};
  std::uint32_t left_out = 0;  ///< filters that were not applied (ChunkFilter)
};

/// Bytes of the same significance put together, deflated, and a checksum behind: what HDF5's
/// filters shuffle, deflate and fletcher32 make of a chunk, so that every reader of HDF5 reads it.
/// Values that do not become smaller are not deflated. May be called from several threads.
/// @param level  1 … 9
PackedChunk pack_chunk(std::span<char const> values, std::size_t element_bytes, int level);

/// Undoes filters. The result has exactly as many bytes as `values`, however many the stored ones
/// claim to be.
/// @param applied  the filters in the order in which they were applied, each at most once
/// @throws Error  if the stored bytes are of another size, or do not have their checksum
void unpack_chunk(std::span<char const> stored, std::span<ChunkFilter const> applied,
                  std::size_t element_bytes, std::span<char> values);

/// Bytes that a chunk of `bytes` bytes takes at most in a file.
std::size_t most_packed_bytes(std::size_t bytes);

/// J. Fletcher's checksum (1982) of 16-bit words, high byte first, as HDF5 takes it.
std::uint32_t fletcher32(std::span<char const> bytes);

}  // namespace isotherm
