#include "solver/iteration/check_schedule.hpp"

#include <gtest/gtest.h>

// The iterations at which residuals are measured.

namespace isotherm::test {
namespace {

TEST(CheckSchedule, ReturnsTheNextCheck) {
  CheckSchedule const schedule(10);

  EXPECT_EQ(schedule.next_check(0), 0);
  EXPECT_EQ(schedule.next_check(1), 10);
  EXPECT_EQ(schedule.next_check(10), 10);
  EXPECT_EQ(CheckSchedule(0).next_check(5), std::numeric_limits<std::int64_t>::max());
}

TEST(CheckSchedule, CountsChecksBeforeAnIteration) {
  CheckSchedule const schedule(10);

  EXPECT_EQ(schedule.checks_between(0, 0), 0);
  EXPECT_EQ(schedule.checks_between(0, 1), 1);
  EXPECT_EQ(schedule.checks_between(0, 10), 1);
  EXPECT_EQ(schedule.checks_between(0, 11), 2);
  EXPECT_EQ(schedule.checks_between(1, 10), 0);
  EXPECT_EQ(schedule.checks_between(5, 1005), 100);
}

TEST(CheckSchedule, PassEndsOneStepAfterACheck) {
  CheckSchedule const schedule(10);

  Stretch const at_check = schedule.next(0, 100, 4);
  EXPECT_EQ(at_check.end, 1) << "the sweep that follows iteration 0 measures";
  EXPECT_EQ(at_check.check, 0);

  Stretch const far = schedule.next(1, 100, 4);
  EXPECT_EQ(far.end, 10);
  EXPECT_FALSE(far.check);

  Stretch const near = schedule.next(8, 100, 4);
  EXPECT_EQ(near.end, 11);
  EXPECT_EQ(near.check, 10);

  EXPECT_FALSE(schedule.next(6, 100, 4).check) << "6 … 10: the pass ends before the check's sweep";
}

TEST(CheckSchedule, NeverPassesTheTarget) {
  CheckSchedule const schedule(10);

  Stretch const before = schedule.next(8, 10, 4);
  EXPECT_EQ(before.end, 10);
  EXPECT_FALSE(before.check) << "the sweep that measures iteration 10 is the next call's";

  EXPECT_EQ(schedule.next(3, 7, 4).end, 7);
  EXPECT_EQ(CheckSchedule(0).next(3, 700, 4).end, 700);
}

}  // namespace
}  // namespace isotherm::test
