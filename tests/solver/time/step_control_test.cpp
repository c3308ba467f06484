#include "solver/time/step_control.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

// The lengths of steps that bound their error.

namespace isotherm::test {
namespace {

/// Takes the steps of an interval whose error is rate · length^(order + 1); returns their ends.
std::vector<double> ends_of_steps(StepControl& control, double from_s, double to_s, double rate,
                                  int order) {
  std::vector<double> ends;
  for (control.begin(from_s, to_s); !control.at_end();) {
    DividedStep const step = control.step();
    EXPECT_EQ(step.from_s, ends.empty() ? from_s : ends.back());
    EXPECT_NEAR(step.to_s - step.from_s, step.length_s, 1e-15 * to_s);
    EXPECT_NEAR(step.middle_s, 0.5 * (step.from_s + step.to_s), 1e-15 * to_s);
    if (control.judge(rate * std::pow(step.length_s, order + 1), order)) ends.push_back(step.to_s);
  }
  return ends;
}

TEST(StepControl, StepsEndAtTheEndOfTheIntervalAndAreWithinTheTolerance) {
  for (int const order : {1, 2}) {
    StepControl control({.tolerance = 1e-4});
    auto const ends = ends_of_steps(control, 0.3, 1.7, 1.0, order);
    EXPECT_EQ(ends.back(), 1.7);
    StepState const& state = control.state();
    EXPECT_EQ(state.accepted, static_cast<std::int64_t>(ends.size()));
    EXPECT_GT(state.rejected, 0);
    EXPECT_LE(std::pow(state.longest_s, order + 1), 1e-4);
    // No step is needlessly short: twice its length would exceed the tolerance, with the safety
    // factor.
    EXPECT_GT(std::pow(2.0 * state.longest_s / 0.9, order + 1), 1e-4);
    EXPECT_EQ(control.first_length(0.0, 1.4), state.next_s);
  }
}

TEST(StepControl, AStepWithoutErrorHasTheWholeInterval) {
  StepControl control({.tolerance = 1e-4});
  EXPECT_EQ(ends_of_steps(control, 0.0, 2.0, 0.0, 1), (std::vector<double>{2.0}));
  EXPECT_EQ(control.state().rejected, 0);
  EXPECT_EQ(control.first_length(2.0, 10.0), 4.0);
}

TEST(StepControl, GrowthIsBoundedByTwo) {
  StepControl control({.tolerance = 1.0, .first_s = 1.0});
  auto const ends = ends_of_steps(control, 0.0, 1024.0, 0.0, 1);
  EXPECT_EQ(ends.front(), 1.0);
  double before = 1.0;
  for (std::size_t n = 1; n < ends.size(); ++n) {
    double const length = ends[n] - ends[n - 1];
    EXPECT_LE(length, 2.0 * before);
    before = length;
  }
  EXPECT_LE(ends.size(), 12U);
}

TEST(StepControl, FirstStepIsTheGivenOneOrShorter) {
  StepControl control({.tolerance = 1.0, .first_s = 0.3});
  control.begin(0.0, 1.0);
  EXPECT_EQ(control.step().length_s, 0.25);
}

TEST(StepControl, LargeErrorsShortenTheStepBySixteenAtMost) {
  StepControl control({.tolerance = 1.0});
  control.begin(0.0, 1.0);
  EXPECT_FALSE(control.judge(std::numeric_limits<double>::quiet_NaN(), 1));
  EXPECT_EQ(control.step().length_s, 0x1p-4);
  EXPECT_FALSE(control.judge(std::numeric_limits<double>::infinity(), 1));
  EXPECT_EQ(control.step().length_s, 0x1p-8);
  EXPECT_FALSE(control.judge(1.01, 1));
  EXPECT_EQ(control.step().length_s, 0x1p-9);
  control.reject(NotConverged("no solution"));
  EXPECT_EQ(control.step().length_s, 0x1p-10);
  EXPECT_EQ(control.state().rejected, 4);
}

TEST(StepControl, StepsThatWouldBeTooShortEndTheRun) {
  StepControl control({.tolerance = 1.0, .shortest_s = 0.25});
  control.begin(0.0, 1.0);
  EXPECT_FALSE(control.judge(100.0, 1));
  EXPECT_EQ(control.step().length_s, 0.25);
  EXPECT_THROW((void)control.judge(2.0, 1), NotConverged);
  EXPECT_THROW(control.reject(NotConverged("no solution")), NotConverged);
  // Half steps stay longer than the rounding of times.
  StepControl late({.tolerance = 1.0});
  late.begin(1e9, 1e9 + 1e-3);
  int attempts = 0;
  EXPECT_THROW(
      {
        for (; attempts < 20; ++attempts) (void)late.judge(2.0, 1);
      },
      NotConverged);
  EXPECT_GT(late.step().to_s, late.step().middle_s);
}

TEST(StepControl, ContinuesFromItsState) {
  AdaptiveSteps const settings{.tolerance = 1e-5};
  StepControl whole(settings);
  (void)ends_of_steps(whole, 0.0, 1.0, 3.0, 2);
  StepControl resumed(settings);
  resumed.restore(whole.state());
  EXPECT_EQ(ends_of_steps(whole, 1.0, 1.5, 0.1, 2), ends_of_steps(resumed, 1.0, 1.5, 0.1, 2));
  EXPECT_EQ(whole.state(), resumed.state());
}

}  // namespace
}  // namespace isotherm::test
