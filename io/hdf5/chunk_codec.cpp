#include "io/hdf5/chunk_codec.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <zlib.h>

#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

constexpr std::size_t checksum_bytes = 4;  // appended by fletcher32

/// Shuffles elements that are read as integers of their size. Compilers vectorise these loops.
template <class Bits>
void shuffle_as(char const* from, std::size_t count, char* to) {
  for (std::size_t byte = 0; byte < sizeof(Bits); ++byte) {
    char* const plane = to + byte * count;
    for (std::size_t i = 0; i < count; ++i) {
      Bits bits;
      std::memcpy(&bits, from + i * sizeof(Bits), sizeof(Bits));
      plane[i] = static_cast<char>(bits >> (8 * byte));
    }
  }
}

/// The inverse of shuffle_as().
template <class Bits>
void unshuffle_as(char const* from, std::size_t count, char* to) {
  for (std::size_t i = 0; i < count; ++i) {
    Bits bits = 0;
    for (std::size_t byte = 0; byte < sizeof(Bits); ++byte) {
      bits |= static_cast<Bits>(static_cast<unsigned char>(from[byte * count + i])) << (8 * byte);
    }
    std::memcpy(to + i * sizeof(Bits), &bits, sizeof(Bits));
  }
}

static_assert(std::endian::native == std::endian::little,
              "files store numbers in little-endian order");

/// The shuffle filter: first the lowest bytes of all elements, then all second bytes, and so forth
/// up to the highest. Neighbouring values often agree in their high bytes, which then compress
/// well.
std::vector<char> shuffled(std::span<char const> values, std::size_t element_bytes) {
  std::size_t const count = values.size() / element_bytes;
  std::vector<char> result(values.size());
  if (element_bytes == 4) {
    shuffle_as<std::uint32_t>(values.data(), count, result.data());
  } else if (element_bytes == 8) {
    shuffle_as<std::uint64_t>(values.data(), count, result.data());
  } else {
    for (std::size_t n = 0; n < count * element_bytes; ++n) {
      result[n % element_bytes * count + n / element_bytes] = values[n];
    }
  }
  return result;
}

/// The inverse of shuffled(). Bytes behind the last whole element keep their position.
std::vector<char> unshuffled(std::span<char const> from, std::size_t element_bytes) {
  std::size_t const count = from.size() / element_bytes;
  std::vector<char> values(from.begin(), from.end());
  if (element_bytes == 4) {
    unshuffle_as<std::uint32_t>(from.data(), count, values.data());
  } else if (element_bytes == 8) {
    unshuffle_as<std::uint64_t>(from.data(), count, values.data());
  } else {
    for (std::size_t n = 0; n < count * element_bytes; ++n) {
      values[n] = from[n % element_bytes * count + n / element_bytes];
    }
  }
  return values;
}

/// The bytes as unsigned numbers, as zlib and the checksum need them.
unsigned char const* as_bytes(char const* bytes) {
  return reinterpret_cast<unsigned char const*>(bytes);
}

/// The deflate filter; an empty result if the compressed bytes are not fewer.
std::vector<char> deflated(std::span<char const> values, int level) {
  // zlib needs room for the worst case before it compresses.
  std::vector<char> result(compressBound(values.size()));
  auto bytes = static_cast<uLongf>(result.size());
  int const status = compress2(reinterpret_cast<Bytef*>(result.data()), &bytes,
                               as_bytes(values.data()), values.size(), level);
  require(status == Z_OK, "a chunk cannot be compressed (out of memory?)");
  // Equally long does not pay: reading would then have to decompress for nothing.
  result.resize(bytes < values.size() ? bytes : 0);
  return result;
}

/// The inverse of deflated(). Throws Error unless the result fills `values` exactly; zlib never
/// writes beyond it.
void inflate_into(std::span<char const> stored, std::span<char> values) {
  auto bytes = static_cast<uLongf>(values.size());
  int const status = uncompress(reinterpret_cast<Bytef*>(values.data()), &bytes,
                                as_bytes(stored.data()), stored.size());
  require(status == Z_OK && bytes == values.size(), "a chunk of values cannot be decompressed");
}

