#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "solver/direct/make_direct.hpp"
#include "solver/direct/smooth/smooth_medium.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/direct_solutions.hpp"

// Direct solutions as preconditioners of conjugate gradients, for media whose conductivity varies
// smoothly.
namespace isotherm::test {
namespace {

using enum BoundaryKind;
using SmoothMedium = BackendTest;

/// Fills the box with a smooth conductivity whose extremes have this ratio.
void set_smooth(Problem& problem, double ratio) {
  double const amplitude = 0.5 * std::log(ratio);
  ScalarFunction const function = steady([=](double x, double y, double z) {
    return std::exp(amplitude * std::sin(3 * x) * std::cos(2 * y + z));
  });
  problem.medium.conductivity = {function, function, function};
  problem.medium.isotropic = true;
}

Problem cube(std::int64_t points, double ratio) {
  Problem problem = box_problem(Equation::poisson, 3, {points, points, points}, {dirichlet, 0.0});
  problem.source = 1.0;
  set_smooth(problem, ratio);
  return problem;
}

/// Returns a conductivity with a value in a ball about the centre, and 1 elsewhere.
void set_ball(Problem& problem, double radius, double value) {
  ScalarFunction const ball = steady([=](double x, double y, double z) {
    return std::hypot(x - 0.5, y - 0.5, z - 0.5) < radius ? value : 1.0;
  });
  problem.medium.conductivity = {ball, ball, ball};
  problem.medium.isotropic = true;
}

TEST_F(SmoothMedium, StepsDoNotDependOnTheGrid) {
  for (std::int64_t const points : {32, 33, 64}) {
    MethodSettings method = direct(1e-8);
    method.relative_to = RelativeTo::rhs;
    auto const solver = solved(cube(points, 10.0), method);
    EXPECT_TRUE(solver->converged()) << points;
    EXPECT_LE(solver->iteration(), 8) << points;
  }
}

// The number of evaluations is limited on any grid.
TEST_F(SmoothMedium, LongLinesAreSampled) {
  Problem problem = box_problem(Equation::poisson, 2, {1'000'000'000, 3, 1}, {dirichlet, 0.0});
  std::int64_t evaluations = 0;
  ScalarFunction const function = steady([&](double x, double, double) {
    ++evaluations;
    return 1.0 + x;
  });
  problem.medium.conductivity = {function, function, function};
  problem.medium.isotropic = true;
  std::string const obstacle = obstacle_to_preconditioner(problem);
  EXPECT_TRUE(obstacle.starts_with("axis x has 1000000000 points")) << obstacle;
  EXPECT_LT(evaluations, 2'000'000);
}

/// The faces and the grid of the homogeneous medium are those of the problem.
TEST_F(SmoothMedium, AgreesWithMultigridForAnyFaces) {
  std::vector<Problem> problems;
  for (int const dimension : {2, 3}) {
    Problem problem = box_problem(Equation::poisson, dimension, {21, 17, dimension == 3 ? 16 : 1},
                                  {neumann, 0.2}, {1, 1.2, 0.9});
    problem.source = steady([](double x, double y, double) { return std::sin(4 * x) + y; });
    set_smooth(problem, 10.0);
    problem.boundary[{0, false}] = {dirichlet, 1.0};
    problems.push_back(problem);
    problem.boundary[{1, false}] = {robin, 1.0, 2.0};
    problem.boundary[{1, true}] = {robin, 0.5,
                                   steady([](double x, double, double) { return 1.0 + x; })};
    problems.push_back(problem);
    std::vector<double> places;
    for (int i = 0; i < 21; ++i) places.push_back(i * (i + 20) / (20.0 * 40.0));
    problem.grid = with_coordinates(problem.grid, 0, places);
    problems.push_back(problem);
  }
  for (Problem const& problem : problems) {
    ASSERT_EQ(obstacle_to_method(problem), "");
    auto const solver = solved(problem, direct(1e-10));
    auto const multigrid = solved(problem, cycles(1e-11));
    EXPECT_TRUE(solver->converged());
    EXPECT_LE(solver->iteration(), 20);
    EXPECT_LT(difference(*solver, *multigrid), 1e-8);
  }
}

/// Large grids are distributed among the ranks.
TEST_F(SmoothMedium, AgreesWithMultigridOnDistributedGrids) {
  Problem problem = cube(36, 30.0);
  problem.boundary[{2, true}] = {neumann, 1.0};
  auto const solver = solved(problem, direct(1e-10));
  auto const multigrid = solved(problem, cycles(1e-11));
  EXPECT_LT(difference(*solver, *multigrid), 1e-8);
}

TEST_F(SmoothMedium, SolvesInFloat32) {
  Problem problem = cube(25, 10.0);
  auto const exact = solved(problem, direct(1e-10));
  problem.precision = Precision::float32;
  auto const solver = solved(problem, direct(1e-5));
  EXPECT_TRUE(solver->converged());
  EXPECT_LT(rounding_between(*solver, *exact), 1e-5);
}

TEST_F(SmoothMedium, LeavesJumpsToMultigrid) {
  Problem problem = cube(33, 10.0);
  set_ball(problem, 0.3, 10.0);
  EXPECT_NE(obstacle_to_method(problem), "");
  EXPECT_FALSE(prefers_direct(problem, tested_backend()));
  problem = cube(33, 10.0);
  problem.medium.insulated.push_back(box_region({0.2, 0.2, 0.2}, {0.4, 0.4, 0.4}));
  EXPECT_NE(obstacle_to_method(problem), "");
  problem = cube(33, 1e4);
  EXPECT_NE(obstacle_to_method(problem), "");
}

/// Balls between the lines on which the conductivity is sampled: after two steps multigrid cycles
/// precondition the others, so two steps are lost. Rounding may decide about a third one.
TEST_F(SmoothMedium, FallsBackToMultigrid) {
  Problem problem = cube(41, 10.0);
  ScalarFunction const balls = steady([](double x, double y, double z) {
    auto const near = [](double at) { return std::abs(at - 0.25 * std::floor(4.0 * at) - 0.125); };
    return std::hypot(near(x), near(y), near(z)) < 0.11 ? 1000.0 : 1.0;
  });
  problem.medium.conductivity = {balls, balls, balls};
  problem.medium.isotropic = true;
  ASSERT_EQ(obstacle_to_method(problem), "");
  MethodSettings method = direct(1e-8);
  method.relative_to = RelativeTo::rhs;
  auto const solver = solved(problem, method);
  method.name = "multigrid";
  auto const multigrid = solved(problem, method);
  EXPECT_TRUE(solver->converged());
  EXPECT_LE(solver->iteration(), multigrid->iteration() + 3);
  EXPECT_NE(solver->take_event().find("from iteration 3 on"), std::string::npos);
  EXPECT_EQ(solver->take_event(), "");
  EXPECT_LT(difference(*solver, *multigrid), 1e-7);
}

}  // namespace
}  // namespace isotherm::test
