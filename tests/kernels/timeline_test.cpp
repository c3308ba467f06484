#include "kernels/core/timeline/timeline.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>

#include "kernels/core/queue/memory.hpp"
#include "tests/support/backends.hpp"

namespace isotherm::test {
namespace {

using TimelineTest = BackendTest;

TEST_F(TimelineTest, RangesNestOnTheHostAndOnTheDevice) {
  Queue queue = make_queue();
  Buffer memory(queue, Space::device, 1 << 20);
  start_timeline(100);
  for (int n = 0; n < 2; ++n) {
    TimelineScope const outer("pass", queue);
    fill_bytes(queue, memory.data(), 1, memory.bytes());
    {
      TimelineScope const inner(level_range_name(12), queue);
      fill_bytes(queue, memory.data(), 2, memory.bytes());
    }
    TimelineScope const host_only("check");
    queue.wait();
  }
  Timeline const timeline = end_timeline();

  ASSERT_EQ(timeline.ranges.size(), 6U);
  EXPECT_EQ(timeline.omitted, 0);
  double last_s = 0.0;
  for (std::size_t n = 0; n < 6; n += 3) {
    TimelineRange const& outer = timeline.ranges[n];
    TimelineRange const& inner = timeline.ranges[n + 1];
    TimelineRange const& check = timeline.ranges[n + 2];
    EXPECT_EQ(outer.name, std::string("pass"));
    EXPECT_EQ(inner.name, std::string("level 12"));
    EXPECT_EQ(check.name, std::string("check"));
    EXPECT_EQ(outer.thread, 0);
    EXPECT_LE(last_s, outer.begin_s);
    EXPECT_LE(outer.begin_s, inner.begin_s);
    EXPECT_LE(inner.begin_s, inner.end_s);
    EXPECT_LE(inner.end_s, check.begin_s);
    EXPECT_LE(check.end_s, outer.end_s);
    last_s = outer.end_s;
    EXPECT_FALSE(check.is_on_device);
    EXPECT_EQ(outer.is_on_device, tested_backend() == Backend::cuda);
    if (!outer.is_on_device) continue;
    EXPECT_LE(outer.device_begin_s, inner.device_begin_s);
    EXPECT_LT(inner.device_begin_s, inner.device_end_s);
    EXPECT_LE(inner.device_end_s, outer.device_end_s);
    // Nothing runs before it is enqueued. The reference of the device's clock is late by one wait.
    EXPECT_LT(outer.begin_s - 1e-3, outer.device_begin_s);
  }
}

TEST_F(TimelineTest, OtherThreadsHaveNumbersOfTheirOwn) {
  start_timeline(100);
  std::thread([] { TimelineScope const scope("output"); }).join();
  { TimelineScope const scope("pass"); }
  Timeline const timeline = end_timeline();
  ASSERT_EQ(timeline.ranges.size(), 2U);
  EXPECT_EQ(timeline.ranges[0].thread, 1);
  EXPECT_EQ(timeline.ranges[1].thread, 0);
}

TEST_F(TimelineTest, RangesBeyondTheMaximumAreCounted) {
  start_timeline(2);
  for (int n = 0; n < 5; ++n) TimelineScope const scope("pass");
  Timeline const timeline = end_timeline();
  EXPECT_EQ(timeline.ranges.size(), 2U);
  EXPECT_EQ(timeline.omitted, 3);
}

TEST_F(TimelineTest, OnlyRangesWithinTheRecordingAreKept) {
  {
    TimelineScope const before("before");
    start_timeline(10);
  }
  std::optional<TimelineScope> across;
  across.emplace("across");
  EXPECT_TRUE(end_timeline().ranges.empty());
  start_timeline(10);
  TimelineScope const unfinished("unfinished");
  across.reset();  // belongs to the recording before
  { TimelineScope const whole("whole"); }
  Timeline const timeline = end_timeline();
  ASSERT_EQ(timeline.ranges.size(), 1U);
  EXPECT_EQ(timeline.ranges[0].name, std::string("whole"));
  { TimelineScope const after("after"); }
  EXPECT_TRUE(end_timeline().ranges.empty());
}

}  // namespace
}  // namespace isotherm::test
