#include "app/run/output/background.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "kernels/core/error.hpp"
#include "kernels/core/queue/queue.hpp"

// The thread that writes fields while the run continues.

namespace isotherm::app {
namespace {

TEST(Background, WorksConcurrentlyWithItsOwner) {
  std::promise<void> go_on;
  int result = 0;
  Background background(1);
  EXPECT_FALSE(background.busy());

  background.start([&] {
    go_on.get_future().wait();
    result = 5;
  });
  EXPECT_TRUE(background.busy());
  EXPECT_FALSE(background.wait(0.001));
  EXPECT_THROW(background.start([] {}), Error);
  go_on.set_value();
  while (!background.wait(1.0)) {
  }

  EXPECT_FALSE(background.busy());
  EXPECT_EQ(result, 5);
}

TEST(Background, RunsTasksInOrder) {
  int sum = 0;
  Background background(1);
  for (int i = 1; i <= 100; ++i) {
    background.start([&sum, i] { sum += i; });
    while (!background.wait(1.0)) {
    }
  }
  EXPECT_EQ(sum, 5050);
}

TEST(Background, FinishesItsTaskBeforeDestruction) {
  std::atomic<bool> done = false;
  {
    Background background(1);
    background.start([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      done = true;
    });
  }
  EXPECT_TRUE(done);
}

TEST(Background, HasItsOwnNumberOfThreads) {
  int const mine = cpu_threads();
  int there = 0;
  Background background(3);

  background.start([&] { there = cpu_threads(); });
  while (!background.wait(1.0)) {
  }

  EXPECT_EQ(there, 3);
  EXPECT_EQ(cpu_threads(), mine);
}

}  // namespace
}  // namespace isotherm::app
