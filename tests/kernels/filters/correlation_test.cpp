#include "kernels/filters/correlation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

#include "kernels/core/error.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

// Weighted sums over a table of neighbours, compared with plain loops.

namespace isotherm::test {
namespace {

/// A table of distinct weights without any symmetry.
WeightTable some_table(Extent3 extent) {
  WeightTable table{extent, {}};
  auto const rows = static_cast<double>(extent.y * extent.z);
  for (int n = 0; n < extent.x * extent.y * extent.z; ++n) {
    table.values.push_back(std::sin(1.0 + 0.7 * n) / rows);
  }
  return table;
}

/// The weighted sum at a point by plain loops.
template <class Real>
double expected(WeightTable const& table, HostBox<Real> const& values, Index3 at) {
  double sum = 0.0;
  Extent3 const n = table.extent;
  std::size_t number = 0;
  for (std::int64_t c = 0; c < n.z; ++c) {
    for (std::int64_t b = 0; b < n.y; ++b) {
      for (std::int64_t a = 0; a < n.x; ++a) {
        Index3 const p{at.x + a - n.x / 2, at.y + b - n.y / 2, at.z + c - n.z / 2};
        sum += table.values[number++] * static_cast<double>(values(p.x, p.y, p.z));
      }
    }
  }
  return sum;
}

template <class Real>
class Correlation : public BackendTest {
 protected:
  Queue queue_ = backend_missing().empty() ? make_queue() : Queue(Backend::cpu);

  HostBox<Real> correlated(Queue& queue, WeightTable const& table, HostBox<Real> const& values,
                           HostBox<Real> const& before, Extent3 points, LocalBox box) {
    Field<Real> from(queue, points, table.reach());
    Field<Real> to(queue, points, table.reach());
    write_points(queue, from, values);
    write_points(queue, to, before);
    correlate<Real>(queue, std::as_const(from).view(), to.view(), box, table);
    return read_points(queue, to, before.box);
  }

  /// Expects the sums of plain loops within rounding, the bits of the CPU, and all other points
  /// unchanged.
  void expect_correlated(WeightTable const& table, Extent3 points, LocalBox box) {
    LocalBox const all = LocalBox{{}, points}.grown(table.reach());
    auto const values = random_points<Real>(all, 7);
    auto const before = random_points<Real>(all, 8);
    auto const after = correlated(queue_, table, values, before, points, box);
    double size = 1.0;
    for (double const weight : table.values) size += std::abs(weight);
    std::int64_t wrong = 0;
    for_each(all, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      auto const found = static_cast<double>(after(i, j, k));
      double const bound = 4.0 * size * std::numeric_limits<Real>::epsilon();
      if (box.contains(i, j, k)) {
        if (!(std::abs(found - expected(table, values, {i, j, k})) <= bound)) ++wrong;
      } else if (after(i, j, k) != before(i, j, k)) {
        ++wrong;
      }
    });
    EXPECT_EQ(wrong, 0) << table.extent.x << " x " << table.extent.y << " x " << table.extent.z;
    Queue host(Backend::cpu);
    EXPECT_EQ(after.values, correlated(host, table, values, before, points, box).values);
  }
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Correlation, Reals);

TYPED_TEST(Correlation, MatchesPlainLoopsIn2D) {
  for (Extent3 const table : {Extent3{3, 3, 1}, {1, 5, 1}, {7, 1, 1}, {5, 9, 1}, {1, 1, 1}}) {
    for (Extent3 const points : {Extent3{301, 17, 1}, {5, 9, 2}, {1, 1, 1}, {37, 40, 1}}) {
      this->expect_correlated(some_table(table), points, {{}, points});
    }
  }
  this->expect_correlated(some_table({63, 63, 1}), {70, 30, 1}, {{}, {70, 30, 1}});
}

TYPED_TEST(Correlation, MatchesPlainLoopsIn3D) {
  for (Extent3 const table : {Extent3{3, 3, 3}, {5, 3, 7}, {1, 1, 9}, {3, 1, 3}}) {
    for (Extent3 const points : {Extent3{301, 7, 5}, {5, 9, 2}, {1, 1, 1}}) {
      this->expect_correlated(some_table(table), points, {{}, points});
    }
  }
  this->expect_correlated(some_table({15, 15, 15}), {40, 5, 4}, {{}, {40, 5, 4}});
}

TYPED_TEST(Correlation, ChangesOnlyPointsOfTheBox) {
  this->expect_correlated(some_table({5, 3, 1}), {90, 17, 3}, {{3, 0, 1}, {87, 12, 2}});
  this->expect_correlated(some_table({5, 3, 3}), {90, 17, 4}, {{3, 0, 1}, {87, 12, 3}});
}

TYPED_TEST(Correlation, RefusesInvalidTablesAndShallowHalos) {
  Field<TypeParam> const from(this->queue_, {9, 9, 1}, {1, 1, 0});
  Field<TypeParam> to(this->queue_, {9, 9, 1}, {1, 1, 0});
  auto const with = [&](WeightTable const& table) {
    correlate<TypeParam>(this->queue_, from.view(), to.view(), to.owned(), table);
  };
  EXPECT_NO_THROW(with(some_table({3, 3, 1})));
  for (Extent3 const wrong :
       {Extent3{2, 3, 1}, {3, 2, 1}, {3, 3, 2}, {5, 3, 1}, {3, 3, 3}, {65, 1, 1}, {1, 1, 0}}) {
    EXPECT_THROW(with(some_table(wrong)), Error);
  }
  EXPECT_THROW(with({{3, 3, 1}, {1.0}}), Error);
}

TEST(IsTable, LimitsTheNumberOfWeights) {
  EXPECT_TRUE(is_table({63, 63, 1}) && is_table({15, 15, 15}) && is_table({1, 63, 63}));
  EXPECT_FALSE(is_table({17, 17, 15}));
  EXPECT_FALSE(is_table({1, 1, 65}));
}

}  // namespace
}  // namespace isotherm::test
