#include "app/run/schedule/chunking.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <tuple>

// The division of a run into chunks of iterations between events.

namespace isotherm::app {
namespace {

TEST(Chunking, ReachesANearEventInOneChunk) {
  Chunking const chunking(100, 4, 1e6);

  EXPECT_EQ(chunking.next(0, 20), 20);
  EXPECT_EQ(chunking.next(7, 8), 8);
}

TEST(Chunking, LongChunksEndAfterChecks) {
  Chunking const chunking(100, 3, 4500.0);  // a first chunk of 450 iterations

  EXPECT_EQ(chunking.next(0, 10000), 401);
  EXPECT_EQ(chunking.next(401, 10000), 801);
  EXPECT_EQ(chunking.next(777, 10000), 1201);
}

TEST(Chunking, ShortChunksEndAfterWholePasses) {
  Chunking const chunking(1000, 4, 100.0);  // a first chunk of 10 iterations

  EXPECT_EQ(chunking.next(1, 5000), 9);
  EXPECT_EQ(chunking.next(997, 5000), 1001) << "the iteration after a check ends a pass";
}

TEST(Chunking, TakesAtLeastOnePass) {
  Chunking const chunking(0, 8, 1.0);

  EXPECT_EQ(chunking.next(16, 5000), 24);
}

TEST(Chunking, BeginsWithOnePassIfTheRateIsUnknown) {
  Chunking const chunking(10, 1, 0.0);

  EXPECT_EQ(chunking.next(0, 1'000'000), 1);
}

TEST(Chunking, AdaptsToHalfASecondPerChunk) {
  Chunking chunking(0, 1, 1000.0);

  chunking.adapt(100, 0.1);

  EXPECT_EQ(chunking.next(0, 1'000'000), 500);
}

TEST(Chunking, GrowsGradually) {
  Chunking chunking(0, 1, 10.0);  // one iteration

  chunking.adapt(1, 1e-6);

  EXPECT_EQ(chunking.next(0, 1'000'000), 8) << "a first chunk tells little about the rate";
}

class ChunkingProgress : public testing::TestWithParam<std::tuple<int, int, double>> {};

TEST_P(ChunkingProgress, AdvancesUpToTheEvent) {
  auto const [check_every, steps, rate] = GetParam();
  Chunking const chunking(check_every, steps, rate);

  for (std::int64_t from = 0; from < 500; ++from) {
    for (std::int64_t const event : {from + 1, from + 2, from + 77, from + 5000}) {
      std::int64_t const next = chunking.next(from, event);
      ASSERT_GT(next, from);
      ASSERT_LE(next, event);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllKinds, ChunkingProgress,
                         testing::Combine(testing::Values(0, 1, 2, 7, 100),
                                          testing::Values(1, 2, 5, 12),
                                          testing::Values(0.0, 15.0, 130.0, 1e9)));

TEST(NextMultiple, ReturnsTheFirstMultipleAfterTheIteration) {
  EXPECT_EQ(next_multiple(0, 10, 100), 10);
  EXPECT_EQ(next_multiple(10, 10, 100), 20);
  EXPECT_EQ(next_multiple(19, 10, 100), 20);
}

TEST(NextMultiple, DoesNotOverflow) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(next_multiple(largest - 5, 10, largest - 1), largest - 1);
  EXPECT_EQ(next_multiple(7, largest, 97), 97);
  EXPECT_EQ(next_multiple(0, largest, largest), largest);
}

TEST(Chunking, DoesNotOverflowForHugeIntervals) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t const every : {largest, largest - 1, largest / 2}) {
    Chunking const chunking(every, 4, 100.0);  // a first chunk of 10 iterations
    EXPECT_EQ(chunking.next(0, 5000), 1);
    EXPECT_EQ(chunking.next(1, 5000), 9);
    EXPECT_EQ(chunking.next(largest - 20, largest), largest - 12);
  }
}

TEST(NextMultiple, IsBoundedByTheLimit) {
  EXPECT_EQ(next_multiple(95, 10, 97), 97);
  EXPECT_EQ(next_multiple(5, 0, 97), 97);
}

}  // namespace
}  // namespace isotherm::app
