#include "app/run/watch/watch.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

// The states of processes, and the news about stalled ranks.

namespace isotherm {
namespace {

/// An idle process that exists as long as the object.
class Child {
 public:
  Child() : pid_(fork()) {
    while (pid_ == 0) {
      pause();
    }
  }
  ~Child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Child(Child const&) = delete;
  Child& operator=(Child const&) = delete;
  [[nodiscard]] int pid() const { return pid_; }

 private:
  int pid_;
};

TEST(ProcessState, ThisProcessIsRunning) {
  auto const state = process_state(getpid());

  ASSERT_TRUE(state);
  EXPECT_EQ(state->letter, 'R');
  EXPECT_GT(state->started, 0U);
  EXPECT_EQ(state->started, process_state(getpid())->started);
}

/// The start time distinguishes a process from a later one with the same number, so it never
/// changes.
TEST(ProcessState, StartTimeDoesNotChange) {
  std::uint64_t const started = process_state(getpid())->started;
  std::size_t const bytes = std::size_t{64} << 20;
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  EXPECT_EQ(process_state(getpid())->started, started);
  munmap(memory, bytes);
}

TEST(ProcessState, DetectsAStoppedProcess) {
  Child const child;
  int status = 0;
  kill(child.pid(), SIGSTOP);
  waitpid(child.pid(), &status, WUNTRACED);
  ASSERT_TRUE(WIFSTOPPED(status));

  auto const state = process_state(child.pid());

  ASSERT_TRUE(state);
  EXPECT_EQ(state->letter, 'T');
}

TEST(ProcessState, DetectsAnEndedProcess) {
  int pid = 0;
  {
    Child const child;
    pid = child.pid();
  }
  EXPECT_FALSE(process_state(pid));
}

/// Three ranks in these conditions.
std::vector<SeenRank> seen(Condition first, Condition second, Condition third) {
  return {{0, 100, first}, {1, 101, second}, {2, 102, third}};
}

constexpr Condition runs = Condition::runs;
constexpr Condition stopped = Condition::stopped;
constexpr Condition waits = Condition::waits_for_device;
constexpr double usual_s = 60.0;

/// Returns the news at each of several consecutive observations of a stall.
std::vector<News> said_of(std::vector<std::vector<SeenRank>> const& looks, double seconds = 30.0) {
  Silence silence{.seconds = seconds};
  std::vector<News> said;
  for (auto const& look : looks) {
    said.push_back(news_of(silence, look, usual_s));
    if (said.back() != News::none) {
      silence = after_speaking(silence, look);
    }
    silence.seconds += 4.0;
  }
  return said;
}

TEST(NewsOfASilence, ReportsAStoppedRankOnce) {
  EXPECT_EQ(said_of({seen(runs, stopped, runs), seen(runs, stopped, runs)}),
            (std::vector{News::waiting, News::none}));
}

TEST(NewsOfASilence, IgnoresRanksThatWaitForADevice) {
  auto const without = seen(runs, stopped, runs);
  auto const with = seen(runs, stopped, waits);
  EXPECT_EQ(said_of({without, with, without, with}),
            (std::vector{News::waiting, News::none, News::none, News::none}));
}

TEST(NewsOfASilence, ReportsEachFurtherStoppedRank) {
  auto const one = seen(runs, stopped, runs);
  auto const other = seen(runs, runs, stopped);
  EXPECT_EQ(said_of({one, other, one, seen(runs, stopped, stopped)}),
            (std::vector{News::waiting, News::waiting, News::none, News::none}));
  EXPECT_EQ(said_of({one, seen(runs, Condition::ended, runs)}),
            (std::vector{News::waiting, News::waiting}));
}

TEST(NewsOfASilence, ReportsALongStallOnce) {
  auto const nothing = seen(runs, waits, runs);
  EXPECT_EQ(said_of({nothing, nothing}), (std::vector{News::none, News::none}));
  EXPECT_EQ(said_of({nothing, nothing, seen(stopped, runs, runs), nothing}, 61.0),
            (std::vector{News::no_progress, News::none, News::waiting, News::none}));
}

}  // namespace
}  // namespace isotherm
