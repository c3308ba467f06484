#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "decomposition/field/means.hpp"
#include "decomposition/field/regrid/resampling.hpp"
#include "decomposition/grid/grid.hpp"
#include "decomposition/grid/nearest_plane.hpp"
#include "kernels/core/error.hpp"

// Grids with graded axes: coordinates, gaps, weights and refinement.

namespace isotherm::test {
namespace {

std::vector<double> const steps{-1.0, -0.75, 0.0, 2.0, 6.0};

Grid even() { return make_grid(3, {4, 5, 6}, {0, -1, 2}, {1, 1, 3}, {true, false, false}); }
Grid graded() { return with_coordinates(even(), 1, steps); }

std::string refusal(Grid const& grid, int axis, std::vector<double> const& coordinates) {
  try {
    (void)with_coordinates(grid, axis, coordinates);
  } catch (InputError const& error) {
    return error.what();
  }
  return "accepted";
}

TEST(GradedGrid, HasTheGivenCoordinates) {
  Grid const grid = graded();
  EXPECT_TRUE(grid.is_graded());
  EXPECT_TRUE(grid.is_graded(1));
  EXPECT_FALSE(grid.is_graded(0));
  EXPECT_EQ(coordinates_of(grid, 1), steps);
  EXPECT_EQ(grid.coordinate(1, 3), 2.0);
  EXPECT_EQ(grid.gap(1, 0), 0.25);
  EXPECT_EQ(grid.gap(1, 3), 4.0);
  EXPECT_EQ(grid.lower[1], -1.0);
  EXPECT_EQ(grid.upper(1), 6.0);
  EXPECT_EQ(grid.length(1), 7.0);
  EXPECT_EQ(grid.spacing[1], 7.0 / 4.0);
}

TEST(GradedGrid, KeepsOtherAxesUniform) {
  Grid const grid = graded();
  Grid const before = even();
  for (int const axis : {0, 2}) {
    for (std::int64_t i = 0; i < before.points[axis]; ++i) {
      EXPECT_EQ(grid.coordinate(axis, i), before.coordinate(axis, i));
      EXPECT_EQ(grid.gap(axis, i), before.gap(axis, i));
    }
    EXPECT_EQ(grid.length(axis), before.length(axis));
    EXPECT_EQ(grid.upper(axis), before.upper(axis));
    EXPECT_EQ(grid.position(axis, 0.37), before.position(axis, 0.37));
  }
}

TEST(GradedGrid, EqualityComparesCoordinates) {
  EXPECT_EQ(graded(), graded());
  EXPECT_NE(graded(), even());
  std::vector<double> other = steps;
  other[2] = 1e-300;
  EXPECT_NE(graded(), with_coordinates(even(), 1, other));
}

TEST(GradedGrid, PositionInvertsCoordinate) {
  Grid const grid = graded();
  for (std::int64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(grid.position(1, grid.coordinate(1, i)), static_cast<double>(i));
  }
  EXPECT_EQ(grid.position(1, 1.0), 2.5);
  EXPECT_EQ(grid.position(1, 3.0), 3.25);
  EXPECT_EQ(grid.position(1, -1.25), -1.0);  // extrapolated with the first gap
  EXPECT_EQ(grid.position(1, 10.0), 5.0);    // extrapolated with the last gap
  EXPECT_TRUE(std::isnan(grid.position(1, std::nan(""))));
  Grid const two = with_coordinates(even(), 1, {3.0, 5.0});
  EXPECT_EQ(two.position(1, 4.5), 0.75);
}

TEST(GradedGrid, FindsTheNearestPlane) {
  Grid const grid = graded();
  EXPECT_EQ(nearest_plane(grid, 1, -0.1), 2);
  EXPECT_EQ(nearest_plane(grid, 1, 0.99), 2);
  EXPECT_EQ(nearest_plane(grid, 1, 1.01), 3);
  EXPECT_EQ(nearest_plane(grid, 1, 3.9), 3);
  EXPECT_EQ(nearest_plane(grid, 1, 4.1), 4);
  EXPECT_EQ(nearest_plane(grid, 1, 100.0), 4);
  EXPECT_EQ(nearest_plane(grid, 1, -100.0), 0);
}

TEST(GradedGrid, PointsBetweenTolerateABillionthOfAGap) {
  Grid const grid = graded();
  auto const along_y = [&](double lower, double upper, UpperEnd end) {
    GlobalBox const box = points_between(grid, {-9, lower, -9}, {9, upper, 9}, end);
    return std::pair(box.lower.y, box.upper.y);
  };
  using Range = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(along_y(-0.75, 2.0, UpperEnd::excluded), (Range{1, 3}));
  EXPECT_EQ(along_y(-0.75, 2.0, UpperEnd::included), (Range{1, 4}));
  EXPECT_EQ(along_y(-0.75 + 1e-10, 2.0 - 1e-10, UpperEnd::included), (Range{1, 4}));
  EXPECT_EQ(along_y(-0.75 + 1e-9, 2.0 - 5e-9, UpperEnd::included), (Range{2, 3}));
  EXPECT_EQ(along_y(-1e6, 1e6, UpperEnd::included), (Range{0, 5}));
  EXPECT_EQ(along_y(7.0, 8.0, UpperEnd::included), (Range{5, 5}));
}

TEST(GradedGrid, PartsHaveTheirCoordinates) {
  Grid const part = part_of(graded(), {{1, 1, 0}, {3, 4, 6}});
  EXPECT_EQ(coordinates_of(part, 1), (std::vector<double>{-0.75, 0.0, 2.0}));
  EXPECT_EQ(part.points, (Extent3{2, 3, 6}));
  EXPECT_FALSE(part.periodic[0]);
  EXPECT_EQ(part.lower[0], 0.25);

  Grid const plane = part_of(graded(), {{0, 3, 0}, {4, 4, 6}});
  EXPECT_FALSE(plane.is_graded());
  EXPECT_EQ(plane.coordinate(1, 0), 2.0);
  EXPECT_TRUE(plane.periodic[0]);
  EXPECT_EQ(part_of(graded(), graded().box()), graded());
}

TEST(GradedGrid, RefinementKeepsRelativeGaps) {
  Grid const finer = with_points(graded(), {4, 9, 6});
  EXPECT_EQ(coordinates_of(finer, 1),
            (std::vector<double>{-1.0, -0.875, -0.75, -0.375, 0.0, 1.0, 2.0, 4.0, 6.0}));
  EXPECT_EQ(with_points(finer, {4, 5, 6}), graded());
  EXPECT_EQ(with_points(graded(), {8, 5, 6}).graded, graded().graded);
}

TEST(GradedGrid, RefusesInvalidCoordinates) {
  double const nan = std::nan("");
  EXPECT_EQ(refusal(even(), 1, {1.0}), "the coordinates of the y axis are 1 (needs at least 2)");
  EXPECT_EQ(refusal(even(), 1, {0.0, 1.0, 1.0}),
            "the coordinates of the y axis do not ascend: number 3 is 1, but the one before is 1");
  EXPECT_EQ(refusal(even(), 2, {0.0, nan, 1.0}),
            "the coordinates of the z axis: number 2 is nan (needs finite numbers)");
  EXPECT_EQ(
      refusal(even(), 1, {0.0, 1e-7, 1.0}),
      "the coordinates of the y axis have spacings from 1e-07 to 1 (the largest may be at most "
      "1e+06 times the smallest)");
  EXPECT_EQ(refusal(even(), 1, {0.0, 1e-6, 1.0}), "accepted");
  EXPECT_EQ(refusal(even(), 0, {0.0, 0.1, 1.0}),
            "the x axis is periodic: its spacing is uniform, so it cannot have coordinates");
  EXPECT_NE(refusal(even(), 1, {-1e308, 0.0, 1e308, std::numeric_limits<double>::infinity()}),
            "accepted");
  EXPECT_NE(refusal(make_grid(2, {4, 5, 1}, {}, {1, 1, 0}, {}), 2, {0.0, 1.0}), "accepted");
}

TEST(GradedGrid, WeightsFollowAdjacentGaps) {
  std::vector<double> const weights = trapezoidal_weights(graded(), 1);
  std::vector<double> const halves{0.125, 0.5, 1.375, 3.0, 2.0};
  double sum = 0.0;
  for (std::size_t i = 0; i < halves.size(); ++i) {
    EXPECT_DOUBLE_EQ(weights[i], halves[i] / 1.75);
    sum += weights[i];
  }
  EXPECT_DOUBLE_EQ(sum, 4.0);
  EXPECT_EQ(trapezoidal_weights(graded(), 2), (std::vector<double>{0.5, 1, 1, 1, 1, 0.5}));
  EXPECT_EQ(trapezoidal_weights(graded(), 0), (std::vector<double>{1, 1, 1, 1}));
}

TEST(GradedGrid, IsResampledAlongUniformAxesOnly) {
  Grid const finer = with_points(graded(), {7, 5, 11});
  EXPECT_EQ(obstacle_to_resampling(graded(), finer), "");
  EXPECT_EQ(obstacle_to_resampling(graded(), finer, {{0.1, 0, 0.2}, 0}), "");
  Resampling const resampling = plan_resampling(graded(), finer, Curve::linear);
  EXPECT_EQ(resampling.place.offset[1], 0.0);
  EXPECT_EQ(resampling.place.step[1][1], 1.0);

  EXPECT_NE(obstacle_to_resampling(graded(), even()), "");
  EXPECT_NE(obstacle_to_resampling(even(), graded()), "");
  EXPECT_NE(obstacle_to_resampling(graded(), with_points(graded(), {4, 9, 6})), "");
  EXPECT_NE(obstacle_to_resampling(graded(), graded(), {{0, 0.1, 0}, 0}), "");
  EXPECT_NE(obstacle_to_resampling(graded(), graded(), {{}, 30.0}), "");
  EXPECT_THROW((void)plan_resampling(graded(), even(), Curve::linear), InputError);
}

}  // namespace
}  // namespace isotherm::test
