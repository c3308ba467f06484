#include "solver/problem/problem.hpp"

#include <gtest/gtest.h>

#include <string>

// Names and simple functions of a problem.

namespace isotherm::test {
namespace {

TEST(Problem, EnumeratorsHaveTheNamesOfTheCaseFile) {
  EXPECT_STREQ(name(Precision::float32), "float32");
  EXPECT_STREQ(name(Precision::float64), "float64");
  EXPECT_STREQ(name(Equation::laplace), "laplace");
  EXPECT_STREQ(name(Equation::poisson), "poisson");
  EXPECT_STREQ(name(Equation::diffusion), "diffusion");
  EXPECT_STREQ(name(BoundaryKind::dirichlet), "dirichlet");
  EXPECT_STREQ(name(BoundaryKind::neumann), "neumann");
  EXPECT_STREQ(name(BoundaryKind::periodic), "periodic");
  EXPECT_STREQ(name(Norm::l2), "l2");
  EXPECT_STREQ(name(Norm::max), "max");
}

TEST(ScalarFunction, NumberIsConstantWithItsShortestText) {
  ScalarFunction const tenth = 0.1;

  EXPECT_TRUE(tenth.is_constant());
  EXPECT_FALSE(tenth.is_zero());
  EXPECT_EQ(tenth(1.0, 2.0, 3.0, 4.0), 0.1);
  EXPECT_EQ(tenth.text, "0.1");
  EXPECT_TRUE(ScalarFunction().is_zero());
}

TEST(LargestStableTimeStep, FollowsFromTheSumOfInverseSquaredSpacings) {
  Grid grid;
  grid.dimension = 2;
  grid.points = {11, 21, 1};
  grid.spacing = {0.5, 0.25, 100.0};

  // Σ h^-2 = 4 + 16; a 2D grid has no z term.
  EXPECT_DOUBLE_EQ(inverse_spacing_sum(grid), 20.0);
  EXPECT_DOUBLE_EQ(largest_stable_time_step(grid, 2.0), 1.0 / 80.0);
  grid.dimension = 3;
  EXPECT_DOUBLE_EQ(inverse_spacing_sum(grid), 20.0001);
}

}  // namespace
}  // namespace isotherm::test
