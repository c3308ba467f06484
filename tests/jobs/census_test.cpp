#include "jobs/machine/census.hpp"

#include <gtest/gtest.h>

namespace isotherm {
namespace {

TEST(FairThreads, SharesOverlappingMasks) {
  std::vector<Berth> const census{{"a", "0 1 2 3 4 5 6 7", ""}, {"a", "0 1 2 3 4 5 6 7", ""}};

  EXPECT_EQ(fair_threads(census, 0), 4);
  EXPECT_EQ(fair_threads(census, 1), 4);
}

TEST(FairThreads, TakesTheWholeMaskWhereNobodyElseDoes) {
  std::vector<Berth> const census{{"a", "0 1 2 3", ""}, {"a", "4 5", ""}};

  EXPECT_EQ(fair_threads(census, 0), 4);
  EXPECT_EQ(fair_threads(census, 1), 2);
}

TEST(FairThreads, LeavesOtherHostsOutOfTheCount) {
  std::vector<Berth> const census{{"a", "0 1", ""}, {"b", "0 1", ""}};

  EXPECT_EQ(fair_threads(census, 0), 2);
}

TEST(FairThreads, IsOneWhereRanksOutnumberCores) {
  std::vector<Berth> const census(5, Berth{"a", "0 1", ""});

  EXPECT_EQ(fair_threads(census, 3), 1);
}

TEST(FairThreads, CountsOnlyCoresThatRanksMayUse) {
  std::vector<Berth> const bound{{"a", "6", ""}};

  EXPECT_EQ(fair_threads(bound, 0), 1);
  EXPECT_EQ(count_cores_in_use(bound, 0), 1);
}

TEST(CountSharers, TellsEqualNumbersOfDifferentHostsApart) {
  std::vector<Berth> const census{{"a", "0", "0 of all"},
                                  {"a", "0", "0 of all"},
                                  {"a", "0", "1 of all"},
                                  {"b", "0", "0 of all"}};

  EXPECT_EQ(count_sharers(census, 0), 2);
  EXPECT_EQ(count_sharers(census, 2), 1);
  EXPECT_EQ(count_sharers(census, 3), 1);
  EXPECT_EQ(count_hosts(census), 2);
}

}  // namespace
}  // namespace isotherm
