#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "decomposition/field/staging/host_staging.hpp"
#include "solver/discretise/flux/fixed_links.hpp"
#include "tests/support/heap.hpp"
#include "tests/support/shapes.hpp"

// The bounds on the links with fixed points and on the memory of the meter that keeps them.

namespace isotherm::test {
namespace {

using enum BoundaryKind;

/// Every second cube of 3³ points: a region whose surface has several times the points of the
/// faces.
Region checkerboard(Grid const& grid) {
  return region([grid](double x, double y, double z) {
    auto const block = [&](int axis, double at) {
      return static_cast<std::int64_t>(std::rint(grid.position(axis, at))) / 3;
    };
    return (block(0, x) + block(1, y) + (grid.dimension == 3 ? block(2, z) : 0)) % 2 == 0;
  });
}

std::size_t count_of(FixedLinks const& links) {
  std::size_t count = 0;
  links.for_each([&](FixedLink const&, std::int64_t) { ++count; });
  return count;
}

std::vector<Problem> problems() {
  std::vector<Problem> all;
  for (int const dimension : {2, 3}) {
    Extent3 const points{31, 26, dimension == 3 ? 23 : 1};
    all.push_back(box_problem(Equation::poisson, dimension, points, {dirichlet, 1.0}));
    Problem closed = box_problem(Equation::poisson, dimension, points, {periodic});
    closed.medium.fixed.push_back({solid_region(make_ball(dimension, {0.5, 0.4, 0.5}, 0.3)), 1.0});
    closed.medium.fixed.push_back({solid_region(make_box({0.4, 0.3, 0.2}, {0.8, 0.9, 2.0})), 2.0});
    all.push_back(closed);
    all.push_back(closed);
    all.back().medium.fixed.push_back({checkerboard(closed.grid), 3.0});
    all.push_back(everything(Equation::poisson, Precision::float64, dimension));
    all.push_back(all.back());
    set_axis(all.back(), 0, {robin, 0.0, 1e9});
  }
  return all;
}

class FixedLinksTest : public testing::Test {
 protected:
  [[nodiscard]] Subdomain part_of(Problem const& problem) const {
    return {problem.grid, choose_decomposition(problem.grid, ranks_.size()), ranks_.rank()};
  }
  mpi::Communicator const ranks_{MPI_COMM_WORLD};
};

TEST_F(FixedLinksTest, MaximumIsABound) {
  for (Problem const& problem : problems()) {
    FixedLinks const links(part_of(problem), problem);
    EXPECT_GE(links.maximum(), count_of(links));
  }
}

TEST_F(FixedLinksTest, MaximumOfASolidIsCloseToItsSurface) {
  Problem problem = box_problem(Equation::poisson, 3, {40, 40, 40}, {neumann, 0.0});
  problem.medium.fixed.push_back({solid_region(make_ball(3, {0.5, 0.5, 0.5}, 0.3)), 1.0});
  FixedLinks const links(Subdomain(problem.grid, {1, 1, 1}, 0), problem);
  EXPECT_LT(links.maximum(), 3 * count_of(links) / 2);
}

TEST_F(FixedLinksTest, MemoryOfTheMeterIsBounded) {
  std::int64_t largest_surface = 0;
  for (Problem const& problem : problems()) {
    Subdomain const part = part_of(problem);
    Queue queue(Backend::cpu);
    Field<double> field(queue, part.extent(), {1, 1, 1});
    auto const promised = HeatFlowMeter<double>::footprint(ranks_, Backend::cpu, part, problem);
    std::int64_t const used = largest_heap_of([&] {
      HeatFlowMeter<double> meter(ranks_, queue, part, problem);
      (void)meter.read(std::as_const(field).view(), 0.0);
    });
    EXPECT_GE(static_cast<std::int64_t>(promised.host), used);
    EXPECT_LE(static_cast<std::int64_t>(promised.host), 6 * used + (std::int64_t{5} << 20));
    largest_surface = std::max(largest_surface, used);
  }
  EXPECT_GT(largest_surface, std::int64_t{1} << 18);
}

}  // namespace
}  // namespace isotherm::test
