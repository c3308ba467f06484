#include "app/run/watch/patience.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <unistd.h>

// When a rank gives up waiting, and which ranks it blames.

namespace isotherm {
namespace {

constexpr double patience_s = 600.0;
constexpr SinceThen waits{WaitsFor::ranks, 650.0};

SeenStanding rank(int number, SinceThen standing, Condition condition = Condition::runs,
                  double still_s = 0.0) {
  return {number, 100 + number, condition, still_s, standing};
}

/// The ranks that a rank blames after it has waited for 650 s.
std::vector<int> blamed(std::vector<SeenStanding> const& others, SinceThen own = waits) {
  std::vector<SeenStanding> seen{rank(0, own)};
  seen.insert(seen.end(), others.begin(), others.end());
  Verdict const verdict = judge(seen, own, patience_s);
  std::vector<int> numbers;
  for (SeenStanding const& one : verdict.blamed) numbers.push_back(one.rank);
  EXPECT_TRUE(verdict.ends || numbers.empty());
  return numbers;
}

bool ends(std::vector<SeenStanding> const& others, SinceThen own = waits) {
  std::vector<SeenStanding> seen{rank(0, own)};
  seen.insert(seen.end(), others.begin(), others.end());
  return judge(seen, own, patience_s).ends;
}

using Ranks = std::vector<int>;

TEST(Patience, BlamesRanksThatNeitherProgressNorWait) {
  EXPECT_EQ(blamed({rank(1, waits), rank(2, {WaitsFor::nothing, 640.0})}), Ranks{2});
}

TEST(Patience, DoesNotEndBeforeTheTimeout) {
  EXPECT_FALSE(ends({rank(1, {WaitsFor::nothing, 590.0})}));
  EXPECT_FALSE(ends({rank(1, {WaitsFor::nothing, 700.0})}, {WaitsFor::ranks, 590.0}));
}

TEST(Patience, OnlyWaitingRanksEndTheJob) {
  EXPECT_FALSE(ends({rank(1, {WaitsFor::nothing, 900.0})}, {WaitsFor::nothing, 900.0}));
  EXPECT_FALSE(ends({rank(1, {WaitsFor::nothing, 900.0})}, {WaitsFor::disk, 900.0}));
}

TEST(Patience, ToleratesLongSteps) {
  EXPECT_FALSE(ends({rank(1, {WaitsFor::nothing, 900.0}), rank(2, {WaitsFor::nothing, 100.0})}));
}

TEST(Patience, ToleratesSlowDisksAndDevices) {
  EXPECT_FALSE(ends({rank(1, waits), rank(2, {WaitsFor::disk, 9000.0})}));
  EXPECT_FALSE(
      ends({rank(1, {WaitsFor::nothing, 9000.0}, Condition::waits_for_device), rank(2, waits)}));
}

TEST(Patience, ToleratesDebuggers) {
  EXPECT_FALSE(ends({rank(1, waits, Condition::traced, 9000.0), rank(2, waits)}));
}

TEST(Patience, BlamesStoppedAndEndedRanks) {
  EXPECT_EQ(blamed({rank(1, waits), rank(2, waits, Condition::stopped, 400.0)}), Ranks{2});
  EXPECT_EQ(blamed({rank(1, waits, Condition::ended, 400.0), rank(2, waits)}), Ranks{1});
  EXPECT_FALSE(ends({rank(1, waits), rank(2, waits, Condition::stopped, 10.0)}));
}

TEST(Patience, TimeoutIsLongerIfNoRankIsToBlame) {
  EXPECT_FALSE(ends({rank(1, waits)}));
  constexpr SinceThen for_very_long{WaitsFor::ranks, 1850.0};
  EXPECT_TRUE(ends({rank(1, for_very_long)}, for_very_long));
  constexpr SinceThen on_a_device{WaitsFor::device, 1850.0};
  EXPECT_FALSE(ends({rank(1, on_a_device)}, on_a_device)) << "a long step of all devices";
}

TEST(Patience, LowestWaitingRankEndsTheJob) {
  EXPECT_EQ(first_that_waits({rank(0, {WaitsFor::nothing, 700.0}), rank(1, waits), rank(2, waits)}),
            1);
  EXPECT_EQ(first_that_waits({rank(0, waits, Condition::stopped), rank(1, waits)}), 1);
  EXPECT_FALSE(first_that_waits({rank(0, {WaitsFor::nothing, 700.0})}));
}

TEST(AStandingInAThreadsName, ReadsBackWhatItWrote) {
  for (WaitsFor const what :
       {WaitsFor::nothing, WaitsFor::ranks, WaitsFor::device, WaitsFor::disk}) {
    for (double const seconds : {0.0, 12.5, 999.5, 86400.0}) {
      std::string const name = in_a_thread_name({what, seconds});
      EXPECT_LE(name.size(), 15U) << name;
      auto const read = from_a_thread_name(name);
      ASSERT_TRUE(read) << name;
      EXPECT_EQ(read->what, what);
      EXPECT_NEAR(read->seconds, seconds, 0.5);
    }
  }
  EXPECT_LE(in_a_thread_name({WaitsFor::device, 1e12}).size(), 15U);
}

TEST(AStandingInAThreadsName, IgnoresOtherThreadNames) {
  for (char const* const name :
       {"", "isotherm", "i-ranks", "i-ranks ", "i-ranks x", "i-ranks 1.5s"}) {
    EXPECT_FALSE(from_a_thread_name(name)) << name;
  }
}

TEST(AStandingInAThreadsName, IsFoundAmongTheThreadsOfAProcess) {
  std::jthread const shows([](std::stop_token const& stop) {
    pthread_setname_np(pthread_self(), in_a_thread_name({WaitsFor::device, 7.5}).c_str());
    while (!stop.stop_requested()) std::this_thread::yield();
  });
  std::optional<SinceThen> found;
  while (!found) found = standing_of(getpid());
  EXPECT_EQ(found->what, WaitsFor::device);
  EXPECT_EQ(found->seconds, 7.5);
}

TEST(OwnStanding, GrowsWithoutChangeAndRestartsWithEachWait) {
  watch_this_thread();
  OwnStanding own;
  { Waiting const waiting(WaitsFor::ranks); }
  (void)own.after(1.0);
  EXPECT_EQ(own.after(1.0).seconds, 1.0);
  EXPECT_EQ(own.after(1.0).seconds, 2.0);
  Waiting const waiting(WaitsFor::ranks);
  EXPECT_EQ(own.after(1.0).seconds, 0.0);
  EXPECT_EQ(own.after(1.0).what, WaitsFor::ranks);
  Waiting const within(WaitsFor::disk);
  EXPECT_EQ(own.after(1.0).seconds, 2.0) << "a wait within another is part of it";
}

TEST(OwnStanding, IgnoresOtherThreads) {
  watch_this_thread();
  OwnStanding own;
  (void)own.after(1.0);
  std::thread([] { Waiting const waiting(WaitsFor::ranks); }).join();
  EXPECT_EQ(own.after(1.0).what, WaitsFor::nothing);
}

}  // namespace
}  // namespace isotherm
