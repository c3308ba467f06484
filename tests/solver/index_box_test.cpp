#include <gtest/gtest.h>

#include "solver/initial.hpp"

namespace isotherm::test {
namespace {

Grid tenths() { return make_grid(2, {11, 11, 1}, {0, 0, 0}, {1, 1, 1}, {}); }

TEST(IndexBox, TakesTheLowerEndAndLeavesTheUpper) {
  EXPECT_EQ(index_box(tenths(), {{0.2, 0.25, 0}, {0.6, 0.65, 0}, 1.0}),
            (GlobalBox{{2, 3, 0}, {6, 7, 1}}));
}

TEST(IndexBox, ForgivesTheRoundingOfCoordinates) {
  // 0.1 + 0.2 lies a rounding above the third point, 0.7 - 0.1 a rounding below the sixth.
  EXPECT_EQ(index_box(tenths(), {{0.1 + 0.2, 0.7 - 0.1, 0}, {0.7 - 0.1, 0.9, 0}, 1.0}),
            (GlobalBox{{3, 6, 0}, {6, 9, 1}}));
}

TEST(IndexBox, EndsWhereTheGridEnds) {
  EXPECT_EQ(index_box(tenths(), {{-1e300, 0.95, 0}, {1e300, 7.0, 0}, 1.0}),
            (GlobalBox{{0, 10, 0}, {11, 11, 1}}));
}

TEST(IndexBox, IsEmptyBetweenTwoPoints) {
  EXPECT_TRUE(index_box(tenths(), {{0.21, 0.0, 0}, {0.29, 1.0, 0}, 1.0}).empty());
}

TEST(IndexBox, CountsEveryPlaneOfAThreeDimensionalGrid) {
  Grid const grid = make_grid(3, {8, 8, 8}, {-1, 0, 2}, {1, 1, 4}, {true, true, true});

  EXPECT_EQ(index_box(grid, {{-0.5, 0.5, 2.5}, {0.5, 2.0, 3.0}, 1.0}),
            (GlobalBox{{2, 4, 2}, {6, 8, 4}}));
}

}  // namespace
}  // namespace isotherm::test
