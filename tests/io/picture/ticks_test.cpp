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

}  // namespace
}  // namespace isotherm::test
