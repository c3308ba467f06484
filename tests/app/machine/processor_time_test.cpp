#include "app/machine/processor_time.hpp"

#include <gtest/gtest.h>

// Processor time and age of a process, read from the kernel's files.

namespace isotherm::test {
namespace {

TEST(ProcessorTime, IsReadFromTheKernel) {
  ProcessorTime const time = parse_schedstat("1500000000 250000000 42");

  EXPECT_DOUBLE_EQ(time.used_s, 1.5);
  EXPECT_DOUBLE_EQ(time.waited_s, 0.25);
  for (char const* const line : {"", "12", "none at all"}) {
    EXPECT_EQ(parse_schedstat(line).used_s, 0.0) << line;
    EXPECT_EQ(parse_schedstat(line).waited_s, 0.0) << line;
  }
}

TEST(ProcessorTime, HintAppearsOnlyIfThreadsWaitMuch) {
  EXPECT_EQ(hint_about_busy_cores({}, false), "");
  EXPECT_EQ(hint_about_busy_cores({0.5, 0.4}, false), "");
  EXPECT_EQ(hint_about_busy_cores({90.0, 10.0}, false), "");
  EXPECT_EQ(hint_about_busy_cores({6.0, 4.0}, false),
            "cores busy    the threads waited for a core for 40 % of their time: use fewer threads "
            "(OMP_NUM_THREADS) or ranks, or set OMP_WAIT_POLICY=passive");
  EXPECT_EQ(hint_about_busy_cores({6.0, 4.0}, true),
            "cores busy    the threads waited for a core for 40 % of their time: use fewer threads "
            "(OMP_NUM_THREADS) or ranks");
}

// The 22nd field is the start time. The name of a program may contain blanks and parentheses.
constexpr char const* stat_line =
    "4321 (a b) (c)) S 1 4321 4321 0 -1 4194304 95 0 0 0 11 12 13 14 20 0 3 0 123456 7 8 9";

TEST(ProcessAge, FollowsFromTheStartTime) {
  EXPECT_DOUBLE_EQ(age_from_stat(stat_line, 100.0, 1240.0), 1240.0 - 1234.56);
  EXPECT_DOUBLE_EQ(age_from_stat(stat_line, 1000.0, 124.0), 124.0 - 123.456);
}

TEST(ProcessAge, ZeroIfTheStartTimeIsUnknownOrInvalid) {
  EXPECT_EQ(age_from_stat("", 100.0, 1240.0), 0.0);
  EXPECT_EQ(age_from_stat("4321 (a) S 1 2 3", 100.0, 1240.0), 0.0);
  EXPECT_EQ(age_from_stat(stat_line, 100.0, 1000.0), 0.0);  // the start would lie in the future
}

}  // namespace
}  // namespace isotherm::test
