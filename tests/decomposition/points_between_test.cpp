#include <gtest/gtest.h>

#include "decomposition/grid/grid.hpp"

// The grid points between two places.

namespace isotherm::test {
namespace {

Grid tenths() { return make_grid(2, {11, 11, 1}, {0, 0, 0}, {1, 1, 1}, {}); }

TEST(PointsBetween, IncludesTheLowerAndExcludesTheUpperEnd) {
  EXPECT_EQ(points_between(tenths(), {0.2, 0.25, 0}, {0.6, 0.65, 0}, UpperEnd::excluded),
            (GlobalBox{{2, 3, 0}, {6, 7, 1}}));
}

TEST(PointsBetween, ToleratesRoundingOfCoordinates) {
  // 0.1 + 0.2 exceeds the coordinate of the third point by rounding; 0.7 - 0.1 is below that of the
  // sixth.
  EXPECT_EQ(
      points_between(tenths(), {0.1 + 0.2, 0.7 - 0.1, 0}, {0.7 - 0.1, 0.9, 0}, UpperEnd::excluded),
      (GlobalBox{{3, 6, 0}, {6, 9, 1}}));
}

TEST(PointsBetween, IsLimitedToTheGrid) {
  EXPECT_EQ(points_between(tenths(), {-1e300, 0.95, 0}, {1e300, 7.0, 0}, UpperEnd::excluded),
            (GlobalBox{{0, 10, 0}, {11, 11, 1}}));
}

TEST(PointsBetween, IsEmptyBetweenTwoPoints) {
  EXPECT_TRUE(points_between(tenths(), {0.21, 0.0, 0}, {0.29, 1.0, 0}, UpperEnd::excluded).empty());
}

TEST(PointsBetween, CountsEveryPlaneIn3D) {
  Grid const grid = make_grid(3, {8, 8, 8}, {-1, 0, 2}, {1, 1, 4}, {true, true, true});

  EXPECT_EQ(points_between(grid, {-0.5, 0.5, 2.5}, {0.5, 2.0, 3.0}, UpperEnd::excluded),
            (GlobalBox{{2, 4, 2}, {6, 8, 4}}));
}

TEST(PointsBetween, MayIncludeTheUpperEnd) {
  Grid const grid = make_grid(3, {11, 11, 11}, {0, 0, 0}, {1, 1, 1}, {false, false, false});

  EXPECT_EQ(points_between(grid, {0.1, 0.25, -5.0}, {0.3, 0.55, 0.0}, UpperEnd::included),
            (GlobalBox{{1, 3, 0}, {4, 6, 1}}));
}

TEST(PointsBetween, IgnoresZIn2D) {
  EXPECT_EQ(points_between(tenths(), {0.5, 0.5, 3.0}, {9.0, 9.0, 4.0}, UpperEnd::included),
            (GlobalBox{{5, 5, 0}, {11, 11, 1}}));
}

TEST(PointsBetween, IsEmptyOutsideTheGrid) {
  EXPECT_TRUE(points_between(tenths(), {0.01, 0, 0}, {0.09, 1, 1}, UpperEnd::included).empty());
  EXPECT_TRUE(points_between(tenths(), {2, 0, 0}, {3, 1, 1}, UpperEnd::included).empty());
}

}  // namespace
}  // namespace isotherm::test
