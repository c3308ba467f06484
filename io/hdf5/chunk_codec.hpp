#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace isotherm {

/// The HDF5 filters of isotherm's compressed datasets, in the order in which they are applied. The
/// values are the bits by which a chunk's filter mask marks filters that were skipped.
enum ChunkFilter : std::uint32_t { shuffle_filter = 1, deflate_filter = 2, fletcher32_filter = 4 };

/// A compressed chunk, as it is stored in a file.
struct PackedChunk {
  std::vector<char> bytes{};
  std::uint32_t skipped_filters = 0;  ///< filters that were skipped (bits of ChunkFilter)
};

/// Compresses a chunk exactly as HDF5's filters shuffle, deflate and fletcher32 do, so that every
/// HDF5 reader can read it. Shuffle groups bytes of equal significance; fletcher32 appends a
/// checksum. If deflate does not make the chunk smaller, it is skipped. May be called from several
/// threads.
/// @param level  of deflate, 1 … 9
///
///     PackedChunk const packed = pack_chunk(bytes, sizeof(double), 4);
///     std::vector<char> again(bytes.size());
///     // Valid if packed.left_out is 0:
///     std::array const filters{shuffle_filter, deflate_filter, fletcher32_filter};
///     unpack_chunk(packed.bytes, filters, sizeof(double), again);
PackedChunk pack_chunk(std::span<char const> values, std::size_t element_bytes, int level);

/// Decompresses a chunk into `values`. It never writes more than values.size() bytes, whatever size
/// the stored bytes claim.
/// @param applied  the filters in the order in which they were applied, each at most once
/// @throws Error  if the result has another size, or if the checksum does not match
void unpack_chunk(std::span<char const> stored, std::span<ChunkFilter const> applied,
                  std::size_t element_bytes, std::span<char> values);

/// Returns the maximum number of bytes in a file of a chunk of `bytes` bytes.
std::size_t max_packed_bytes(std::size_t bytes);

/// Computes Fletcher's checksum (J. Fletcher, 1982) of 16-bit words, high byte first, as HDF5
/// defines it. The low half is the sum of the words, the high half the sum of all partial sums,
/// both modulo 2^16 − 1.
std::uint32_t fletcher32(std::span<char const> bytes);

}  // namespace isotherm
