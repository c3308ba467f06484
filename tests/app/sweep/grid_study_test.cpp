#include "app/sweep/grid_study.hpp"

#include <gtest/gtest.h>

// Extrapolation of three results, and its error bar.

namespace isotherm::app {
namespace {

TEST(Extrapolate, ErrorOfSecondOrderIsRemoved) {
  auto const found = extrapolate({1.01, 1.04, 1.16}, 2.0, 2.0);
  ASSERT_TRUE(found && found->order);
  EXPECT_NEAR(found->value, 1.0, 1e-12);
  EXPECT_NEAR(*found->order, 2.0, 1e-9);
  EXPECT_NEAR(found->error_bar, 1.25 * 0.01, 1e-12);
  EXPECT_TRUE(found->is_regular);
}

/// Results of a heat spreader whose copper ends between grid points. The exact value is 118.3185.
TEST(Extrapolate, ErrorBarOfHighObservedOrderContainsExactValue) {
  auto const found = extrapolate({118.2600, 118.2281, 117.4090}, 2.0, 2.0);
  ASSERT_TRUE(found && found->order);
  EXPECT_GT(*found->order, 4.5);
  EXPECT_FALSE(found->is_regular);
  EXPECT_NEAR(found->value, 118.26 + 0.0319 / 3.0, 1e-9);
  EXPECT_NEAR(found->error_bar, 3.0 * 0.8510 / 15.0, 1e-9);
  EXPECT_GT(118.26 + found->error_bar, 118.3185);
}

TEST(Extrapolate, LowOrderHasCautiousBar) {
  // The error h^(1/4): its distance from the limit is 1 on the finest grid.
  double const root = 1.189207115002721;  // of 2, the fourth one
  auto const found = extrapolate({1.0, root, root * root}, 2.0, 2.0);
  ASSERT_TRUE(found && found->order);
  EXPECT_NEAR(*found->order, 0.25, 1e-9);
  EXPECT_NEAR(found->value, 0.0, 1e-9);
  EXPECT_NEAR(found->error_bar, 3.0, 1e-8);
}

TEST(Extrapolate, OscillatingResultsHaveNoLimit) {
  EXPECT_FALSE(extrapolate({1.0, 1.1, 1.0}, 2.0, 2.0));
}

}  // namespace
}  // namespace isotherm::app
