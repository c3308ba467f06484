#include "kernels/filters/lines/projection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

// Sums and extremes along an axis.

namespace isotherm::test {
namespace {

template <class Real>
class ProjectionAlong : public BackendTest {
 protected:
  static constexpr Extent3 points{35, 9, 6};

  Queue queue_ = backend_missing().empty() ? make_queue() : Queue(Backend::cpu);
  Field<Real> from_{queue_, points, {1, 1, 1}};
  HostBox<Real> values_ = random_points<Real>(from_.layout().box(), 3);

  void SetUp() override {
    BackendTest::SetUp();
    write_points(queue_, from_, values_);
  }

  /// Returns the projection by `operation`: a field with one point along the axis.
  template <class Operation>
  HostBox<Real> projected(int axis, Operation const& operation) {
    Extent3 plane = points;
    plane[axis] = 1;
    Field<Real> to(queue_, plane, {2, 2, 2});
    operation(std::as_const(from_).view(), to.view());
    return read_points(queue_, to, to.owned());
  }

  /// Calls visit(p, line) for each point p of the projection, with the values of the line through
  /// p.
  template <class Visit>
  void for_each_line(LocalBox box, int axis, Visit const& visit) const {
    LocalBox plane = box;
    plane.lower[axis] = 0;
    plane.upper[axis] = 1;
    for_each(plane, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      std::vector<double> line;
      for (Index3 at{i, j, k}; line.size() < static_cast<std::size_t>(box.extent()[axis]);) {
        at[axis] = box.lower[axis] + static_cast<std::int64_t>(line.size());
        line.push_back(static_cast<double>(values_(at.x, at.y, at.z)));
      }
      visit(Index3{i, j, k}, line);
    });
  }
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(ProjectionAlong, Reals);

TYPED_TEST(ProjectionAlong, SumsWithFullOrHalfEndWeights) {
  for (int const axis : {0, 1, 2}) {
    for (bool const half : {true, false}) {
      auto const found = this->projected(axis, [&](auto from, auto to) {
        sum_along(this->queue_, from, to, this->from_.owned(), axis, 0.25, half);
      });
      this->for_each_line(this->from_.owned(), axis, [&](Index3 p, std::vector<double> line) {
        double sum = half ? -0.5 * (line.front() + line.back()) : 0.0;
        for (double const value : line) sum += value;
        EXPECT_NEAR(static_cast<double>(found(p.x, p.y, p.z)), 0.25 * sum,
                    40.0 * std::numeric_limits<TypeParam>::epsilon());
      });
    }
  }
}

// Lines of several blocks of 64 points: sums of the blocks are added in their order.
TYPED_TEST(ProjectionAlong, SumsLongLinesBlockByBlock) {
  for (int const axis : {0, 1, 2}) {
    Extent3 n{5, 3, 2};
    n[axis] = 150;
    Field<TypeParam> from(this->queue_, n, {1, 1, 1});
    auto const values = random_points<TypeParam>(from.layout().box(), 11);
    write_points(this->queue_, from, values);
    LocalBox box = from.owned();
    box.lower[(axis + 1) % 3] = 1;
    Extent3 plane = n;
    plane[axis] = 1;
    Field<TypeParam> to(this->queue_, plane, {1, 1, 1});
    sum_along<TypeParam>(this->queue_, std::as_const(from).view(), to.view(), box, axis, 0.25,
                         true);
    auto const found = read_points(this->queue_, to, to.owned());
    LocalBox lines = box;
    lines.upper[axis] = 1;
    for_each(lines, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      double total = 0.0;
      for (std::int64_t first = 0; first < 150; first += 64) {
        double sum = 0.0;
        for (std::int64_t m = first; m < std::min<std::int64_t>(first + 64, 150); ++m) {
          Index3 at{i, j, k};
          at[axis] = m;
          double const weight = m == 0 || m == 149 ? 0.5 : 1.0;
          sum += weight * static_cast<double>(values(at.x, at.y, at.z));
        }
        total += sum;
      }
      // The products are exact, so that only the order of the additions matters.
      EXPECT_EQ(found(i, j, k), static_cast<TypeParam>(0.25 * total));
    });
  }
}

TYPED_TEST(ProjectionAlong, FindsExtremesOfAnyBox) {
  LocalBox box = this->from_.owned();
  for (int const axis : {0, 1, 2}) {
    LocalBox part = box;
    part.lower[axis] = -1;  // in the halo
    part.upper[axis] = 3;
    for (bool const largest : {true, false}) {
      auto const found = this->projected(axis, [&](auto from, auto to) {
        extreme_along(this->queue_, from, to, part, axis, largest);
      });
      this->for_each_line(part, axis, [&](Index3 p, std::vector<double> const& line) {
        EXPECT_EQ(static_cast<double>(found(p.x, p.y, p.z)),
                  largest ? *std::ranges::max_element(line) : *std::ranges::min_element(line));
      });
    }
  }
}

TYPED_TEST(ProjectionAlong, PropagatesNaN) {
  this->values_(3, 4, 2) = std::numeric_limits<TypeParam>::quiet_NaN();
  write_points(this->queue_, this->from_, this->values_);
  for (int const axis : {0, 1, 2}) {
    Index3 at{3, 4, 2};
    at[axis] = 0;
    for (bool const largest : {true, false}) {
      auto const found = this->projected(axis, [&](auto from, auto to) {
        extreme_along(this->queue_, from, to, this->from_.owned(), axis, largest);
      });
      EXPECT_TRUE(std::isnan(found(at.x, at.y, at.z)));
      EXPECT_FALSE(std::isnan(found(0, 0, 0)));
    }
  }
}

}  // namespace
}  // namespace isotherm::test
