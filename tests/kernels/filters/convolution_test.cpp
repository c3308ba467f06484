#include "kernels/filters/convolution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "kernels/core/arithmetic.hpp"
#include "kernels/core/error.hpp"
#include "kernels/filters/smoothing.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/sanitized.hpp"

// Convolution along an axis, compared with plain loops.

namespace isotherm::test {
namespace {

std::vector<double> some_weights(int radius) {
  std::vector<double> weights;
  for (int m = -radius; m <= radius; ++m) weights.push_back(std::cos(3.0 * m) / (1.0 + m * m));
  return weights;
}

/// A box of points and the radius of the weights.
struct Reach {
  Extent3 points;
  int radius;
};

/// Lengths of every remainder modulo the points that kernels process at a time, and shorter ones;
/// each radius that has its own kernel, and the largest radius.
std::vector<Reach> reaches() {
  return {{{37, 9, 6}, 4},   {{1, 1, 1}, 3},     {{3, 2, 5}, 1},      {{300, 5, 3}, 2},
          {{130, 67, 2}, 9}, {{17, 6, 70}, 8},   {{533, 70, 1}, 0},   {{33, 150, 1}, 40},
          {{600, 2, 2}, 60}, {{5, 270, 1}, 127}, {{40, 3, 140}, 127}, {{1100, 3, 1}, 127},
          {{21, 11, 5}, 5},  {{35, 4, 9}, 6},    {{18, 19, 3}, 7}};
}

template <class Real>
class Convolution : public BackendTest {
 protected:
  Queue queue_ = backend_missing().empty() ? make_queue() : Queue(Backend::cpu);
  Queue host_{Backend::cpu};

  /// Input and output fields of `points` with a halo, and their values before the convolution.
  struct Fields {
    HostBox<Real> values, before;
    Field<Real> from, to;

    Fields(Queue& queue, Extent3 points, int halo)
        : values(random_points<Real>(LocalBox{{}, points}.grown({halo, halo, halo}), 3)),
          before(random_points<Real>(values.box, 4)),
          from(queue, points, {halo, halo, halo}),
          to(queue, points, {halo, halo, halo}) {
      write_points(queue, from, values);
      write_points(queue, to, before);
    }
  };

  static HostBox<Real> convolved(Queue& queue, Extent3 points, int halo, LocalBox box, int axis,
                                 std::vector<double> const& weights) {
    Fields fields(queue, points, halo);
    convolve<Real>(queue, std::as_const(fields.from).view(), fields.to.view(), box, axis, weights);
    return read_points(queue, fields.to, fields.before.box);
  }

  [[nodiscard]] static double expected(HostBox<Real> const& values,
                                       std::vector<double> const& weights, Index3 at, int axis) {
    double sum = 0.0;
    at[axis] -= static_cast<std::int64_t>(weights.size() / 2);
    for (double const weight : weights) {
      sum += weight * static_cast<double>(values(at.x, at.y, at.z));
      ++at[axis];
    }
    return sum;
  }

  /// Expects sums that match plain loops within rounding, and all other points to be unchanged.
  void expect_convolved(std::vector<double> const& weights, Extent3 points, int halo, LocalBox box,
                        int axis) {
    Fields const fields(host_, points, halo);
    auto const after = convolved(queue_, points, halo, box, axis, weights);
    std::int64_t wrong = 0;
    for_each(fields.before.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      auto const found = static_cast<double>(after(i, j, k));
      bool const written = box.contains(i, j, k);
      double const wanted = written ? expected(fields.values, weights, {i, j, k}, axis)
                                    : static_cast<double>(fields.before(i, j, k));
      double const bound = written ? 16.0 * std::numeric_limits<Real>::epsilon() : 0.0;
      if (!(std::abs(found - wanted) <= bound)) ++wrong;
    });
    EXPECT_EQ(wrong, 0) << "along " << axis;
  }

  /// Returns the sum at a point in the field's precision and in the order of the weights.
  [[nodiscard]] static Real rounded_sum(HostBox<Real> const& values,
                                        std::vector<double> const& weights, Index3 at, int axis) {
    Real sum{-0.0};
    at[axis] -= static_cast<std::int64_t>(weights.size() / 2);
    for (double const weight : weights) {
      sum = multiply_add(static_cast<Real>(weight), values(at.x, at.y, at.z), sum);
      ++at[axis];
    }
    return sum;
  }

  /// Expects the bits of rounded_sum() at each point.
  void expect_same_bits(Reach const& reach, std::vector<int> const& axes) {
    auto const weights = some_weights(reach.radius);
    for (int const axis : axes) {
      // Only the axis of the weights needs a deep halo.
      Index3 deep{1, 1, 1};
      deep[axis] = std::max(1, reach.radius);
      LocalBox const box{{}, reach.points};
      auto const values = random_points<Real>(box.grown(deep), 5);
      Field<Real> from(queue_, reach.points, deep);
      Field<Real> to(queue_, reach.points, deep);
      write_points(queue_, from, values);
      convolve<Real>(queue_, std::as_const(from).view(), to.view(), box, axis, weights);
      auto const found = read_points(queue_, to, box);
      std::int64_t wrong = 0;
      for_each(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        Real const value = found(i, j, k);
        Real const wanted = rounded_sum(values, weights, {i, j, k}, axis);
        if (std::memcmp(&value, &wanted, sizeof(Real)) != 0) ++wrong;
      });
      EXPECT_EQ(wrong, 0) << "along " << axis << " of " << reach.points.x << " x " << reach.points.y
                          << " x " << reach.points.z << ", radius " << reach.radius;
    }
  }
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Convolution, Reals);

