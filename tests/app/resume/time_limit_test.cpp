#include "app/run/schedule/time_limit.hpp"

#include <gtest/gtest.h>

// The deadline of a run, and the time reserved for its last checkpoint.

namespace isotherm::app {
namespace {

constexpr double now_s = 1.8e9;

TEST(Deadline, EarlierOfCaseAndJob) {
  std::vector<std::string> warnings;

  EXPECT_FALSE(deadline_of(std::nullopt, nullptr, now_s, warnings));
  auto const of_case = deadline_of(3600.0, "1800007200", now_s, warnings);
  ASSERT_TRUE(of_case);
  EXPECT_EQ(of_case->after_s, 3600.0);
  EXPECT_EQ(of_case->source, "run.wall_time");
  auto const of_job = deadline_of(86400.0, "1800007200", now_s, warnings);
  ASSERT_TRUE(of_job);
  EXPECT_EQ(of_job->after_s, 7200.0);
  EXPECT_EQ(of_job->source, "the end of the SLURM job");
  EXPECT_TRUE(warnings.empty());
}

TEST(Deadline, IgnoresInvalidOrPastEndsWithARemark) {
  for (char const* const text : {"1700000000", "soon", "", "1800007200 ", "nan"}) {
    std::vector<std::string> warnings;

    EXPECT_FALSE(deadline_of(std::nullopt, text, now_s, warnings)) << text;
    ASSERT_EQ(warnings.size(), 1U) << text;
    EXPECT_NE(warnings[0].find("SLURM_JOB_END_TIME"), std::string::npos);
  }
}

TEST(Deadline, NoneWithoutLimits) {
  std::vector<std::string> warnings;

  EXPECT_FALSE(deadline_of(std::nullopt, "1e300", now_s, warnings));
  EXPECT_TRUE(warnings.empty());
}

/// A time limit with a clock that the test controls.
struct Limit {
  double elapsed_s = 0.0;
  TimeLimit limit;
  Limit(double after_s, double bytes)
      : limit(Deadline{after_s, "run.wall_time"}, bytes, [this] { return elapsed_s; }) {}
};

TEST(TimeLimit, NeverStopsUnlimitedRuns) {
  TimeLimit limit(std::nullopt, 1e12, [] { return 1e9; });
  limit.advanced(10.0);
  limit.wrote(100.0);

  EXPECT_FALSE(limit.must_stop());
}

TEST(TimeLimit, ReservesTimeForAChunkAndTheSlowestCheckpoint) {
  Limit run(3600.0, 0.0);
  run.limit.advanced(0.5);
  run.limit.wrote(40.0);
  run.limit.wrote(10.0);

  run.elapsed_s = 3600.0 - 200.0;
  EXPECT_FALSE(run.limit.must_stop());
  run.elapsed_s = 3600.0 - 60.0;
  EXPECT_TRUE(run.limit.must_stop());
  EXPECT_GE(run.limit.margin_s(), 0.5 + 40.0);

  run.limit.advanced(120.0);  // a step that takes two minutes
  run.elapsed_s = 3600.0 - 200.0;
  EXPECT_TRUE(run.limit.must_stop());
}

TEST(TimeLimit, ReservesTimeForAFieldBeingWritten) {
  auto const clock = [] { return 0.0; };
  TimeLimit waits(Deadline{1000.0, "the test"}, 1e6, clock);
  TimeLimit goes_on(Deadline{1000.0, "the test"}, 1e6, clock, true);
  for (TimeLimit* limit : {&waits, &goes_on}) limit->wrote(10.0);

  EXPECT_DOUBLE_EQ(goes_on.margin_s() - waits.margin_s(), 10.0);
}

TEST(TimeLimit, ReservesAsMuchTimeForTheEndOfMpiAsForItsStart) {
  auto const clock = [] { return 0.0; };
  auto const margin_s = [&](double after_s, double launch_s) {
    return TimeLimit(Deadline{after_s, "the test"}, 0.0, clock, false, launch_s).margin_s();
  };

  EXPECT_DOUBLE_EQ(margin_s(100.0, 3.0) - margin_s(100.0, 0.0), 3.0);
  EXPECT_DOUBLE_EQ(margin_s(100.0, 90.0) - margin_s(100.0, 0.0), 25.0);  // at most a quarter
}

TEST(TimeLimit, ReservesATenthOfAShortLimitForTheEnd) {
  auto const clock = [] { return 0.0; };
  auto const margin_s = [&](double after_s) {
    return TimeLimit(Deadline{after_s, "the test"}, 0.0, clock).margin_s();
  };

  EXPECT_DOUBLE_EQ(margin_s(2.0), 0.2);
  EXPECT_DOUBLE_EQ(margin_s(20.0), 1.0);   // one second from 10 s to 50 s
  EXPECT_DOUBLE_EQ(margin_s(100.0), 2.0);  // then a fiftieth
  EXPECT_DOUBLE_EQ(margin_s(1e5), 30.0);
}

TEST(TimeLimit, AssumesSlowCheckpointsUntilTheFirst) {
  Limit run(3600.0, 2e10);
  run.limit.advanced(0.5);

  run.elapsed_s = 3600.0 - 150.0;
  EXPECT_TRUE(run.limit.must_stop());
  run.limit.wrote(5.0);
  EXPECT_FALSE(run.limit.must_stop());
}

TEST(TimeLimit, LimitsTheReserveForUnmeasuredCheckpoints) {
  Limit run(100.0, 1e15);
  run.limit.advanced(0.5);

  run.elapsed_s = 60.0;
  EXPECT_FALSE(run.limit.must_stop());
}

TEST(TimeLimit, AllowsAtLeastOneChunk) {
  Limit run(1.0, 1e12);
  run.elapsed_s = 10.0;

  EXPECT_FALSE(run.limit.must_stop());
  run.limit.advanced(0.1);
  EXPECT_TRUE(run.limit.must_stop());
}

}  // namespace
}  // namespace isotherm::app
