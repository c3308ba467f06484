#include "app/machine/cpu_threads.hpp"

#include <gtest/gtest.h>

#include "kernels/core/error.hpp"
#include "kernels/core/queue/queue.hpp"

// The check for unreasonable numbers of OpenMP threads.

namespace isotherm::test {
using namespace app;
namespace {

TEST(CpuThreads, MayModeratelyExceedTheCores) {
  EXPECT_EQ(fault_of_threads(1, 1, "1"), "");
  EXPECT_EQ(fault_of_threads(256, 1, "256"), "");
  EXPECT_EQ(fault_of_threads(1024, 128, "1024"), "");
}

TEST(CpuThreads, RefuseUnreasonableNumbers) {
  EXPECT_EQ(fault_of_threads(100000, 2, "100000"),
            "OMP_NUM_THREADS=\"100000\" in the environment asks for 100000 threads per rank, but "
            "there are 2 cores (needs at most 256; if it is not set, the ranks share the "
            "cores)");
  EXPECT_NE(fault_of_threads(1025, 128, "1025"), "");
}

TEST(CpuThreads, ThisProcessIsChecked) {
  int const before = cpu_threads();
  EXPECT_NO_THROW(check_cpu_threads());
  set_cpu_threads(1'000'000);
  EXPECT_THROW(check_cpu_threads(), InputError);
  set_cpu_threads(before);
}

}  // namespace
}  // namespace isotherm::test
