#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/discretise/stable_step.hpp"
#include "solver/relaxation/jacobi.hpp"
#include "solver/solver.hpp"
#include "solver/time/ftcs.hpp"
#include "tests/support/face_names.hpp"

// The coefficients of the Jacobi and FTCS schemes, and stable time steps.

namespace isotherm::test {
namespace {

Problem poisson(int dimension, PerAxis<double> upper) {
  Problem problem;
  problem.equation = Equation::poisson;
  problem.grid = make_grid(dimension, {11, 11, dimension == 3 ? 11 : 1}, {0, 0, 0}, upper, {});
  return problem;
}

TEST(JacobiScheme, UniformGridHasExactWeights) {
  Scheme const in_2d = jacobi_scheme(poisson(2, {1, 1, 1}));
  Scheme const in_3d = jacobi_scheme(poisson(3, {1, 1, 1}));

  EXPECT_EQ(in_2d.weight, (PerAxis<double>{0.25, 0.25, 0.0}));
  EXPECT_EQ(in_3d.weight, (PerAxis<double>{1.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0}));
  EXPECT_DOUBLE_EQ(in_3d.source_factor, 0.01 / 6.0);
  EXPECT_DOUBLE_EQ(in_3d.residual_factor, 600.0);
}

TEST(JacobiScheme, WeightsScaleWithInverseSquaredSpacing) {
  // h = 0.1, 0.2, 0.05: h^-2 = 100, 25, 400.
  Scheme const scheme = jacobi_scheme(poisson(3, {1, 2, 0.5}));

  EXPECT_DOUBLE_EQ(scheme.weight[0], 100.0 / 1050.0);
  EXPECT_DOUBLE_EQ(scheme.weight[1], 25.0 / 1050.0);
  EXPECT_DOUBLE_EQ(scheme.weight[2], 400.0 / 1050.0);
}

TEST(FtcsScheme, WeightsAreDiffusivityTimesStepOverSpacingSquared) {
  Problem problem = poisson(2, {1, 2, 1});
  problem.equation = Equation::diffusion;
  problem.diffusivity = 0.5;

  Scheme const scheme = ftcs_scheme(problem, {.name = "ftcs", .time_step_s = 0.004});

  EXPECT_DOUBLE_EQ(scheme.weight[0], 0.2);
  EXPECT_DOUBLE_EQ(scheme.weight[1], 0.05);
  EXPECT_EQ(scheme.weight[2], 0.0);
  EXPECT_DOUBLE_EQ(scheme.source_factor, 0.004);
  EXPECT_DOUBLE_EQ(scheme.residual_factor, 250.0);
  EXPECT_DOUBLE_EQ((ftcs_rule<double, 2>(scheme).centre), 0.5);
}

TEST(FtcsScheme, KeepsTheTimeStepBitForBit) {
  Problem problem = poisson(2, {1, 2, 1});
  problem.equation = Equation::diffusion;
  double const largest = largest_stable_time_step(problem.grid, problem.diffusivity);
  for (double const step : {0.9 * largest, largest, largest * (1.0 + 5e-13)}) {
    Scheme const scheme = ftcs_scheme(problem, {.name = "ftcs", .time_step_s = step});
    EXPECT_EQ(scheme.time_step_s, step);
    EXPECT_EQ(scheme.source_factor, step);
    EXPECT_EQ(checked_time_step(step, largest), std::min(step, largest));
  }
  EXPECT_THROW((void)ftcs_scheme(problem, {.name = "ftcs", .time_step_s = largest * (1.0 + 2e-12)}),
               SettingError);
}

TEST(FtcsRule, WeightsSumToOneWithinRounding) {
  for (double const w : {0.013, 0.0371, 0.1, 1.0 / 6.0}) {
    Scheme scheme;
    scheme.weight = {w, 0.7 * w, 1.1 * w};
    auto const rule = ftcs_rule<float, 3>(scheme);
    double const sum = static_cast<double>(rule.centre) +
                       2.0 * (static_cast<double>(rule.wx) + static_cast<double>(rule.wy) +
                              static_cast<double>(rule.wz));
    double const half_unit = 0.5 * std::abs(static_cast<double>(rule.centre)) *
                             static_cast<double>(std::numeric_limits<float>::epsilon());
    EXPECT_LE(std::abs(sum - 1.0), half_unit) << w;
  }
}

TEST(Bytes, IterationReadsWritesAndReadsTheSource) {
  Problem problem = poisson(3, {1, 1, 1});
  EXPECT_EQ(bytes_per_iteration(problem), 11.0 * 11.0 * 11.0 * 16.0);
  problem.precision = Precision::float32;
  problem.source = 1.0;
  EXPECT_EQ(bytes_per_iteration(problem), 11.0 * 11.0 * 11.0 * 12.0);
  problem.source = 0.0;
  problem.boundary[y_upper] = {BoundaryKind::neumann, 2.0};
  EXPECT_EQ(bytes_per_iteration(problem), 11.0 * 11.0 * 11.0 * 12.0);
}

/// The limit is searched slab by slab; each slab continues from the one before.
TEST(LongestStep, LargeGridMatchesItsParts) {
  Problem problem;
  problem.equation = Equation::diffusion;
  problem.grid = make_grid(2, {1030, 4200, 1}, {0, 0, 0}, {1, 1, 1}, {});
  std::int64_t const seam = (std::int64_t{1} << 22) / 1030;  // the conductivity peaks next to it
  ScalarFunction conductivity;
  conductivity.evaluate = [y = problem.grid.coordinate(1, seam), h = problem.grid.spacing[1]](
                              double, double at, double, double) {
    double const rows = (at - y) / h;
    return 1.0 + 1.0 / (1.0 + (rows + 0.3) * (rows + 0.3));
  };
  problem.medium.conductivity = {conductivity, conductivity, conductivity};
  problem.medium.isotropic = true;

  double const of_parts =
      std::max(inverse_stable_step(problem, 0, 2), inverse_stable_step(problem, 1, 2));

  EXPECT_EQ(inverse_stable_step(problem), of_parts);
}

}  // namespace
}  // namespace isotherm::test
