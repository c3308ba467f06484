#include "solver/multigrid/rounding_floor.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <string>

#include "tests/support/face_names.hpp"

// The rounding floor of residuals, and the remark about unattainable tolerances.

namespace isotherm::test {
namespace {

/// A box with Dirichlet faces; each axis is twice as long as the one before it.
Problem closed(std::int64_t intervals, Precision precision) {
  Problem problem;
  problem.precision = precision;
  problem.equation = Equation::poisson;
  problem.grid = make_grid(3, {intervals + 1, intervals + 1, intervals + 1}, {}, {1, 2, 4}, {});
  for (BoundaryCondition& face : problem.boundary) face.kind = BoundaryKind::dirichlet;
  return problem;
}

TEST(SizeBySource, MatchesTheSolutionBetweenPlanes) {
  Problem problem = closed(8, Precision::float64);
  for (Face const face : {Face{1, false}, Face{1, true}, Face{2, false}, Face{2, true}}) {
    problem.boundary[face].kind = BoundaryKind::neumann;
  }
  EXPECT_DOUBLE_EQ(magnitude_by_source(problem, 3.0), 3.0 / 8.0);

  problem.boundary[x_upper].kind = BoundaryKind::neumann;  // half of a box twice as long
  EXPECT_DOUBLE_EQ(magnitude_by_source(problem, 3.0), 3.0 * 4.0 / 8.0);

  problem.boundary[x_lower].kind = BoundaryKind::neumann;  // half a wavelength on the longest axis
  EXPECT_DOUBLE_EQ(magnitude_by_source(problem, 3.0),
                   3.0 * 16.0 / (std::numbers::pi * std::numbers::pi));
}

TEST(SizeBySource, DecreasesWithNearbyFaces) {
  EXPECT_DOUBLE_EQ(magnitude_by_source(closed(8, Precision::float64), 1.0),
                   1.0 / (8.0 * (1.0 + 0.25 + 0.0625)));
}

TEST(ResidualOfRounding, ScalesWithOperatorPrecisionAndSolution) {
  double const coarse = residual_rounding_floor(closed(8, Precision::float64), Norm::l2, 1.0);
  EXPECT_DOUBLE_EQ(coarse, 0.15 * 0x1p-53 * 4.0 * 64.0 * (1.0 + 0.25 + 0.0625));
  EXPECT_DOUBLE_EQ(residual_rounding_floor(closed(16, Precision::float64), Norm::l2, 1.0),
                   4.0 * coarse);
  EXPECT_DOUBLE_EQ(residual_rounding_floor(closed(8, Precision::float32), Norm::l2, 1.0),
                   0x1p29 * coarse);
  EXPECT_DOUBLE_EQ(residual_rounding_floor(closed(8, Precision::float64), Norm::l2, 5.0),
                   5.0 * coarse);
  EXPECT_GT(residual_rounding_floor(closed(8, Precision::float64), Norm::max, 1.0), coarse);
}

TEST(ResidualOfRounding, IgnoresAxesWithoutVariation) {
  Problem problem = closed(8, Precision::float64);
  problem.grid.spacing[2] = 1e-6;
  double const varied = residual_rounding_floor(problem, Norm::l2, 1.0);
  problem.boundary[{2, false}].kind = problem.boundary[{2, true}].kind = BoundaryKind::neumann;
  EXPECT_LT(residual_rounding_floor(problem, Norm::l2, 1.0), 1e-8 * varied);
}

TEST(RemarkOnRounding, NamesFloorAndTolerance) {
  std::string const remark =
      remark_on_rounding_floor(closed(8, Precision::float32), 3.4e-4, 2e-6, 2.0);
  for (char const* part : {"float32", "0.00017", "1e-06", "float64"}) {
    EXPECT_NE(remark.find(part), std::string::npos) << part << " in: " << remark;
  }
  EXPECT_EQ(remark_on_rounding_floor(closed(8, Precision::float32), 3.4e-4, 1e-14, 1.0)
                .find("precision ="),
            std::string::npos)
      << "float64 does not hold that either";
  std::string const wide =
      remark_on_rounding_floor(closed(8, Precision::float64), 1e-9, 1e-12, 1.0);
  EXPECT_EQ(wide.find("precision ="), std::string::npos) << wide;
}

TEST(RemarkOnRounding, IsEmptyIfTheToleranceIsAttainable) {
  Problem const problem = closed(8, Precision::float64);
  EXPECT_EQ(remark_on_rounding_floor(problem, 1e-9, 1e-8, 1.0), "");
  EXPECT_EQ(remark_on_rounding_floor(problem, 0.0, 0.0, 1.0), "");
  EXPECT_EQ(remark_on_rounding_floor(problem, 1e-9, 0.0, 0.0), "");
}

}  // namespace
}  // namespace isotherm::test