/// The fletcher32 filter: appends the checksum, low byte first.
void append_checksum(std::vector<char>& bytes) {
  std::uint32_t const sum = fletcher32(bytes);
  for (int shift = 0; shift < 32; shift += 8) {
    bytes.push_back(static_cast<char>(sum >> shift & 0xff));
  }
}

/// Verifies the checksum and returns the bytes before it.
std::span<char const> checked(std::span<char const> stored) {
  require(stored.size() >= checksum_bytes, "a chunk of values is too short");
  auto const bytes = stored.first(stored.size() - checksum_bytes);
  std::uint32_t found = 0;
  for (std::size_t i = 0; i < checksum_bytes; ++i) {
    found |= std::uint32_t{static_cast<unsigned char>(stored[bytes.size() + i])} << (8 * i);
  }
  require(found == fletcher32(bytes), "the checksum of a chunk of values is wrong");
  return bytes;
}

}  // namespace

std::uint32_t fletcher32(std::span<char const> bytes) {
  constexpr std::size_t words_without_overflow = 360;  // per fold; the sums then fit in 32 bits
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  // Reduces a sum modulo 2^16 − 1 to at most 17 bits.
  auto const fold = [](std::uint32_t sum) { return (sum & 0xffff) + (sum >> 16); };
  unsigned char const* at = as_bytes(bytes.data());
  for (std::size_t words = bytes.size() / 2; words > 0;) {
    std::size_t const now = std::min(words, words_without_overflow);
    for (std::size_t i = 0; i < now; ++i, at += 2) {
      // HDF5 combines bytes as big-endian words on every machine.
      low += std::uint32_t{at[0]} << 8 | at[1];
      high += low;
    }
    low = fold(low);
    high = fold(high);
    words -= now;
  }
  // An odd last byte is the high byte of a word.
  if (bytes.size() % 2 != 0) {
    low += std::uint32_t{*at} << 8;
    high += low;
    low = fold(low);
    high = fold(high);
  }
  return fold(high) << 16 | fold(low);
}

PackedChunk pack_chunk(std::span<char const> values, std::size_t element_bytes, int level) {
  std::vector<char> plain = shuffled(values, element_bytes);
  PackedChunk packed{deflated(plain, level), 0};
  if (packed.bytes.empty()) {
    // The chunk is stored shuffled only, and its mask shows that deflate was skipped.
    packed = {std::move(plain), deflate_filter};
  }
  append_checksum(packed.bytes);
  return packed;
}

void unpack_chunk(std::span<char const> stored, std::span<ChunkFilter const> applied,
                  std::size_t element_bytes, std::span<char> values) {
  std::vector<char> bytes(stored.begin(), stored.end());
  // Filters are undone in reverse order. A filter before fletcher32 worked on bytes without
  // checksum, a later one on bytes with it; `size` is the size before filter i was applied.
  for (std::size_t i = applied.size(); i-- > 0;) {
    auto const before = applied.first(i);
    bool const has_checksum = std::ranges::count(before, fletcher32_filter) > 0;
    std::size_t const size = values.size() + (has_checksum ? checksum_bytes : 0);
    if (applied[i] == fletcher32_filter) {
      bytes.resize(checked(bytes).size());
    } else if (applied[i] == deflate_filter) {
      std::vector<char> inflated(size);
      inflate_into(bytes, inflated);
      bytes = std::move(inflated);
    } else {
      bytes = unshuffled(bytes, element_bytes);
    }
  }
  require(bytes.size() == values.size(), "a chunk of values has the wrong size");
  std::ranges::copy(bytes, values.begin());
}

std::size_t max_packed_bytes(std::size_t bytes) {
  return compressBound(static_cast<uLong>(bytes)) + checksum_bytes;
}

}  // namespace isotherm
