#include "app/machine/processor_time.hpp"

#include <gtest/gtest.h>

// Processor time of a process, read from the kernel's files.

namespace isotherm::test {
using namespace app;
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
  EXPECT_EQ(hint_about_busy_cores({0.5, 1.9}, false), "");  // a short run
  EXPECT_EQ(hint_about_busy_cores({90.0, 10.0}, false), "");
  EXPECT_EQ(
      hint_about_busy_cores({6.0, 4.0}, false),
      "cores busy    the threads waited for a core for 40 % of their time: other programs use "
      "the cores, or there are more threads (OMP_NUM_THREADS) and ranks than cores; "
      "OMP_WAIT_POLICY=passive may help");
  EXPECT_EQ(
      hint_about_busy_cores({6.0, 4.0}, true),
      "cores busy    the threads waited for a core for 40 % of their time: other programs use "
      "the cores, or there are more threads (OMP_NUM_THREADS) and ranks than cores");
  EXPECT_EQ(hint_about_busy_cores({6.0, 4.0}, false, true),
            "cores busy    the run waited for a core for 40 % of its time: other programs use the "
            "cores");
}

}  // namespace
}  // namespace isotherm::test
