#include "io/snapshot/thread_work.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

// Dividing the work on a file among threads.

namespace isotherm::test {
namespace {

TEST(ThreadWork, DoesEachPartOnce) {
  for (int const max_threads : {0, 1, 3}) {
    std::vector<std::atomic<int>> done(1000);
    on_threads(1000, max_threads, [&](std::int64_t i) { ++done[static_cast<std::size_t>(i)]; });
    for (auto const& times : done) ASSERT_EQ(times, 1);
  }
  on_threads(0, 0, [](std::int64_t) { FAIL() << "there is nothing to do"; });
}

TEST(ThreadWork, RethrowsTheFirstFailure) {
  std::atomic<int> done = 0;
  auto const work = [&](std::int64_t i) {
    if (i == 10) throw std::runtime_error("the tenth");
    ++done;
  };
  EXPECT_THROW(on_threads(1'000'000, 1, work), std::runtime_error);
  EXPECT_EQ(done, 10);
  EXPECT_THROW(on_threads(1'000'000, 0, work), std::runtime_error);
  EXPECT_LT(done, 1'000'000);
}

}  // namespace
}  // namespace isotherm::test
