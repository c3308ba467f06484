#include "kernels/filters/correlation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

#include "kernels/core/error.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

namespace isotherm::test {
namespace {

/// No two weights alike, in neither direction.
WeightTable some_table(int width, int height) {
  WeightTable table{width, height, {}};
  for (int n = 0; n < width * height; ++n) table.values.push_back(std::sin(1.0 + 0.7 * n) / height);
  return table;
}

/// Σ over the table by plain loops.
template <class Real>
double expected(WeightTable const& table, HostBox<Real> const& values, Index3 at) {
  double sum = 0.0;
  for (int n = 0; n < table.height; ++n) {
    for (int m = 0; m < table.width; ++m) {
      double const weight = table.values[static_cast<std::size_t>(n * table.width + m)];
      sum += weight * static_cast<double>(
                          values(at.x + m - table.width / 2, at.y + n - table.height / 2, at.z));
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
    Index3 const halo{table.width / 2, table.height / 2, 0};
    Field<Real> from(queue, points, halo);
    Field<Real> to(queue, points, halo);
    write_points(queue, from, values);
    write_points(queue, to, before);
    correlate<Real>(queue, std::as_const(from).view(), to.view(), box, table);
    return read_points(queue, to, before.box);
  }

  /// The sums are those of plain loops but for rounding, other points stay, and bits are the CPU's.
  void expect_correlated(WeightTable const& table, Extent3 points, LocalBox box) {
    LocalBox const all = LocalBox{{}, points}.grown({table.width / 2, table.height / 2, 0});
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
    EXPECT_EQ(wrong, 0) << table.width << " x " << table.height;
    Queue host(Backend::cpu);
    EXPECT_EQ(after.values, correlated(host, table, values, before, points, box).values);
  }
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Correlation, Reals);

TYPED_TEST(Correlation, SumsAPlanesNeighbours) {
  for (auto const& [width, height] : {std::pair{3, 3}, {1, 5}, {7, 1}, {5, 9}, {1, 1}}) {
    for (Extent3 const points : {Extent3{301, 17, 1}, {5, 9, 2}, {1, 1, 1}, {37, 40, 1}}) {
      this->expect_correlated(some_table(width, height), points, {{}, points});
    }
  }
  this->expect_correlated(some_table(63, 63), {70, 30, 1}, {{}, {70, 30, 1}});
}

TYPED_TEST(Correlation, TakesAnyBoxAndLeavesOtherPointsAlone) {
  this->expect_correlated(some_table(5, 3), {90, 17, 3}, {{3, 0, 1}, {87, 12, 2}});
}

TYPED_TEST(Correlation, RefusesTablesThatAreNotOddAndFieldsThatAreTooSmall) {
  Field<TypeParam> const from(this->queue_, {9, 9, 1}, {1, 1, 0});
  Field<TypeParam> to(this->queue_, {9, 9, 1}, {1, 1, 0});
  auto const with = [&](WeightTable const& table) {
    correlate<TypeParam>(this->queue_, from.view(), to.view(), to.owned(), table);
  };
  EXPECT_NO_THROW(with(some_table(3, 3)));
  EXPECT_THROW(with(some_table(2, 3)), Error);
  EXPECT_THROW(with(some_table(3, 2)), Error);
  EXPECT_THROW(with(some_table(5, 3)), Error);
  EXPECT_THROW(with(some_table(65, 1)), Error);
  EXPECT_THROW(with({3, 3, {1.0}}), Error);
}

}  // namespace
}  // namespace isotherm::test
