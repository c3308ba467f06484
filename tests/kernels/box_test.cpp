#include "kernels/core/box.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

// Values per axis.

namespace isotherm::test {
namespace {

TEST(PerAxis, StoresValuesInAxisOrder) {
  PerAxis<double> place{1.5, 2.5, 4.0};
  for (int axis = 0; axis < 3; ++axis) place[axis] += axis;

  EXPECT_EQ(place, (PerAxis<double>{1.5, 3.5, 6.0}));
  EXPECT_NE(place, (PerAxis<double>{1.5, 3.5, 6.5}));
  EXPECT_EQ(std::accumulate(place.begin(), place.end(), 0.0), 11.0);
  EXPECT_EQ(std::ranges::find(place, 3.5) - place.begin(), 1);
}

TEST(PerAxis, DefaultsToZero) {
  EXPECT_EQ(PerAxis<double>{}, (PerAxis<double>{0, 0, 0}));
  EXPECT_EQ((PerAxis<bool>{true}), (PerAxis<bool>{true, false, false}));
}

}  // namespace
}  // namespace isotherm::test
