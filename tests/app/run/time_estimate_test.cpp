#include "app/run/report/time_estimate.hpp"

#include <gtest/gtest.h>

// The part of a grid that is timed to estimate the duration of a run.

namespace isotherm::app {
namespace {

TEST(GridToTime, SmallGridIsTimedAsAWhole) {
  Grid const grid = make_grid(3, {200, 100, 50}, {0, 0, 0}, {1, 1, 1}, {});
  EXPECT_EQ(grid_to_time(grid, {1, 1, 2}, 500'000), grid);
}

TEST(GridToTime, LargeGridIsCutAtTheSameSpacing) {
  Grid const grid = make_grid(3, {4096, 4096, 4096}, {0, 0, 0}, {1, 1, 1}, {});
  for (Extent3 const parts : {Extent3{1, 1, 1}, Extent3{1, 1, 8}, Extent3{2, 2, 2}}) {
    Grid const part = grid_to_time(grid, parts, 1 << 23);

    EXPECT_LE(part.point_count() / (parts.x * parts.y * parts.z), 1 << 23);
    EXPECT_GT(part.point_count() / (parts.x * parts.y * parts.z), 1 << 22);
    EXPECT_EQ(part.spacing, grid.spacing);
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_GE(part.points[axis], 64 * parts[axis]);
    }
  }
}

TEST(GridToTime, KeepsTheFirstPointsOfAGradedAxis) {
  std::vector<double> along;
  for (int i = 0; i < 1000; ++i) along.push_back(i + 0.001 * i * i);
  Grid const even = make_grid(2, {400, 1000, 1}, {0, 0, 0}, {1, 1, 1}, {});
  Grid const part = grid_to_time(with_coordinates(even, 1, along), {1, 1, 1}, 100'000);

  ASSERT_TRUE(part.is_graded(1));
  EXPECT_LE(part.point_count(), 100'000);
  along.resize(static_cast<std::size_t>(part.points.y));
  EXPECT_EQ(coordinates_of(part, 1), along);
}

TEST(GridToTime, PartsAreDeepEnoughForAPass) {
  Grid const grid = make_grid(2, {100, 100'000, 1}, {0, 0, 0}, {1, 1, 1}, {});
  Grid const part = grid_to_time(grid, {1, 16, 1}, 10);

  EXPECT_EQ(part.points.x, 100);
  EXPECT_GE(part.points.y, 64 * 16);
  EXPECT_EQ(part.points.z, 1);
}

}  // namespace
}  // namespace isotherm::app
