#include "solver/direct/time_model.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "solver/direct/make_direct.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/solving.hpp"

// The default method of steady problems: the one that is estimated to be faster.
namespace isotherm::test {
namespace {

using enum BoundaryKind;

Problem cube(std::int64_t points) {
  Problem problem = box_problem(Equation::poisson, 3, {points, points, points}, {dirichlet, 0.0});
  problem.source = 1.0;
  return problem;
}

/// Returns the cube between Neumann faces.
Problem insulated_cube(std::int64_t points) {
  Problem problem = cube(points);
  for (int axis = 0; axis < 3; ++axis) set_axis(problem, axis, {neumann, 0.0});
  return problem;
}

/// Returns the cube with axes whose gaps grow by 5 : 1.
Problem graded_cube(std::int64_t points) {
  Problem problem = cube(points);
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<double> places;
    for (std::int64_t i = 0; i < points; ++i) {
      double const at = static_cast<double>(i) / static_cast<double>(points - 1);
      places.push_back(at * (1.0 + 2.0 * at) / 3.0);
    }
    places.back() = 1.0;
    problem.grid = with_coordinates(problem.grid, axis, places);
  }
  return problem;
}

constexpr std::array backends{Backend::cpu, Backend::cuda};

TEST(TimeModel, PrefersFastFourierTransforms) {
  for (Backend const backend : backends) {
    for (std::int64_t const points : {33, 129, 513, 1025}) {
      EXPECT_TRUE(prefers_direct(cube(points), backend)) << points;
    }
  }
}

/// docs/explanation/performance.md has these times.
TEST(TimeModel, EstimatesMeasuredTimesOfDevices) {
  SolutionTimes const fast = estimate_times(cube(513), Backend::cuda);
  EXPECT_NEAR(fast.direct.solve_s, 4.8e-3, 2e-3);
  EXPECT_NEAR(fast.multigrid.solve_s, 24.6e-3, 8e-3);
}

/// The same for two devices of a host. The direct solutions moved all values twice, as those
/// without given values still do.
TEST(TimeModel, EstimatesMeasuredTimesOfTwoDevices) {
  SolutionTimes const small = estimate_times(insulated_cube(513), Backend::cuda, {2, 1});
  EXPECT_NEAR(small.direct.solve_s, 5.0e-3, 1e-3);
  EXPECT_NEAR(small.multigrid.solve_s, 14.1e-3, 3e-3);
  SolutionTimes const large = estimate_times(insulated_cube(1025), Backend::cuda, {2, 1});
  EXPECT_NEAR(large.direct.solve_s, 41e-3, 10e-3);
  EXPECT_NEAR(large.multigrid.solve_s, 79e-3, 30e-3);
}

/// Cut lines take one pass more, but ranks move a small part of the values.
TEST(TimeModel, CountsTheValuesThatCutLinesMove) {
  for (std::int64_t const points : {513, 1025}) {
    double const cut = estimate_times(cube(points), Backend::cuda, {2, 1}).direct.solve_s;
    double const moved =
        estimate_times(insulated_cube(points), Backend::cuda, {2, 1}).direct.solve_s;
    EXPECT_LT(cut, 0.8 * moved);
    EXPECT_GT(cut, 0.5 * estimate_times(cube(points), Backend::cuda).direct.solve_s);
  }
}

/// Between hosts the exchange of all values takes longer than multigrid cycles on devices, but not
/// on cores.
TEST(TimeModel, CountsTheExchangeBetweenHosts) {
  EXPECT_TRUE(prefers_direct(cube(1025), Backend::cuda, {8, 1}));
  EXPECT_FALSE(prefers_direct(cube(1025), Backend::cuda, {16, 2}));
  EXPECT_TRUE(prefers_direct(cube(513), Backend::cpu, {64, 4}));
  // The set-up of coefficients takes longer than the exchange.
  Problem layers = cube(513);
  ScalarFunction layered = steady([](double x, double, double) { return x < 0.5 ? 1.0 : 100.0; });
  layered.varies_along = {true, false, false};  // so that not all points are examined
  make_isotropic(layers, layered);
  EXPECT_TRUE(prefers_direct(layers, Backend::cuda, {16, 2}));
}

/// The rounding of one solution is below 1e-8 on long axes, too.
TEST(TimeModel, CountsOneSolutionOnLongAxes) {
  auto const square = [](std::int64_t points, Backend backend) {
    Problem problem = box_problem(Equation::poisson, 2, {points, points, 1}, {dirichlet, 0.0});
    problem.source = 1.0;
    double const seconds = estimate_times(problem, backend).direct.solve_s;
    return seconds / static_cast<double>(points * points);
  };
  for (Backend const backend : backends) {
    EXPECT_NEAR(square(4097, backend) / square(3073, backend), 1.0, 0.1);
  }
}

/// Without fast Fourier transforms, corrections in float32 cost more than multigrid cycles.
TEST(TimeModel, PreconditionsByFastTransformsOnly) {
  Problem problem = cube(513);
  make_isotropic(problem,
                 steady([](double x, double y, double) { return std::exp(std::sin(x) + y); }));
  EXPECT_TRUE(prefers_direct(problem, Backend::cuda));
  problem.grid = cube(512).grid;
  EXPECT_FALSE(prefers_direct(problem, Backend::cuda));
}

TEST(TimeModel, PrefersMultigridToLongDenseTransforms) {
  for (Backend const backend : backends) {
    EXPECT_TRUE(prefers_direct(cube(130), backend));
    EXPECT_FALSE(prefers_direct(cube(1600), backend));
  }
}

TEST(TimeModel, CountsTheSetUpOfModes) {
  for (Backend const backend : backends) EXPECT_TRUE(prefers_direct(graded_cube(64), backend));
  // A device solves faster than the host computes the modes.
  EXPECT_TRUE(prefers_direct(graded_cube(257), Backend::cpu));
  SolutionTimes const large = estimate_times(graded_cube(1001), Backend::cuda);
  EXPECT_GT(large.direct.set_up_s, 0.25);
}

TEST(TimeModel, HasNoDirectTimeForOtherProblems) {
  Problem problem = cube(33);
  problem.medium.fixed.emplace_back();
  EXPECT_TRUE(std::isinf(estimate_times(problem, Backend::cpu).direct.solve_s));
  EXPECT_FALSE(prefers_direct(problem, Backend::cpu));
}

}  // namespace
}  // namespace isotherm::test
