#include "kernels/core/finite.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

// Checking that all values are finite.

namespace isotherm::test {
namespace {

template <class Real>
class Finite : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Finite, Precisions);

template <class Real>
bool finite(std::vector<Real> const& values) {
  std::span<Real const> const all(values);
  EXPECT_EQ(all_finite_here(all), all_finite(all));
  return all_finite(all);
}

TYPED_TEST(Finite, AcceptsLargestSmallestAndDenormalNumbers) {
  using Limits = std::numeric_limits<TypeParam>;
  EXPECT_TRUE(finite<TypeParam>({}));
  EXPECT_TRUE(finite<TypeParam>({0, TypeParam(-0.0), 1, Limits::max(), Limits::lowest(),
                                 Limits::min(), Limits::denorm_min(), -Limits::denorm_min()}));
}

TYPED_TEST(Finite, FindsInfinityOrNaNAtAnyPlace) {
  using Limits = std::numeric_limits<TypeParam>;
  for (std::size_t const count : {std::size_t{1}, std::size_t{17}, std::size_t{100'003}}) {
    std::vector<TypeParam> values(count, TypeParam{1});
    for (std::size_t const place : {std::size_t{0}, count / 3, count - 1}) {
      for (TypeParam const bad : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
                                  Limits::signaling_NaN()}) {
        values[place] = bad;
        EXPECT_FALSE(finite(values)) << count << " values, " << bad << " at " << place;
      }
      values[place] = 1;
    }
    EXPECT_TRUE(finite(values));
  }
}

}  // namespace
}  // namespace isotherm::test
