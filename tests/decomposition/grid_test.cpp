#include "decomposition/grid/grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "kernels/core/error.hpp"

// Grids, faces, and values per face.

namespace isotherm::test {
namespace {

std::string refusal(int dimension, Extent3 points, PerAxis<double> upper, PerAxis<bool> periodic) {
  try {
    (void)make_grid(dimension, points, {0, 0, 0}, upper, periodic);
  } catch (InputError const& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Grid, PointsIncludeBothEndsOfAPhysicalAxis) {
  Grid const grid = make_grid(3, {5, 9, 3}, {-1, 0, 2}, {1, 4, 3}, {false, false, false});

  EXPECT_EQ(grid.spacing, (PerAxis<double>{0.5, 0.5, 0.5}));
  EXPECT_EQ(grid.coordinate(0, 0), -1.0);
  EXPECT_EQ(grid.coordinate(0, 4), 1.0);
  EXPECT_EQ(grid.coordinate(2, 2), 3.0);
}

TEST(Grid, LastPointOfAPeriodicAxisIsOneSpacingBeforeItsEnd) {
  Grid const grid = make_grid(3, {4, 5, 8}, {0, 0, -1}, {2, 1, 1}, {true, false, true});

  EXPECT_EQ(grid.spacing, (PerAxis<double>{0.5, 0.25, 0.25}));
  EXPECT_EQ(grid.coordinate(0, 3), 1.5);
  EXPECT_EQ(grid.coordinate(2, 7), 0.75);
}

TEST(Grid, IgnoresZIn2D) {
  Grid const grid = make_grid(2, {4, 5, 1}, {0, 0, 7}, {1, 1, 7}, {true, false, true});

  EXPECT_EQ(grid.dimension, 2);
  EXPECT_EQ(grid.points, (Extent3{4, 5, 1}));
  EXPECT_FALSE(grid.periodic[2]);
  EXPECT_EQ(grid.point_count(), 20);
}

TEST(Grid, PointCountExceeds32Bits) {
  Grid const grid = make_grid(3, {3000, 2000, 1000}, {0, 0, 0}, {1, 1, 1}, {});

  EXPECT_EQ(grid.point_count(), 6'000'000'000);
}

TEST(Grid, OnePointSufficesOnAPeriodicAxisOnly) {
  EXPECT_EQ(refusal(3, {4, 1, 4}, {1, 1, 1}, {false, true, false}), "accepted");
  EXPECT_EQ(refusal(3, {4, 1, 4}, {1, 1, 1}, {false, false, false}),
            "the y axis has 1 point, but an axis between two boundaries needs at least 2");
  EXPECT_EQ(refusal(3, {4, 4, 0}, {1, 1, 1}, {false, false, true}),
            "the z axis has 0 points, but a periodic axis needs at least 1");
}

TEST(Grid, RefusesAxesWithoutLength) {
  for (double const upper : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity()}) {
    EXPECT_NE(refusal(3, {4, 4, 4}, {1, upper, 1}, {}).find("the y axis has no length"),
              std::string::npos)
        << upper;
  }
}

TEST(Grid, RefusesCoincidingCoordinates) {
  EXPECT_THROW((void)make_grid(2, {1'000'000, 4, 1}, {1e9, 0, 0}, {1e9 + 1e-6, 1, 0}, {}),
               InputError);
}

TEST(Grid, RefusesTooManyPoints) {
  std::int64_t const n = 1'048'576;  // 2^20 on each axis is the maximum

  EXPECT_EQ(refusal(3, {n, n, n}, {1, 1, 1}, {}), "accepted");
  EXPECT_NE(refusal(3, {n, n, n + 1}, {1, 1, 1}, {}).find("at most 2^60"), std::string::npos);
}

TEST(Grid, RefusesOtherDimensions) {
  EXPECT_NE(refusal(1, {4, 1, 1}, {1, 1, 1}, {}), "accepted");
  EXPECT_NE(refusal(4, {4, 4, 4}, {1, 1, 1}, {}), "accepted");
  EXPECT_NE(refusal(2, {4, 4, 2}, {1, 1, 1}, {}), "accepted");
}

TEST(Face, IndexMatchesName) {
  std::array<std::string, 6> const names{"x_lower", "x_upper", "y_lower",
                                         "y_upper", "z_lower", "z_upper"};
  for (int index = 0; index < 6; ++index) {
    Face const face = Face::from_index(index);
    EXPECT_EQ(face.index(), index);
    EXPECT_EQ(name(face), names[static_cast<std::size_t>(index)]);
  }
}

TEST(PerFace, StoresValuesInFaceOrder) {
  PerFace<int> numbers{0, 1, 2, 3, 4, 5};
  for (int index = 0; index < 6; ++index) EXPECT_EQ(numbers[Face::from_index(index)], index);

  numbers[{1, true}] = 7;
  EXPECT_EQ(numbers, (PerFace<int>{0, 1, 2, 7, 4, 5}));
  EXPECT_EQ(std::ranges::find(numbers, 7) - numbers.begin(), (Face{1, true}.index()));
}

}  // namespace
}  // namespace isotherm::test
