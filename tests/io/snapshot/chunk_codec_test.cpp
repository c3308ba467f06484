#include "io/hdf5/chunk_codec.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <random>
#include <string>

#include "kernels/core/error.hpp"

// HDF5's filters, applied without HDF5: shuffle, deflate and fletcher32.

namespace isotherm::test {
namespace {

constexpr std::array all_filters{shuffle_filter, deflate_filter, fletcher32_filter};

std::span<char const> bytes_of(std::vector<float> const& values) {
  return {reinterpret_cast<char const*>(values.data()), values.size() * sizeof(float)};
}

std::vector<float> smooth_values() {
  std::vector<float> values;
  for (int i = 0; i < 5000; ++i) {
    values.push_back(static_cast<float>(i / 100));
  }
  return values;
}

std::vector<float> noise() {
  std::mt19937 engine(42);
  std::vector<float> values(5000);
  for (float& value : values) {
    value = std::bit_cast<float>(static_cast<std::uint32_t>(engine()) & 0x7f7fffffU);
  }
  return values;
}

std::vector<float> unpacked(PackedChunk const& packed, std::size_t count) {
  std::vector<float> values(count);
  std::vector<ChunkFilter> applied;
  std::ranges::copy_if(all_filters, std::back_inserter(applied),
                       [&](ChunkFilter filter) { return (packed.skipped_filters & filter) == 0; });
  unpack_chunk(packed.bytes, applied, sizeof(float),
               {reinterpret_cast<char*>(values.data()), count * sizeof(float)});
  return values;
}

// Known sums for "abcde", "abcdef" and "abcdefgh". The definition reads words with the low byte
// first; here the bytes of each pair are swapped.
TEST(Fletcher32, MatchesKnownSums) {
  auto const sum = [](std::string const& text) { return fletcher32({text.data(), text.size()}); };
  EXPECT_EQ(sum("badcfe"), 0x56502d2aU);
  EXPECT_EQ(sum("badcfehg"), 0xebe19591U);
  EXPECT_EQ(sum(""), 0U);
}

/// The definition: a sum of words, high byte first. A last odd byte is the high byte of a word.
std::uint32_t plain_fletcher32(std::string const& text) {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    auto const byte = [&](std::size_t at) -> std::uint32_t {
      return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
    };
    low = (low + 256 * byte(i) + byte(i + 1)) % 65535;
    high = (high + low) % 65535;
  }
  return high * 65536 + low;
}

TEST(Fletcher32, MatchesTheDefinitionForOddLengths) {
  EXPECT_EQ(fletcher32(std::span("bad", 3)), 0x28c3c661U);
  std::string text;
  for (int i = 0; i < 2003; ++i) {
    text.push_back(static_cast<char>(i * i % 251));
    EXPECT_EQ(fletcher32(text), plain_fletcher32(text)) << text.size();
  }
}

TEST(ChunkCodec, RoundTrips) {
  auto const values = smooth_values();
  PackedChunk const packed = pack_chunk(bytes_of(values), sizeof(float), 4);

  EXPECT_EQ(unpacked(packed, values.size()), values);
  EXPECT_EQ(packed.skipped_filters, 0U);
  EXPECT_LT(packed.bytes.size(), values.size());
}

TEST(ChunkCodec, SkipsDeflationWithoutGain) {
  std::vector<float> values = noise();
  values.resize(7);  // too few to become smaller
  PackedChunk const packed = pack_chunk(bytes_of(values), sizeof(float), 9);

  EXPECT_EQ(packed.skipped_filters, std::uint32_t{deflate_filter});
  EXPECT_LE(packed.bytes.size(), max_packed_bytes(values.size() * sizeof(float)));
  EXPECT_EQ(unpacked(packed, values.size()), values);
}

TEST(ChunkCodec, DetectsEveryFlippedBit) {
  auto const values = noise();
  PackedChunk const good = pack_chunk(bytes_of(values), sizeof(float), 1);
  for (std::size_t byte = 0; byte < good.bytes.size(); byte += 997) {
    PackedChunk bad = good;
    bad.bytes[byte] = static_cast<char>(bad.bytes[byte] ^ 16);
    EXPECT_THROW(unpacked(bad, values.size()), Error) << byte;
  }
}

TEST(ChunkCodec, NeverUnpacksMoreThanRequested) {
  auto const values = smooth_values();
  PackedChunk const packed = pack_chunk(bytes_of(values), sizeof(float), 9);

  EXPECT_THROW(unpacked(packed, values.size() - 1), Error);
  EXPECT_THROW(unpacked(packed, values.size() + 1), Error);
  EXPECT_THROW(unpacked({{}, 0}, values.size()), Error);
}

}  // namespace
}  // namespace isotherm::test
