#include "io/snapshot/checks/checksum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "io/snapshot/chunks/chunk_grid.hpp"

// The checksum of a field's values, as docs/reference/formats.md defines it.

namespace isotherm::test {
namespace {

/// The contribution of one value, computed step by step as docs/reference/formats.md defines it.
template <class Stored>
std::uint64_t added_by(std::uint64_t index, Stored value) {
  using Bits = std::conditional_t<sizeof(Stored) == 4, std::uint32_t, std::uint64_t>;
  std::uint64_t h = std::bit_cast<Bits>(value) ^ ((index + 1) * 0x9e3779b97f4a7c15);
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccd;
  h ^= h >> 33;
  h *= 0xc4ceb9fe1a85ec53;
  return h ^ (h >> 33);
}

template <class Real>
class Checksum : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Checksum, Precisions);

TYPED_TEST(Checksum, MatchesTheDocumentedFormatForRowsOfAnyLength) {
  for (std::int64_t const count : {0, 1, 7, 8, 9, 31, 32, 33, 1000}) {
    std::uint64_t const first = 12345;
    std::vector<TypeParam> values;
    std::uint64_t wanted = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      values.push_back(static_cast<TypeParam>(0.37 * static_cast<double>(i) - 3.0));
      wanted += added_by(first + static_cast<std::uint64_t>(i), values.back());
    }
    EXPECT_EQ(mixed_row(first, values.data(), count), wanted) << count;
  }
}

TYPED_TEST(Checksum, DependsOnTheGlobalPlacesOfPoints) {
  Extent3 const points{9, 5, 4};
  GlobalBox const box{{2, 1, 1}, {6, 4, 3}};
  std::vector<TypeParam> values;
  std::uint64_t wanted = 0;
  for (std::int64_t k = 1; k < 3; ++k) {
    for (std::int64_t j = 1; j < 4; ++j) {
      for (std::int64_t i = 2; i < 6; ++i) {
        values.push_back(static_cast<TypeParam>(i - 10 * j + 100 * k));
        wanted += added_by(static_cast<std::uint64_t>(i + 9 * (j + 5 * k)), values.back());
      }
    }
  }
  EXPECT_EQ(checksum_of(points, box, values.data()), wanted);
  values[5] += 1;
  EXPECT_NE(checksum_of(points, box, values.data()), wanted);
}

/// Checks `values` of `box`, which are passed in several dense parts.
template <class Real>
ValuesCheck found_in(BlockGrid const& blocks, std::vector<GlobalBox> const& parts, Real factor) {
  SharedCheck found(blocks);
  for (GlobalBox const& part : parts) {
    std::vector<Real> values;
    for (std::int64_t n = 0; n < part.point_count(); ++n) {
      Index3 const at = nth_index(part, n);
      values.push_back(factor * static_cast<Real>(at.x - 10 * at.y + 100 * at.z));
    }
    found.add(part, values.data());
  }
  return found.all();
}

TYPED_TEST(Checksum, IsIndependentOfTheDivisionIntoParts) {
  Extent3 const points{9, 5, 4};
  for (Extent3 const block : {Extent3{9, 2, 1}, Extent3{9, 5, 3}, Extent3{9, 1, 1}, points}) {
    BlockGrid const blocks(points, block);
    auto const whole = found_in<TypeParam>(blocks, {GlobalBox{{}, points}}, 1);
    auto const in_parts = found_in<TypeParam>(
        blocks, {{{0, 0, 0}, {4, 5, 4}}, {{4, 0, 0}, {9, 3, 4}}, {{4, 3, 0}, {9, 5, 4}}}, 1);

    EXPECT_EQ(in_parts.blocks, whole.blocks);
    ASSERT_EQ(static_cast<std::int64_t>(whole.blocks.size()), blocks.count());
    // each block depends on its own values only
    for (std::int64_t n = 0; n < blocks.count(); ++n) {
      auto const alone = found_in<TypeParam>(blocks, {blocks.box(n)}, 1).blocks;
      EXPECT_EQ(alone[static_cast<std::size_t>(n)], whole.blocks[static_cast<std::size_t>(n)]);
      EXPECT_EQ(std::count(alone.begin(), alone.end(), 0U), blocks.count() - 1);
    }
    EXPECT_TRUE(whole.finite);
    EXPECT_FALSE(
        found_in(blocks, {blocks.box(0)}, std::numeric_limits<TypeParam>::infinity()).finite);
  }
}

}  // namespace
}  // namespace isotherm::test
