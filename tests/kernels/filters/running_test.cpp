#include "kernels/filters/lines/running.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels/core/error.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

// Running sums, integrals, means and extremes along an axis.

namespace isotherm::test {
namespace {

template <class Real>
class RunningAlong : public BackendTest {
 protected:
  // More than two blocks of 64 points along x, and an incomplete one.
  static constexpr Extent3 points{150, 67, 5};

  Queue queue_ = backend_missing().empty() ? make_queue() : Queue(Backend::cpu);
  Field<Real> from_{queue_, points, {1, 1, 1}};
  HostBox<Real> values_ = random_points<Real>(from_.layout().box(), 3);

  void SetUp() override {
    BackendTest::SetUp();
    write_points(queue_, from_, values_);
  }

  HostBox<Real> run(int axis, Running what, std::vector<double> const& gaps) {
    Field<Real> to(queue_, points, {2, 2, 2});
    running_along<Real>(queue_, std::as_const(from_).view(), to.view(), from_.owned(), axis, what,
                        gaps);
    return read_points(queue_, to, to.owned());
  }

  /// Gaps that differ from point to point.
  static std::vector<double> some_gaps(int axis) {
    std::vector<double> gaps(static_cast<std::size_t>(points[axis]));
    for (std::size_t m = 1; m < gaps.size(); ++m) gaps[m] = 0.5 + static_cast<double>(m % 7);
    return gaps;
  }

  /// Compares each line with `expected`, which maps the values of a line to those of the result.
  template <class Expected>
  void expect_lines(int axis, HostBox<Real> const& found, double tolerance,
                    Expected const& expected) {
    LocalBox first = from_.owned();
    first.upper[axis] = 1;
    for_each(first, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      Index3 at{i, j, k};
      std::vector<double> line;
      for (at[axis] = 0; at[axis] < points[axis]; ++at[axis]) {
        line.push_back(static_cast<double>(values_(at.x, at.y, at.z)));
      }
      std::vector<double> const wanted = expected(line);
      for (at[axis] = 0; at[axis] < points[axis]; ++at[axis]) {
        double const want = wanted[static_cast<std::size_t>(at[axis])];
        ASSERT_NEAR(static_cast<double>(found(at.x, at.y, at.z)), want,
                    tolerance * std::numeric_limits<Real>::epsilon() * (1.0 + std::abs(want)))
            << "axis " << axis << ", point " << at[axis];
      }
    });
  }
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(RunningAlong, Reals);

TYPED_TEST(RunningAlong, SumsAreThoseOfAPlainLoop) {
  for (int const axis : {0, 1, 2}) {
    this->expect_lines(axis, this->run(axis, Running::sum, {}), 200.0, [](auto line) {
      std::partial_sum(line.begin(), line.end(), line.begin());
      return line;
    });
  }
}

TYPED_TEST(RunningAlong, IntegralsAndMeansFollowTheGaps) {
  for (int const axis : {0, 1, 2}) {
    auto const gaps = this->some_gaps(axis);
    auto const integral = [&](std::vector<double> const& line) {
      std::vector<double> sums(line.size());
      for (std::size_t m = 1; m < line.size(); ++m) {
        sums[m] = sums[m - 1] + 0.5 * gaps[m] * (line[m - 1] + line[m]);
      }
      return sums;
    };
    this->expect_lines(axis, this->run(axis, Running::integral, gaps), 400.0, integral);
    this->expect_lines(axis, this->run(axis, Running::mean, gaps), 400.0, [&](auto const& line) {
      std::vector<double> means = integral(line);
      double length = 0.0;
      for (std::size_t m = 1; m < line.size(); ++m) means[m] /= length += gaps[m];
      means[0] = line[0];
      return means;
    });
  }
}

// The trapezoidal rule integrates linear functions exactly: u = x gives x²/2, whose numbers are
// representable here.
TYPED_TEST(RunningAlong, IntegralOfALinearFunctionIsExact) {
  for_each(this->values_.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    this->values_(i, j, k) = static_cast<TypeParam>(i);
  });
  write_points(this->queue_, this->from_, this->values_);
  auto const found = this->run(0, Running::integral, std::vector<double>(150, 1.0));
  for_each(this->from_.owned(), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    ASSERT_EQ(static_cast<double>(found(i, j, k)), 0.5 * static_cast<double>(i * i));
  });
}

TYPED_TEST(RunningAlong, ExtremesAreExactAndKeepNaN) {
  auto const extremes = [](bool largest) {
    return [largest](auto line) {
      for (std::size_t m = 1; m < line.size(); ++m) {
        line[m] = largest ? std::max(line[m - 1], line[m]) : std::min(line[m - 1], line[m]);
      }
      return line;
    };
  };
  for (int const axis : {0, 1, 2}) {
    this->expect_lines(axis, this->run(axis, Running::maximum, {}), 0.0, extremes(true));
    this->expect_lines(axis, this->run(axis, Running::minimum, {}), 0.0, extremes(false));
  }
  this->values_(70, 3, 2) = std::numeric_limits<TypeParam>::quiet_NaN();
  write_points(this->queue_, this->from_, this->values_);
  auto const found = this->run(0, Running::maximum, {});
  for (std::int64_t i = 0; i < 150; ++i) {
    EXPECT_EQ(std::isnan(found(i, 3, 2)), i >= 70) << i;
    EXPECT_FALSE(std::isnan(found(i, 4, 2)));
  }
}

// Blocks begin at the first point of a line, so the bits of a line do not depend on other lines.
TYPED_TEST(RunningAlong, BitsOfALineDoNotDependOnTheBox) {
  LocalBox part = this->from_.owned();
  part.lower.y = 5;
  part.upper.z = 4;
  Field<TypeParam> to(this->queue_, this->points, {});
  running_along<TypeParam>(this->queue_, std::as_const(this->from_).view(), to.view(), part, 0,
                           Running::sum, {});
  auto const alone = read_points(this->queue_, to, to.owned());
  auto const all = this->run(0, Running::sum, {});
  for_each(part, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    ASSERT_EQ(alone(i, j, k), all(i, j, k));
  });
}

TYPED_TEST(RunningAlong, RefusesGapsOfAnotherLine) {
  EXPECT_THROW(this->run(1, Running::integral, std::vector<double>(5, 1.0)), Error);
}

}  // namespace
}  // namespace isotherm::test
