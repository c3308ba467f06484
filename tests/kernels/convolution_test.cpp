#include "kernels/filters/convolution.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "kernels/core/error.hpp"
#include "kernels/filters/smoothing.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

namespace isotherm::test {
namespace {

template <class Real>
class Convolution : public BackendTest {
 protected:
  static constexpr Extent3 points{37, 9, 6};
  static constexpr int halo = 4;

  Queue queue_ = backend_missing().empty() ? make_queue() : Queue(Backend::cpu);
  Field<Real> from_{queue_, points, {halo, halo, halo}};
  Field<Real> to_{queue_, points, {halo, halo, halo}};
  HostBox<Real> values_ = random_points<Real>(from_.layout().box(), 3);
  HostBox<Real> before_ = random_points<Real>(to_.layout().box(), 4);

  void SetUp() override {
    BackendTest::SetUp();
    write_points(queue_, from_, values_);
    write_points(queue_, to_, before_);
  }

  [[nodiscard]] double expected(std::vector<double> const& weights, Index3 at, int axis) const {
    double sum = 0.0;
    at[axis] -= static_cast<std::int64_t>(weights.size() / 2);
    for (double const weight : weights) {
      sum += weight * static_cast<double>(values_(at.x, at.y, at.z));
      ++at[axis];
    }
    return sum;
  }

  void expect_convolved(std::vector<double> const& weights, LocalBox box, int axis) {
    convolve<Real>(queue_, std::as_const(from_).view(), to_.view(), box, axis, weights);
    auto const after = read_points(queue_, to_, before_.box);
    for_each(before_.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      if (box.contains(i, j, k)) {
        EXPECT_NEAR(static_cast<double>(after(i, j, k)), expected(weights, {i, j, k}, axis),
                    16.0 * std::numeric_limits<Real>::epsilon())
            << i << ", " << j << ", " << k << " along " << axis;
      } else {
        EXPECT_EQ(after(i, j, k), before_(i, j, k)) << i << ", " << j << ", " << k;
      }
    });
  }
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Convolution, Reals);

TYPED_TEST(Convolution, SumsNeighboursAlongEachAxis) {
  std::vector<double> const weights{0.1, -0.25, 0.5, 0.7, 0.0, 0.3, -0.05, 0.2, 0.4};
  for (int const axis : {0, 1, 2}) {
    this->expect_convolved(weights, this->from_.owned(), axis);
  }
}

TYPED_TEST(Convolution, TakesAnyBoxAndLeavesOtherPointsAlone) {
  this->expect_convolved({0.25, 0.5, 0.25}, {{3, -1, 2}, {20, 4, 3}}, 1);
}

TYPED_TEST(Convolution, OfOneWeightIsAProduct) {
  this->expect_convolved({2.0}, this->from_.layout().box(), 2);
}

TYPED_TEST(Convolution, DoesNotReachPastItsFields) {
  std::vector<double> const weights(11, 0.1);
  EXPECT_THROW(convolve<TypeParam>(this->queue_, std::as_const(this->from_).view(),
                                   this->to_.view(), this->from_.owned(), 0, weights),
               Error);
  EXPECT_THROW(
      convolve<TypeParam>(this->queue_, std::as_const(this->from_).view(), this->to_.view(),
                          this->from_.owned(), 0, std::vector<double>(4, 0.25)),
      Error);
}

TEST(GaussianWeights, AreThoseOfTheBellToFourWidths) {
  auto const weights = gaussian_weights(1.5);
  ASSERT_EQ(weights.size(), 13U);
  EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1.0, 1e-15);
  EXPECT_EQ(weights.front(), weights.back());
  EXPECT_NEAR(weights[8] / weights[6], std::exp(-0.5 * 4.0 / 2.25), 1e-15);
  EXPECT_EQ(gaussian_weights(0.1), std::vector<double>{1.0});
}

TEST(BoxWeights, AreThePointsWithinTheWidth) {
  EXPECT_EQ(box_weights(1.9), std::vector<double>{1.0});
  EXPECT_EQ(box_weights(2.0), std::vector<double>(3, 1.0 / 3.0));
  EXPECT_EQ(box_weights(3.0 * 0.1 / 0.1), std::vector<double>(3, 1.0 / 3.0));
  EXPECT_EQ(box_weights(255.0).size(), 255U);
}

TEST(SmoothingWeights, OfTooWideAKernelSayHowWideOneMayBe) {
  for (double const width : {0.0, -1.0, 40.0, std::nan(""), 1e300}) {
    EXPECT_THROW(gaussian_weights(width), InputError) << width;
  }
  EXPECT_THROW(box_weights(256.5), InputError);
  EXPECT_NO_THROW(gaussian_weights(31.75));
}

}  // namespace
}  // namespace isotherm::test
