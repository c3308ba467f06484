#include "solver/iteration/error_estimate.hpp"

#include <gtest/gtest.h>

#include <cmath>

// Error estimates from the changes of the field.

namespace isotherm::test {
namespace {

using Kind = ErrorEstimate::Kind;

TEST(ErrorEstimate, SumsTheGeometricSeriesOfCycles) {
  ErrorEstimate estimate(Kind::cycles);
  estimate.add({1, 8.0});
  EXPECT_FALSE(estimate.remaining().has_value());
  estimate.add({2, 2.0});
  EXPECT_DOUBLE_EQ(estimate.remaining().value(), 2.0 * 0.25 / 0.75);
  // The estimate uses the larger of the last two ratios.
  estimate.add({3, 0.2});
  EXPECT_DOUBLE_EQ(estimate.remaining().value(), 0.2 * 0.25 / 0.75);
  // Ratios below 0.1 count as 0.1.
  estimate.add({4, 0.02});
  estimate.add({5, 2e-8});
  EXPECT_NEAR(estimate.remaining().value(), 2e-8 / 9.0, 1e-20);
}

TEST(ErrorEstimate, ConjugateGradientRateFollowsFromGains) {
  ErrorEstimate estimate(Kind::conjugate_cycles);
  estimate.add({1, 1.0, 1.0});
  estimate.add({2, 1.5, 0.25});
  // The root of the ratio of gains is 1/2. Step lengths may vary.
  EXPECT_DOUBLE_EQ(estimate.remaining().value(), 1.5);
  // A short step does not hide the long one before it.
  estimate.add({3, 1e-6, 0.0625});
  EXPECT_DOUBLE_EQ(estimate.remaining().value(), 1.5 * 0.5);
}

/// If residuals once fell slowly, the largest of three successive estimates counts.
TEST(ErrorEstimate, IrregularConvergenceCountsTheLargestOfThreeEstimates) {
  ErrorEstimate estimate(Kind::conjugate_cycles);
  ErrorEstimate regular(Kind::conjugate_cycles);
  double gain = 1.0;
  for (int n = 1; n <= 4; ++n, gain /= 25.0) {
    double const size = n == 2 ? 3.0 : 1e-3;
    estimate.add({1.0 * n, size, gain, 0.7});
    regular.add({1.0 * n, size, gain, 0.1});
    EXPECT_EQ(estimate.remaining().has_value(), n == 4) << n;
  }
  // ρ = 0.2: of the second iteration max(3, 1e-3 ρ) ρ / (1 − ρ), of the last two less.
  EXPECT_DOUBLE_EQ(estimate.remaining().value(), 3.0 * 0.25);
  EXPECT_DOUBLE_EQ(regular.remaining().value(), 1e-3 * 0.25);
  estimate.add({5.0, 1e-3, gain, 0.7});
  EXPECT_DOUBLE_EQ(estimate.remaining().value(), 3.0 * 0.2 * 0.25);
}

TEST(ErrorEstimate, IsExactForADecayingMode) {
  ErrorEstimate estimate(Kind::steps);
  double const rate = 1e-3;
  for (int check = 0; check < 4; ++check) {
    double const position = 100.0 * check;
    estimate.add({position, rate * std::exp(-rate * position)});
  }
  // The change that remains after the last check but one.
  EXPECT_NEAR(estimate.remaining().value(), std::exp(-0.2), 1e-12);
}

TEST(ErrorEstimate, AllowsForPowerLawDecay) {
  ErrorEstimate estimate(Kind::steps);
  for (int check = 0; check < 4; ++check) {
    double const time = 10000.0 + 10.0 * check;
    estimate.add({time, 0.5 * std::pow(time, -1.5)});
  }
  // The decay rate alone would predict 1 / 1.5 of the change times t, a third of the actual error.
  EXPECT_NEAR(estimate.remaining().value(), std::pow(10020.0, -0.5), 1e-4);
}

TEST(ErrorEstimate, DetectsASmoothModeBehindARoughOne) {
  auto const change = [](double position) {
    return 0.05 * std::exp(-0.05 * position) + 1e-3 * std::exp(-1e-3 * position);
  };
  ErrorEstimate estimate(Kind::steps);
  for (int check = 0; check < 40; ++check) {
    estimate.add({10.0 * check, change(10.0 * check)});
    auto const said = estimate.remaining();
    double const error = std::exp(-0.5 * (check - 1)) + std::exp(-0.01 * (check - 1));
    // Until the changes of the rough mode have fallen to those of the smooth one, nothing reveals
    // the smooth mode.
    if (said && check >= 10) {
      EXPECT_GT(*said, 0.5 * error) << check;
    }
    // While the smooth mode becomes dominant, the estimate may be arbitrary.
    if (check >= 12 && check <= 24) {
      EXPECT_FALSE(said.has_value()) << check;
    }
  }
  EXPECT_NEAR(estimate.remaining().value(), std::exp(-0.38), 0.01);
}

TEST(ErrorEstimate, ToleratesUnequalSteps) {
  ErrorEstimate estimate(Kind::steps);
  auto const add = [&](double time) { estimate.add({time, std::exp(-time)}); };
  for (int step = 0; step <= 10; ++step) add(0.1 * step);
  add(1.001);
  EXPECT_NEAR(estimate.remaining().value(), std::exp(-0.9), 1e-9);
  // The steps that follow have other lengths.
  add(1.2);
  add(1.7);
  add(2.7);
  EXPECT_NEAR(estimate.remaining().value(), std::exp(-1.7), 1e-9);
}

TEST(ErrorEstimate, NoEstimateWithoutDecay) {
  ErrorEstimate estimate(Kind::steps);
  for (int check = 0; check < 3; ++check) estimate.add({100.0 * check, 1.0});
  EXPECT_FALSE(estimate.remaining().has_value());
  EXPECT_TRUE(estimate.stagnates());
  EXPECT_FALSE(estimate.at_rounding_floor().has_value());
}

TEST(ErrorEstimate, NoEstimateForAlternatingChanges) {
  ErrorEstimate estimate(Kind::steps);
  for (int step = 0; step < 6; ++step) estimate.add({1.0 * step, step % 2 == 0 ? 1.0 : 1e-6});
  EXPECT_FALSE(estimate.remaining().has_value());
  estimate.add({6.0, 1.0});
  EXPECT_FALSE(estimate.remaining().has_value());
}

TEST(ErrorEstimate, DetectsStagnationOfCycles) {
  ErrorEstimate estimate(Kind::cycles);
  for (int cycle = 1; cycle < 5; ++cycle) {
    estimate.add({1.0 * cycle, std::pow(0.1, cycle)});
    EXPECT_FALSE(estimate.stagnates());
  }
  estimate.add({5, 0.9e-4});
  EXPECT_FALSE(estimate.stagnates());
  estimate.add({6, 1.1e-4});
  EXPECT_TRUE(estimate.stagnates());
  EXPECT_DOUBLE_EQ(estimate.at_rounding_floor().value(), 1.1e-4);
}

TEST(ErrorEstimate, IsRestoredFromItsSamples) {
  ErrorEstimate whole(Kind::conjugate_cycles);
  for (int cycle = 1; cycle < 9; ++cycle) {
    whole.add({1.0 * cycle, std::pow(0.3, cycle), std::pow(0.1, cycle)});
  }
  ErrorEstimate resumed(Kind::conjugate_cycles);
  resumed.restore(whole.samples());
  EXPECT_EQ(resumed.remaining(), whole.remaining());
  // A resumed run measures the residual of its first field once more.
  resumed.add(whole.samples().back());
  EXPECT_EQ(resumed.samples(), whole.samples());
  EXPECT_EQ(resumed.stagnates(), whole.stagnates());

  ErrorEstimate sweeps(Kind::steps);
  for (int check = 0; check < 9; ++check) sweeps.add({100.0 * check, std::exp(-check)});
  resumed = ErrorEstimate(Kind::steps);
  resumed.restore(sweeps.samples());
  EXPECT_EQ(resumed.remaining(), sweeps.remaining());
  EXPECT_NEAR(resumed.at_rounding_floor().value(), sweeps.at_rounding_floor().value(), 1e-9);
}

/// While a mode of time constant 1000 decays, the remaining error is 1000 times its change.
/// Rounding errors in the changes are amplified as much.
TEST(ErrorEstimate, AmplifiesRoundingLikeChanges) {
  ErrorEstimate estimate(Kind::steps);
  for (int check = 0; check < 3; ++check) {
    double const position = 100.0 * check;
    estimate.add({position, 1e-3 * std::exp(-1e-3 * position)});
  }
  for (int check = 3; check < 6; ++check) estimate.add({100.0 * check, 1e-16});
  EXPECT_TRUE(estimate.stagnates());
  EXPECT_NEAR(estimate.at_rounding_floor().value(), 1e-13, 1e-22);
}

}  // namespace
}  // namespace isotherm::test
