#include "kernels/core/byte_count.hpp"

#include <gtest/gtest.h>

#include "kernels/core/error.hpp"
#include "kernels/core/field.hpp"

// Byte counts that saturate instead of overflowing.

namespace isotherm::test {
namespace {

TEST(ByteCount, SaturatesInsteadOfOverflowing) {
  std::size_t const half = uncountable_bytes / 2;
  EXPECT_EQ(product_of_bytes(3, 8), 24U);
  EXPECT_EQ(product_of_bytes(half, 2), uncountable_bytes - 1);
  EXPECT_EQ(product_of_bytes(half, 3), uncountable_bytes);
  EXPECT_EQ(product_of_bytes(half, 0), 0U);
  EXPECT_EQ(sum_of_bytes(half, half), uncountable_bytes - 1);
  EXPECT_EQ(sum_of_bytes(uncountable_bytes, 1), uncountable_bytes);
  EXPECT_EQ(sum_of_bytes(0, uncountable_bytes), uncountable_bytes);
}

TEST(ByteCount, FootprintOfHugeFieldsSaturates) {
  for (Backend const backend : {Backend::cpu, Backend::cuda}) {
    EXPECT_EQ(Buffer::footprint(backend, Space::device, uncountable_bytes - 5), uncountable_bytes);
    for (std::int64_t const n : {std::int64_t{1} << 17, std::int64_t{1} << 20}) {
      EXPECT_EQ(Field<double>::footprint(backend, {n, n, n}, {4, 4, 4}), uncountable_bytes);
    }
    std::int64_t const large = std::int64_t{1} << 15;
    auto const bytes =
        static_cast<double>(Field<double>::footprint(backend, {large, large, large}, {0, 0, 0}));
    EXPECT_GT(bytes, 0x1p48);
    EXPECT_LT(bytes, 0x1.02p48);
  }
}

TEST(ByteCount, AllocationBeyondAnyMemoryThrows) {
  Queue queue(Backend::cpu);
  EXPECT_THROW(Buffer(queue, Space::host, uncountable_bytes - 5), Error);
}

}  // namespace
}  // namespace isotherm::test
