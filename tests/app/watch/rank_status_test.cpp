#include "app/run/watch/rank_status.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace isotherm::app {
namespace {

constexpr double patience_s = 600.0;
using Ranks = std::vector<int>;

SeenRank rank(int number, WaitsFor what, double seconds, Condition condition = Condition::runs) {
  return {number, 4711 + number, condition, what, seconds};
}
SeenRank waiting(int number, double seconds = 610.0) {
  return rank(number, WaitsFor::ranks, seconds);
}

/// The verdict of rank 0, which is added to `others`.
Verdict verdict(std::vector<SeenRank> others, SeenRank own = waiting(0)) {
  others.insert(others.begin(), own);
  return judge(others, 0, patience_s);
}
bool ends(std::vector<SeenRank> const& others, SeenRank own = waiting(0)) {
  return verdict(others, own).ends;
}
Ranks blamed(std::vector<SeenRank> const& others) {
  Ranks numbers;
  for (SeenRank const& one : verdict(others).blamed) numbers.push_back(one.rank);
  return numbers;
}

TEST(Judge, BlamesARankThatIsStoppedOrGone) {
  EXPECT_EQ(blamed({rank(1, WaitsFor::ranks, 320.0, Condition::stopped), waiting(2)}), Ranks{1});
  EXPECT_EQ(blamed({rank(1, WaitsFor::nothing, 320.0, Condition::ended), waiting(2)}), Ranks{1});
  EXPECT_FALSE(ends({rank(1, WaitsFor::nothing, 200.0, Condition::stopped), waiting(2)}));
}

TEST(Judge, BlamesARankThatDoesNothingOrHangsInTheFileSystem) {
  EXPECT_EQ(blamed({rank(1, WaitsFor::nothing, 640.0), waiting(2)}), Ranks{1});
  EXPECT_EQ(blamed({waiting(1), rank(2, WaitsFor::disk, 640.0)}), Ranks{2});
  EXPECT_EQ(describe(rank(2, WaitsFor::disk, 640.0), patience_s),
            "hangs in a call of the file system");
}

TEST(Judge, WaitsForARankThatWorks) {
  EXPECT_FALSE(ends({rank(1, WaitsFor::nothing, 590.0), waiting(2)}));
  EXPECT_FALSE(ends({rank(1, WaitsFor::disk, 590.0), waiting(2)}));
  EXPECT_FALSE(ends({rank(1, WaitsFor::nothing, 640.0), waiting(2, 100.0)}));
  EXPECT_FALSE(ends({rank(1, WaitsFor::nothing, 640.0), rank(2, WaitsFor::nothing, 400.0)}));
}

TEST(Judge, LeavesTheDecisionToTheFirstRankThatHasWaitedForThePatience) {
  SeenRank const hangs = rank(2, WaitsFor::nothing, 640.0);
  EXPECT_FALSE(ends({hangs}, waiting(0, 590.0)));
  EXPECT_FALSE(ends({hangs}, rank(0, WaitsFor::nothing, 640.0)));
  EXPECT_FALSE(judge({waiting(0), waiting(1), hangs}, 1, patience_s).ends);
  EXPECT_TRUE(judge({hangs, waiting(3)}, 3, patience_s).ends);
}

TEST(Judge, LeavesADebuggerItsTime) {
  EXPECT_FALSE(ends({rank(1, WaitsFor::nothing, 9000.0, Condition::traced), waiting(2)}));
}

TEST(Judge, EndsARunInWhichAllWaitForEachOtherMuchLater) {
  EXPECT_FALSE(ends({waiting(1, 1700.0)}, waiting(0, 1700.0)));
  EXPECT_TRUE(ends({waiting(1, 1850.0)}, waiting(0, 1850.0)));
  EXPECT_TRUE(blamed({waiting(1, 1850.0)}).empty());
  EXPECT_FALSE(ends({rank(1, WaitsFor::device, 1850.0)}, waiting(0, 1850.0)));
}

TEST(WatchedStanding, ChangesWithWaitsAndWithFilesOfOtherThreads) {
  watch_this_thread();
  std::uint64_t const before = watched_state().changes;
  {
    Waiting const outer(WaitsFor::ranks);
    Waiting const inner(WaitsFor::disk);
    EXPECT_EQ(watched_state().now, WaitsFor::ranks);
  }
  EXPECT_EQ(watched_state().changes, before + 2);

  std::thread([] { Waiting const waiting(WaitsFor::ranks); }).join();
  EXPECT_EQ(watched_state().changes, before + 2);
  std::thread([] { Waiting const waiting(WaitsFor::disk); }).join();
  EXPECT_EQ(watched_state().changes, before + 3);
  EXPECT_EQ(watched_state().now, WaitsFor::nothing);
}

}  // namespace
}  // namespace isotherm::app
