#include "io/picture/figure/ticks.hpp"

#include <gtest/gtest.h>

#include <cmath>

// The tick marks of a colour bar.

namespace isotherm::test {
namespace {

std::vector<std::string> labels(double lower, double upper, int wanted) {
  std::vector<std::string> all;
  for (Tick const& tick : ticks_between(lower, upper, wanted)) {
    all.push_back(tick.label);
  }
  return all;
}
using Labels = std::vector<std::string>;

TEST(Ticks, AreRoundAndInsideTheRange) {
  EXPECT_EQ(labels(0.0, 1.0, 5), (Labels{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels(-0.26, 0.7, 4), (Labels{"0", "0.5"}));
  EXPECT_EQ(labels(273.15, 373.15, 5), (Labels{"280", "300", "320", "340", "360"}));
}

TEST(Ticks, UseExponentsForVeryLargeAndSmallValues) {
  EXPECT_EQ(labels(0.0, 2.1e-7, 2), (Labels{"0", "2e-07"}));
  EXPECT_EQ(labels(1.0e6, 1.2e6, 2), (Labels{"1.0e+06", "1.1e+06", "1.2e+06"}));
}

TEST(Ticks, ExistIfNoMultipleOfALongStepIsInside) {
  EXPECT_EQ(labels(0.025, 0.08, 1), Labels{"0.05"});
  EXPECT_EQ(labels(-0.9, -0.3, 1), Labels{"-0.5"});
}

TEST(Ticks, ExistForAnEmptyRange) {
  EXPECT_EQ(labels(3.0, 3.0, 5), Labels{"3"});
  EXPECT_EQ(labels(1.0, std::nextafter(1.0, 2.0), 5), Labels{"1"});
  EXPECT_EQ(labels(0.0, 0.0, 5), Labels{"0"});
}

TEST(Ticks, AreDistinguishable) {
  EXPECT_EQ(labels(100.0, 100.004, 4),
            (Labels{"100.000", "100.001", "100.002", "100.003", "100.004"}));
}

std::vector<std::string> levels(double lower, double upper, int wanted) {
  std::vector<std::string> all;
  for (Tick const& tick : levels_between(lower, upper, wanted)) all.push_back(tick.label);
  return all;
}

TEST(Levels, AreAsManyAsWantedIfARoundStepAllowsIt) {
  EXPECT_EQ(levels(0.0, 1.0, 3), (Labels{"0", "0.25", "0.50", "0.75", "1.00"}));
  EXPECT_EQ(levels(0.0, 1.0, 4), (Labels{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(levels(0.0, 8.0, 4), (Labels{"0", "2", "4", "6", "8"}));
  EXPECT_EQ(levels(0.0, 100.0, 3), (Labels{"0", "25", "50", "75", "100"}));
  EXPECT_EQ(levels(20.0, 85.3, 12).size(), 14U);  // step 5: 25 to 85, and the end at 20
}

TEST(Levels, AreNearToTheWantedNumberOnAnyRange) {
  for (double const upper : {1.0, 1.3, 2.2, 3.7, 5.1, 7.9, 9.6, 65.3e5, 4.4e-7}) {
    for (int wanted = 1; wanted <= 100; ++wanted) {
      // Adjacent steps differ by a factor of 2 (1 to 2) or 2.5 or less, so the nearer one is
      // wrong by less than a half; one more for the position of the multiples.
      auto const found = static_cast<double>(levels(0.013 * upper, upper, wanted).size());
      EXPECT_GE(found, wanted / 1.5 - 1) << upper;
      EXPECT_LE(found, wanted * 1.4 + 1) << upper;
    }
  }
}

}  // namespace
}  // namespace isotherm::test
