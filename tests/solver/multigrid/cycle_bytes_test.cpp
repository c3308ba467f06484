#include "solver/multigrid/levels/cycle_bytes.hpp"

#include <gtest/gtest.h>

#include "solver/multigrid/levels/coarsening.hpp"
#include "tests/support/solving.hpp"

// Bytes that a multigrid cycle moves at least.

namespace isotherm::test {
namespace {

TEST(CycleBytes, SumOverFieldAndLevels) {
  Problem problem = box_problem(Equation::poisson, 3, {40, 33, 34}, {});
  problem.source = 1.0;
  MethodSettings method = jacobi(4);
  method.name = "multigrid";
  for (int const coarsest : {3, 4, 5}) {
    method.multigrid.coarsest = coarsest;
    double expected = (3.0 * 8.0 + 2.0 * 4.0) * 40.0 * 33.0 * 34.0;
    for (Problem const& level : correction_problems(problem, coarsest)) {
      expected += 9.0 * 4.0 * static_cast<double>(level.grid.point_count());
    }
    EXPECT_EQ(cycle_bytes(problem, method), expected);
    EXPECT_EQ(bytes_per_iteration(problem, method), expected);
  }
}

}  // namespace
}  // namespace isotherm::test
