#include <gtest/gtest.h>

#include <cmath>
#include <omp.h>
#include <vector>

#include "solver/multigrid/aggregates/aggregate_hierarchy.hpp"
#include "solver/multigrid/aggregates/coarse_operator.hpp"
#include "tests/support/heap.hpp"

// Aggregates of many nodes: their memory, the bounds on it that decide whether a run fits, and
// their operators on any number of threads.

namespace isotherm::test {
namespace {

/// The operator of a cube of n³ points, of which a third has a conductivity of 1000, the others 1:
/// the least favourable medium that was found.
template <class Real>
NodeOperator<Real> random_cube(std::int64_t n) {
  std::int64_t const count = n * n * n;
  auto const conductivity = [](std::int64_t p) {
    return 0x1p-64 * static_cast<double>(random_of(p)) < 0.35 ? 1000.0 : 1.0;
  };
  NodeOperator<Real> a;
  a.nodes = GhostNodes(static_cast<std::size_t>(count));
  for (std::int64_t p = 0; p < count; ++p) {
    double diagonal = 0.0;
    PerAxis<std::int64_t> const at{{p % n, p / n % n, p / n / n}};
    PerAxis<std::int64_t> const step{{1, n, n * n}};
    for (int axis = 0; axis < 3; ++axis) {
      for (std::int64_t const side : {-1, 1}) {
        if (at[axis] + side < 0 || at[axis] + side >= n) continue;
        std::int64_t const q = p + side * step[axis];
        double const link = 2.0 / (1.0 / conductivity(p) + 1.0 / conductivity(q));
        diagonal += link;
        a.links.column.push_back(static_cast<std::int32_t>(q));
        a.links.value.push_back(static_cast<Real>(-link));
      }
    }
    a.links.first.push_back(static_cast<std::int64_t>(a.links.column.size()));
    a.stiffness.push_back(diagonal);
    a.hold.push_back(static_cast<Real>(0.01));
    a.id.push_back(p);
  }
  return a;
}

template <class Real>
class AggregateMemory : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(AggregateMemory, Precisions);

/// The estimates are bounds, and not far above what is taken.
TYPED_TEST(AggregateMemory, IsAtMostTheFootprint) {
  using Hierarchy = AggregateHierarchy<TypeParam>;
  constexpr std::int64_t n = 48;
  Queue host(Backend::cpu);
  std::int64_t lists = 0;
  std::int64_t const work = largest_heap_of([&] {
    Hierarchy const hierarchy(host, random_cube<TypeParam>(n), {});
    lists = static_cast<std::int64_t>(hierarchy.bytes());
  });
  auto const on_host = static_cast<std::int64_t>(Hierarchy::footprint(n * n * n));
  auto const on_device = static_cast<std::int64_t>(Hierarchy::device_footprint(n * n * n));
  EXPECT_LE(work + lists, on_host);  // the lists of the levels do not come from operator new
  EXPECT_GE(2 * (work + lists), on_host);
  EXPECT_LE(lists, on_device);
  EXPECT_GE(3 * lists, on_device);
}

/// Returns A e.
std::vector<double> product(NodeOperator<double> const& a, std::vector<double> const& e) {
  std::vector<double> result(e.size());
  for (std::size_t p = 0; p < e.size(); ++p) {
    result[p] = a.hold[p] * e[p];
    a.links.each(p, [&](std::size_t q, double link) { result[p] += link * (e[q] - e[p]); });
  }
  return result;
}

/// The lists of a level consist of several parts, which threads compute.
TEST(AggregatesOfManyNodes, AreTheSameOnAnyNumberOfThreads) {
  constexpr std::int64_t n = 24;
  NodeOperator<double> const a = random_cube<double>(n);
  std::vector<double> const diagonal = a.diagonal();
  auto const coarsened = [&](int threads) {
    omp_set_num_threads(threads);
    return coarsen(a, diagonal, find_aggregates(a, diagonal));
  };
  Coarsened<double> const alone = coarsened(1);
  Coarsened<double> const shared = coarsened(4);
  omp_set_num_threads(1);
  ASSERT_GT(alone.coarse.nodes.owned(), numbers_of_part);
  EXPECT_EQ(shared.prolongation.column, alone.prolongation.column);
  EXPECT_EQ(shared.prolongation.value, alone.prolongation.value);
  EXPECT_EQ(shared.coarse.links.first, alone.coarse.links.first);
  EXPECT_EQ(shared.coarse.links.column, alone.coarse.links.column);
  EXPECT_EQ(shared.coarse.links.value, alone.coarse.links.value);
  EXPECT_EQ(shared.coarse.hold, alone.coarse.hold);
  EXPECT_EQ(shared.coarse.id, alone.coarse.id);

  // The coarse operator is PᵀAP.
  std::vector<double> e(alone.coarse.nodes.owned()), fine(a.nodes.owned()), wanted(e.size());
  for (std::size_t k = 0; k < e.size(); ++k) e[k] = std::sin(static_cast<double>(k));
  SparseRows<double> const& p = alone.prolongation;
  for (std::size_t row = 0; row < fine.size(); ++row) {
    p.each(row, [&](std::size_t k, double weight) { fine[row] += weight * e[k]; });
  }
  std::vector<double> const residual = product(a, fine);
  for (std::size_t row = 0; row < fine.size(); ++row) {
    p.each(row, [&](std::size_t k, double weight) { wanted[k] += weight * residual[row]; });
  }
  std::vector<double> const found = product(alone.coarse, e);
  for (std::size_t k = 0; k < e.size(); ++k) EXPECT_NEAR(found[k], wanted[k], 1e-9) << k;
}

}  // namespace
}  // namespace isotherm::test
