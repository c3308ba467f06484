#include "io/picture/figure/contour_labels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

// Numbers on contour lines: where they are put, and the gaps for them.

namespace isotherm::test {
namespace {

using namespace figure;

constexpr LabelArea area{0, 0, 720, 720};
constexpr double height = 11.0;
constexpr double width = 30.0;

DrawnLine straight(double from_x, double from_y, double to_x, double to_y) {
  constexpr int parts = 100;
  DrawnLine line;
  for (int i = 0; i <= parts; ++i) {
    line.places.push_back({std::lerp(from_x, to_x, i / 100.0), std::lerp(from_y, to_y, i / 100.0)});
  }
  return line;
}

DrawnLine circle(double x, double y, double radius) {
  constexpr int parts = 200;
  DrawnLine line;
  line.closed = true;
  for (int i = 0; i < parts; ++i) {
    double const angle = 2.0 * std::numbers::pi * i / parts;
    line.places.push_back({x + radius * std::cos(angle), y + radius * std::sin(angle)});
  }
  return line;
}

double length_of(DrawnLine const& line) {
  double length = 0.0;
  for (std::size_t i = 1; i < line.places.size(); ++i) {
    length += std::hypot(line.places[i].x - line.places[i - 1].x,
                         line.places[i].y - line.places[i - 1].y);
  }
  return length;
}

TEST(ContourLabels, LieInGapsOfALine) {
  auto const found = labelled({straight(10, 300, 710, 300)}, {width}, height, area);
  ASSERT_EQ(found.labels.size(), 2U);  // 700 points are not enough for three
  for (LineLabel const& label : found.labels) {
    EXPECT_NEAR(label.middle.y, 300.0, 1e-9);
    EXPECT_NEAR(label.angle, 0.0, 1e-9);
    for (DrawnLine const& part : found.lines) {
      for (Paper::Place const place : part.places) EXPECT_FALSE(label.covers(place, height, 0.0));
    }
  }
  ASSERT_EQ(found.lines.size(), 3U);
  double rest = 0.0;
  for (DrawnLine const& part : found.lines) rest += length_of(part);
  EXPECT_NEAR(rest, 700.0 - 2.0 * (width + 8.0), 1e-6);
}

TEST(ContourLabels, AreReadFromTheLeftOrUpwards) {
  auto const angle = [](DrawnLine const& line) {
    auto const found = labelled({line}, {width}, height, area);
    return found.labels.empty() ? 99.0 : found.labels.front().angle;
  };
  EXPECT_NEAR(angle(straight(500, 100, 100, 100)), 0.0, 1e-9);
  EXPECT_NEAR(angle(straight(300, 50, 300, 400)), -0.5 * std::numbers::pi, 1e-6);
  EXPECT_NEAR(angle(straight(300, 400, 300, 50)), -0.5 * std::numbers::pi, 1e-6);
  EXPECT_NEAR(angle(straight(400, 400, 100, 100)), 0.25 * std::numbers::pi, 1e-9);
}

TEST(ContourLabels, OfACircleFollowIt) {
  auto const found = labelled({circle(360, 360, 150)}, {width}, height, area);
  ASSERT_EQ(found.labels.size(), 2U);  // of 942 points
  EXPECT_EQ(found.lines.size(), 2U);
  for (LineLabel const& label : found.labels) {
    double const x = label.middle.x - 360, y = label.middle.y - 360;
    EXPECT_NEAR(std::hypot(x, y), 150.0, 3.0);
    // The text is perpendicular to the radius.
    EXPECT_NEAR((x * std::cos(label.angle) + y * std::sin(label.angle)) / 150.0, 0.0, 0.02);
  }
}

TEST(ContourLabels, NeitherCoverOtherLinesNorEachOther) {
  // Lines that are 25 points apart have room for numbers, those that are 7 apart do not.
  for (double const apart : {25.0, 7.0}) {
    std::vector<DrawnLine> lines;
    std::vector<double> widths;
    for (double y = 50; y < 650; y += apart) {
      lines.push_back(straight(10, y, 710, y + 20));
      lines.back().level = widths.size();
      widths.push_back(width);
    }
    auto const found = labelled(lines, widths, height, area);
    EXPECT_EQ(found.labels.empty(), apart < 10.0);
    for (LineLabel const& label : found.labels) {
      for (DrawnLine const& line : found.lines) {
        for (Paper::Place const place : line.places) {
          ASSERT_FALSE(label.covers(place, height, 0.0)) << apart;
        }
      }
      for (LineLabel const& other : found.labels) {
        if (&other == &label) continue;
        for (double along = -0.5; along <= 0.5; along += 0.1) {
          Paper::Place const place{other.middle.x + along * width * std::cos(other.angle),
                                   other.middle.y + along * width * std::sin(other.angle)};
          ASSERT_FALSE(label.covers(place, height, 0.0));
        }
      }
    }
  }
}

TEST(ContourLabels, ShortLinesAndNarrowAreasHaveNone) {
  EXPECT_TRUE(labelled({circle(100, 100, 8)}, {width}, height, area).labels.empty());
  EXPECT_TRUE(labelled({straight(5, 5, 40, 5)}, {width}, height, area).labels.empty());
  EXPECT_TRUE(labelled({straight(10, 3, 710, 3)}, {width}, height, area).labels.empty())
      << "numbers stay within the frame";
  EXPECT_TRUE(labelled({}, {}, height, area).lines.empty());
}

}  // namespace
}  // namespace isotherm::test
