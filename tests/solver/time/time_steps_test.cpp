#include "solver/problem/time_steps.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "solver/problem/settings.hpp"

// The layout of time steps that meet output times exactly.

namespace isotherm::test {
namespace {

constexpr std::int64_t maximum = max_iterations;

TimesWanted to_end(double step_s, double end_s, std::vector<double> met_s = {}) {
  TimesWanted wanted{.step_s = step_s, .met_s = std::move(met_s), .end_s = end_s};
  wanted.maximum = maximum;
  return wanted;
}

TimesWanted of_steps(double step_s, std::int64_t steps, std::vector<double> met_s = {}) {
  TimesWanted wanted{.step_s = step_s, .met_s = std::move(met_s)};
  wanted.maximum = steps;
  return wanted;
}

/// The position of a run with these steps after some of them.
TimePosition position(TimeSteps const& steps, std::int64_t iteration) {
  return {iteration, steps.time_of(iteration), steps.leading_to(iteration)};
}

void expect_same(TimeSteps const& a, TimeSteps const& b, std::int64_t from, std::int64_t end) {
  for (std::int64_t n = from; n <= end; ++n) {
    EXPECT_EQ(a.time_of(n), b.time_of(n)) << "after " << n << " steps";
    EXPECT_EQ(a.step_to(n), b.step_to(n)) << "to step " << n;
    if (n < end) {
      EXPECT_EQ(a.step_after(n), b.step_after(n)) << "after " << n << " steps";
    }
  }
}

TEST(TimeSteps, HaveEqualLengthsByDefault) {
  TimeSteps const steps(0.1);

  EXPECT_EQ(steps.time_of(0), 0.0);
  EXPECT_EQ(steps.time_of(3), 3 * 0.1);
  EXPECT_EQ(steps.step_after(1000), 0.1);
  EXPECT_FALSE(steps.ends_at(7));
  EXPECT_EQ(steps.next_end(7), TimeSegment::endless);
  EXPECT_EQ(TimeSteps(0.0).time_of(12), 0.0);
}

TEST(TimeSteps, MeetOutputTimesBitForBit) {
  TimeSteps const steps = lay_out(to_end(0.03, 1.0, {0.1, 0.25}));

  ASSERT_EQ(steps.segments().size(), 3U);
  EXPECT_EQ(steps.segments()[0], (TimeSegment{0, 0.0, 0.1 / 4, 4, 0.1}));
  EXPECT_EQ(steps.segments()[1], (TimeSegment{4, 0.1, 0.03, 9, 0.25})) << "0.03 fits";
  EXPECT_EQ(steps.segments()[2], (TimeSegment{9, 0.25, 0.03, 34, 1.0}));
  EXPECT_EQ(steps.time_of(4), 0.1);
  EXPECT_EQ(steps.time_of(9), 0.25);
  EXPECT_EQ(steps.time_of(34), 1.0);
  EXPECT_EQ(steps.time_of(5), 0.1 + 0.03);
  EXPECT_EQ(steps.step_to(4), 0.025);
  EXPECT_EQ(steps.step_after(4), 0.03);
  EXPECT_TRUE(steps.ends_at(9));
  EXPECT_FALSE(steps.ends_at(10));
  EXPECT_EQ(steps.next_end(4), 9);
  EXPECT_EQ(steps.lengths_between(0, 4), std::pair(0.025, 0.025));
  EXPECT_EQ(steps.lengths_between(0, 34), std::pair(0.025, 0.03));
  EXPECT_EQ(steps.lengths_between(9, 34), std::pair(0.03, 0.03));
}

TEST(TimeSteps, KeepTheirLengthIfTheyFitWithinRounding) {
  std::vector<double> times;
  for (int n = 1; n < 50; ++n) times.push_back(n / 50.0);

  TimeSteps const fitting = lay_out(to_end(0.004, 1.0, times));
  EXPECT_EQ(fitting.lengths_between(0, 250), std::pair(0.004, 0.004));
  EXPECT_EQ(fitting.time_of(250), 1.0);

  // 0.02 is not a multiple of 0.003. The lengths of the intervals differ by rounding.
  TimeSteps const shortened = lay_out(to_end(0.003, 1.0, times));
  EXPECT_EQ(shortened.lengths_between(0, 350), std::pair(0.02 / 7, 0.02 / 7));
  for (int n = 1; n < 50; ++n) EXPECT_EQ(shortened.time_of(7 * n), n / 50.0);
}

TEST(TimeSteps, NeverExceedTheLongestStep) {
  for (double const end_s : {0.7, 0.30000000000000004, 1.1e-3}) {
    TimesWanted wanted = to_end(0.1, end_s, {0.05, 0.25});
    wanted.longest_s = 0.1;
    TimeSteps const steps = lay_out(wanted);
    EXPECT_LE(steps.lengths_between(0, steps.segments().back().last).second, 0.1);
  }
}

/// Three steps would exceed the wanted length by rounding only, but the longest step by more.
TEST(TimeSteps, AddAStepRatherThanExceedTheLongest) {
  TimesWanted wanted = to_end(0.1, 0.30000000015);
  wanted.longest_s = 0.1;
  TimeSteps const steps = lay_out(wanted);
  EXPECT_EQ(steps.segments().back().last, 4);
  EXPECT_LE(steps.lengths_between(0, 4).second, 0.1);
}

TEST(TimeSteps, ContinueAfterTheLastOutputTime) {
  TimeSteps const steps = lay_out(of_steps(0.4, 100, {1.0}));

  EXPECT_EQ(steps.time_of(3), 1.0);
  EXPECT_EQ(steps.step_after(2), 1.0 / 3);
  EXPECT_EQ(steps.step_after(3), 0.4);
  EXPECT_EQ(steps.time_of(100), 1.0 + 97 * 0.4);
}

TEST(TimeSteps, FollowListOfStepLengths) {
  TimesWanted wanted = to_end(1.0, 4.0, {0.7, 3.0});
  wanted.parts = {{0.5, 0.1}, {1.5, 0.25}, {4.0, 1.0}};
  TimeSteps const steps = lay_out(wanted, {.time_s = 0.25});

  ASSERT_EQ(steps.segments().size(), 5U);
  EXPECT_EQ(steps.segments()[0], (TimeSegment{0, 0.25, 0.25 / 3, 3, 0.5}));
  EXPECT_EQ(steps.segments()[1], (TimeSegment{3, 0.5, 0.7 - 0.5, 4, 0.7})) << "an output time";
  EXPECT_EQ(steps.segments()[2], (TimeSegment{4, 0.7, 0.8 / 4, 8, 1.5}));
  EXPECT_EQ(steps.segments()[3], (TimeSegment{8, 1.5, 0.75, 10, 3.0}));
  EXPECT_EQ(steps.segments()[4], (TimeSegment{10, 3.0, 1.0, 11, 4.0}));
  for (std::int64_t n = 0; n <= 11; ++n) {
    expect_same(steps, lay_out(wanted, position(steps, n)), n, 11);
  }
}

TEST(TimeSteps, ResumedRunHasTheSameSteps) {
  for (TimesWanted const& wanted :
       {to_end(0.03, 1.0, {0.1, 0.2, 0.3, 0.77}), to_end(0.01, 1.0, {0.1, 0.2, 0.3, 0.77}),
        to_end(0.3, 1.0), of_steps(0.04, 40, {0.1, 0.2, 0.33}), of_steps(0.1, 40)}) {
    TimeSteps const whole = lay_out(wanted);
    std::int64_t const end = wanted.end_s ? whole.segments().back().last : wanted.maximum;
    for (std::int64_t n = 0; n <= end; ++n) {
      TimeSteps const resumed = lay_out(wanted, position(whole, n));
      expect_same(whole, resumed, n, end);
      for (std::int64_t later = n; later <= end; later += 3) {
        expect_same(whole, lay_out(wanted, position(resumed, later)), later, end);
      }
    }
  }
}

TEST(TimeSteps, NewOutputTimesStartFromThePresentTime) {
  TimeSteps const before = lay_out(to_end(0.03, 1.0, {0.1}));
  TimeSteps const after = lay_out(to_end(0.03, 1.0, {0.09}), position(before, 2));  // at t = 0.05

  EXPECT_EQ(after.time_of(2), 0.05);
  EXPECT_EQ(after.step_to(2), 0.025) << "which led there";
  EXPECT_DOUBLE_EQ(after.step_after(2), 0.02) << "0.04 in two steps";
  EXPECT_EQ(after.time_of(4), 0.09);
}

TEST(TimeSteps, ExtendToALaterEnd) {
  TimeSteps const before = lay_out(to_end(0.03, 0.1));
  TimeSteps const after = lay_out(to_end(0.03, 0.14), position(before, 4));

  EXPECT_EQ(after.time_of(4), 0.1);
  EXPECT_EQ(after.time_of(6), 0.14);
  EXPECT_EQ(after.segments().back().last, 6);
}

TEST(TimeSteps, ResumeFromFilesWithEqualSteps) {
  TimesWanted const wanted = to_end(0.1, 0.7);
  TimeSteps const whole = lay_out(wanted);

  expect_same(whole, lay_out(wanted, {3, 3 * 0.1, {}}), 3, 7);
  EXPECT_EQ(lay_out(of_steps(0.1, 9), {3, 3 * 0.1, {}}).time_of(9), 9 * 0.1);
  EXPECT_EQ(lay_out(to_end(0.1, 0.65), {3, 3 * 0.1, {}}).segments().back().last, 7);
}

TEST(TimeSteps, RefuseTooManySteps) {
  EXPECT_THROW((void)lay_out(to_end(1e-16, 1.0)), SettingError);
  EXPECT_NO_THROW((void)lay_out(of_steps(1e-10, 5, {1e300})));
}

TEST(TimeSteps, DetectInvalidPositions) {
  TimeSteps const steps = lay_out(to_end(0.03, 1.0, {0.1, 0.25}));
  for (std::int64_t const n : {0, 1, 4, 5, 34}) EXPECT_TRUE(is_sound(position(steps, n)));
  EXPECT_TRUE(is_sound({5, 0.5, {}}));

  TimePosition const sound = position(steps, 5);
  auto const broken = [&](auto const& change) {
    TimePosition other = sound;
    change(other);
    return !is_sound(other);
  };
  EXPECT_TRUE(broken([](TimePosition& p) { p.iteration = -1; }));
  EXPECT_TRUE(broken([](TimePosition& p) { p.time_s = 0.2; }));
  EXPECT_TRUE(broken([](TimePosition& p) { p.time_s = std::nan(""); }));
  EXPECT_TRUE(broken([](TimePosition& p) { p.segment->first = 6; }));
  EXPECT_TRUE(broken([](TimePosition& p) { p.segment->last = 4; }));
  EXPECT_TRUE(broken([](TimePosition& p) { p.segment->step_s = -0.03; }));
  EXPECT_TRUE(broken([](TimePosition& p) { p.segment->step_s = 1e-5; }));
  EXPECT_TRUE(broken([](TimePosition& p) { p.segment->end_s = 0.11; }));
}

}  // namespace
}  // namespace isotherm::test