constexpr Extent3 points{37, 9, 6};
constexpr LocalBox owned{{}, points};

TYPED_TEST(Convolution, MatchesPlainLoopsAlongEachAxis) {
  std::vector<double> const weights{0.1, -0.25, 0.5, 0.7, 0.0, 0.3, -0.05, 0.2, 0.4};
  for (int const axis : {0, 1, 2}) this->expect_convolved(weights, points, 4, owned, axis);
}

TYPED_TEST(Convolution, ChangesOnlyPointsOfTheBox) {
  this->expect_convolved({0.25, 0.5, 0.25}, points, 4, {{3, -1, 2}, {20, 4, 3}}, 1);
  this->expect_convolved({0.25, 0.5, 0.25}, {301, 14, 9}, 2, {{-1, 1, -1}, {287, 12, 8}}, 0);
  this->expect_convolved({0.25, 0.5, 0.25}, {301, 14, 9}, 2, {{-1, 1, -1}, {287, 12, 8}}, 1);
  this->expect_convolved({0.25, 0.5, 0.25}, {301, 14, 9}, 2, {{5, 1, -1}, {287, 12, 8}}, 2);
}

TYPED_TEST(Convolution, SingleWeightScalesTheField) {
  this->expect_convolved({2.0}, points, 4, owned.grown({4, 4, 4}), 2);
}

TYPED_TEST(Convolution, SumsInTheOrderOfTheWeights) {
  for (Reach const& reach : reaches()) this->expect_same_bits(reach, {0, 1, 2});
}

TYPED_TEST(Convolution, SameBitsForFieldsLargerThanTheCache) {
  if (is_sanitized && sizeof(TypeParam) == sizeof(float)) return;
  this->expect_same_bits({{10'420 / std::int64_t{sizeof(TypeParam)}, 2'501, 1}, 2}, {0, 1});
}

TYPED_TEST(Convolution, KeepsSignedZerosInfinitiesAndNaN) {
  Extent3 const line{40, 1, 1};
  Field<TypeParam> from(this->queue_, line, {1, 1, 1});
  Field<TypeParam> to(this->queue_, line, {1, 1, 1});
  fill(this->queue_, from.view(), {{0, -1, -1}, {20, 2, 2}}, TypeParam{-0.0});
  fill(this->queue_, from.view(), {{30, -1, -1}, {31, 2, 2}},
       std::numeric_limits<TypeParam>::infinity());
  for (int const axis : {0, 1, 2}) {
    convolve<TypeParam>(this->queue_, std::as_const(from).view(), to.view(), to.owned(), axis,
                        std::vector<double>{1.0, 1.0, 1.0});
    auto const after = read_points(this->queue_, to, to.owned());
    EXPECT_TRUE(std::signbit(after(10, 0, 0))) << axis;
    EXPECT_FALSE(std::signbit(after(25, 0, 0))) << axis;
    EXPECT_TRUE(std::isinf(after(30, 0, 0))) << axis;
    EXPECT_EQ(after(32, 0, 0), TypeParam{0}) << axis;
  }
}

TYPED_TEST(Convolution, RefusesWideOrEvenWeights) {
  Field<TypeParam> const from(this->queue_, points, {4, 4, 4});
  Field<TypeParam> to(this->queue_, points, {4, 4, 4});
  auto const with = [&](std::vector<double> const& weights) {
    convolve<TypeParam>(this->queue_, from.view(), to.view(), to.owned(), 0, weights);
  };
  EXPECT_THROW(with(std::vector<double>(11, 0.1)), Error);
  EXPECT_THROW(with(std::vector<double>(4, 0.25)), Error);
}

TEST(GaussianWeights, FollowTheGaussianUpToFourWidths) {
  auto const weights = gaussian_weights(1.5);
  ASSERT_EQ(weights.size(), 13U);
  EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1.0, 1e-15);
  EXPECT_EQ(weights.front(), weights.back());
  EXPECT_NEAR(weights[8] / weights[6], std::exp(-0.5 * 4.0 / 2.25), 1e-15);
  EXPECT_EQ(gaussian_weights(0.1), std::vector<double>{1.0});
}

TEST(BoxWeights, CoverThePointsWithinTheWidth) {
  EXPECT_EQ(box_weights(1.9), std::vector<double>{1.0});
  EXPECT_EQ(box_weights(2.0), std::vector<double>(3, 1.0 / 3.0));
  EXPECT_EQ(box_weights(3.0 * 0.1 / 0.1), std::vector<double>(3, 1.0 / 3.0));
  EXPECT_EQ(box_weights(255.0).size(), 255U);
}

TEST(SmoothingWeights, RefusalNamesTheLargestWidth) {
  for (double const width : {0.0, -1.0, 40.0, std::nan(""), 1e300}) {
    EXPECT_THROW(gaussian_weights(width), InputError) << width;
  }
  EXPECT_THROW(box_weights(256.5), InputError);
  EXPECT_NO_THROW(gaussian_weights(31.75));
}

}  // namespace
}  // namespace isotherm::test
