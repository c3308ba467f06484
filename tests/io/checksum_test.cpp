#include "io/snapshot/checksum.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace isotherm::test {
namespace {

/// What docs/formats.md says that a value adds, step by step.
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

TYPED_TEST(Checksum, IsWhatTheFormatSaysForRowsOfAnyLength) {
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

TYPED_TEST(Checksum, OfABoxCountsThePlacesOfItsPoints) {
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
  EXPECT_TRUE(check_of(points, box, values.data()).finite);
  values[5] = std::numeric_limits<TypeParam>::infinity();
  EXPECT_FALSE(check_of(points, box, values.data()).finite);
  EXPECT_NE(check_of(points, box, values.data()).checksum, wanted);
}

}  // namespace
}  // namespace isotherm::test
