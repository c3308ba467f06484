#include <gtest/gtest.h>
#include <mpi.h>

#include <csignal>
#include <unistd.h>

#include "app/run/log/run_log.hpp"
#include "app/run/watch/rank_status.hpp"
#include "app/run/watch/watch.hpp"

namespace isotherm::app {
namespace {

TEST(RankStatus, ShowsTheStateOfEachRankToTheOthers) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  RankStatus status(world);
  watch_this_thread();
  status.update(1.0);
  if (world.rank() == 1) status.update(2.5);
  world.barrier();

  std::vector<SeenRank> const seen = status.see(1.0);
  ASSERT_EQ(static_cast<int>(seen.size()), world.size());
  EXPECT_FALSE(status.others_elsewhere());
  for (int i = 0; i < world.size(); ++i) {
    SeenRank const& one = seen[static_cast<std::size_t>(i)];
    EXPECT_EQ(one.rank, i);
    EXPECT_EQ(one.condition, Condition::runs);
    EXPECT_EQ(one.waits_for, WaitsFor::nothing);
    EXPECT_EQ(one.seconds > 2.0, i == 1);
  }
  EXPECT_EQ(seen[static_cast<std::size_t>(world.rank())].pid, getpid());
  world.barrier();
}

TEST(RankStatus, CountsForHowLongAProcessIsStopped) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  if (world.size() < 2) GTEST_SKIP() << "needs another rank";
  RankStatus status(world);
  if (world.rank() == 1) std::raise(SIGSTOP);
  if (world.rank() == 0) {
    std::vector<SeenRank> seen = status.see(0.0);
    while (seen[1].condition != Condition::stopped) seen = status.see(0.0);
    status.see(3.0);
    EXPECT_EQ(status.see(4.0)[1].seconds, 7.0);
    kill(seen[1].pid, SIGCONT);
    while (seen[1].condition == Condition::stopped) seen = status.see(1.0);
    EXPECT_LT(seen[1].seconds, 7.0);
  }
  world.barrier();
}

// A rank that hangs while the case is read must not keep the others waiting forever.
TEST(Watch, HasTheDefaultPatienceUntilTheCaseIsRead) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  RunLog log(world, RunLog::Loudness::quiet);
  Watch watch(world, log);
  EXPECT_EQ(watch.ends_after_s(), 600.0);

  watch.end_after(0.0);
  EXPECT_EQ(watch.ends_after_s(), 0.0);
}

}  // namespace
}  // namespace isotherm::app
