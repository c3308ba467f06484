#include "io/picture/contours.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

// Contour lines by marching squares.

namespace isotherm::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class Value>
SliceSamples sampled(std::int64_t columns, std::int64_t rows, Value const& value) {
  SliceSamples samples{columns, rows};
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      samples.values.push_back(value(static_cast<double>(column) / static_cast<double>(columns - 1),
                                     static_cast<double>(row) / static_cast<double>(rows - 1)));
    }
  }
  return samples;
}

TEST(Contours, FollowTheLevel) {
  SliceSamples const samples =
      sampled(30, 20, [](double x, double y) { return 3 * x + 2 * y * y; });

  for (double const level : {0.1, 1.0, 2.5, 4.9}) {
    auto const lines = contours_at(samples, level);
    ASSERT_EQ(lines.size(), 1U) << level;
    EXPECT_FALSE(lines[0].closed);
    EXPECT_GE(lines[0].places.size(), 2U);
    for (SlicePlace const place : lines[0].places) {
      EXPECT_NEAR(samples.at(place.right, place.up), level, 1e-12);
    }
  }
}

TEST(SliceSamples, FollowTheCoordinatesOfGradedAxes) {
  SliceSamples samples{3, 2, {0.0, 1.0, 2.0, 10.0, 11.0, 12.0}};
  samples.column_places = {0.0, 0.2, 1.0};
  EXPECT_DOUBLE_EQ(samples.at(0.1, 0.0), 0.5);
  EXPECT_DOUBLE_EQ(samples.at(0.2, 0.5), 6.0);
  EXPECT_DOUBLE_EQ(samples.at(0.6, 1.0), 11.5);
  EXPECT_DOUBLE_EQ(samples.at(1.0, 1.0), 12.0);
}

/// A field with a jump and another slope beyond it, midway between two samples: values on each side
/// follow their own side, and the contour of a value within the jump does not leave the surface.
TEST(SliceSamples, DoNotMixMaterials) {
  auto const field = [](double x, bool is_left) { return is_left ? x : 4.0 + 3.0 * x; };
  SliceSamples samples = sampled(9, 5, [&](double x, double) { return field(x, x < 0.4); });
  for (double const value : samples.values) samples.materials.push_back(value < 3.0 ? 0 : 1);
  double const surface = 0.4375;
  for (double const x : {0.1, 0.39, 0.43, 0.44, 0.49, 0.8}) {
    EXPECT_NEAR(samples.at(x, 0.3), field(x, x < surface), 1e-12) << x;
  }
  EXPECT_EQ(contours_at(samples, 5.6).size(), 1U);
  EXPECT_TRUE(contours_at(samples, 3.0).empty());
  // A kink is no jump.
  for (double& value : samples.values) value = value < 3.0 ? value : value - 4.8;
  EXPECT_EQ(contours_at(samples, 0.5).size(), 1U);
}

/// Samples of an excluded region are replaced by extrapolation.
TEST(SliceSamples, ExtrapolateToExcludedRegions) {
  SliceSamples samples = sampled(9, 9, [](double x, double y) { return 2.0 * x - y; });
  samples.materials.assign(81, 0);
  for (std::int64_t row = 3; row < 6; ++row) {
    for (std::int64_t column = 3; column < 6; ++column) {
      samples.materials[samples.position(column, row)] = SliceSamples::excluded;
      samples.values[samples.position(column, row)] = 1e3;
    }
  }
  EXPECT_NEAR(samples.at(0.31, 0.5), 0.12, 1e-12);
  EXPECT_NEAR(samples.at(0.31, 0.31), 0.31, 1e-12);
  EXPECT_TRUE(std::isnan(samples.at(0.33, 0.33)));
}

TEST(Contours, AreClosedAroundASummit) {
  SliceSamples const samples =
      sampled(41, 31, [](double x, double y) { return -std::hypot(x - 0.4, y - 0.5); });

  auto const lines = contours_at(samples, -0.25);

  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].closed);
  for (SlicePlace const place : lines[0].places) {
    EXPECT_NEAR(std::hypot(place.right - 0.4, place.up - 0.5), 0.25, 1e-3);
  }
  EXPECT_GT(lines[0].places.size(), 40U);
}

TEST(Contours, SplitSaddlesByTheValueAtTheCentre) {
  auto const lines_at = [](double level) {
    return contours_at({2, 2, {1.0, 0.0, 0.0, 1.0}}, level);  // interpolates to 0.5 at the centre
  };

  // Two lines cut off the lower right and the upper left corner; the other two corners are
  // connected.
  for (Contour const& line : lines_at(0.4)) {
    ASSERT_EQ(line.places.size(), 2U);
    EXPECT_NEAR(line.places[0].right + line.places[1].right + line.places[0].up + line.places[1].up,
                2.0, 1e-12);
    EXPECT_GT(std::abs(line.places[0].right + line.places[1].right - 1.0), 0.5);
  }
  EXPECT_EQ(lines_at(0.4).size(), 2U);
  EXPECT_EQ(lines_at(0.6).size(), 2U);
  EXPECT_LT(lines_at(0.6)[0].places[0].right, 0.5) << "around the lower left corner";
}

TEST(Contours, AvoidNonFiniteValues) {
  auto const lines = contours_at(
      sampled(11, 11, [](double x, double y) { return x > 0.45 && x < 0.55 ? nan : y; }), 0.52);

  ASSERT_EQ(lines.size(), 2U);
  for (Contour const& line : lines) {
    for (SlicePlace const place : line.places) {
      EXPECT_TRUE(place.right < 0.41 || place.right > 0.59);
      EXPECT_NEAR(place.up, 0.52, 1e-12);
    }
  }
}

TEST(Contours, EmptyIfNoEdgeCrossesTheLevel) {
  auto const flat = [](double, double) { return 2.0; };

  EXPECT_TRUE(contours_at(sampled(5, 5, flat), 2.0).empty());
  EXPECT_TRUE(contours_at(sampled(5, 5, flat), 3.0).empty());
  EXPECT_TRUE(contours_at({1, 3, {1.0, 2.0, 3.0}}, 2.0).empty());
}

TEST(Contours, NotDrawnAlongTheRim) {
  // 0 along the lower and upper side, negative on the left, positive on the right.
  auto const lines = contours_at(
      sampled(11, 11, [](double x, double y) { return (x - 0.55) * y * (1 - y); }), 0.0);

  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].places.front().up + lines[0].places.back().up, 1.0);
  for (SlicePlace const place : lines[0].places) {
    EXPECT_NEAR(place.right, 0.55, 0.051);
  }
}

TEST(Contours, DoNotOverflowForHugeValues) {
  double const huge = std::numeric_limits<double>::max();

  auto const lines = contours_at({2, 2, {-huge, huge, -huge, huge}}, 0.0);

  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].places[0].right, 0.5);
}

}  // namespace
}  // namespace isotherm::test
