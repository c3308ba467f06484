#include "app/machine/placement.hpp"

#include <gtest/gtest.h>

// The number of threads per rank that shares the cores of a host fairly.

namespace isotherm::app {
namespace {

TEST(FairThreads, SharesOverlappingMasks) {
  std::vector<Placement> const placements{{"a", "0 1 2 3 4 5 6 7"}, {"a", "0 1 2 3 4 5 6 7"}};

  EXPECT_EQ(fair_threads(placements, 0), 4);
  EXPECT_EQ(fair_threads(placements, 1), 4);
}

TEST(FairThreads, UsesAllCoresOfAnExclusiveMask) {
  std::vector<Placement> const placements{{"a", "0 1 2 3"}, {"a", "4 5"}};

  EXPECT_EQ(fair_threads(placements, 0), 4);
  EXPECT_EQ(fair_threads(placements, 1), 2);
}

TEST(FairThreads, IgnoresOtherHosts) {
  std::vector<Placement> const placements{{"a", "0 1"}, {"b", "0 1"}};

  EXPECT_EQ(fair_threads(placements, 0), 2);
}

TEST(FairThreads, OneIfRanksOutnumberCores) {
  std::vector<Placement> const placements(5, Placement{"a", "0 1"});

  EXPECT_EQ(fair_threads(placements, 3), 1);
}

TEST(FairThreads, CountsOnlyAllowedCores) {
  std::vector<Placement> const bound{{"a", "6"}};

  EXPECT_EQ(fair_threads(bound, 0), 1);
  EXPECT_EQ(count_cores_in_use(bound, 0), 1);
}

TEST(CountHosts, CountsEachHostOnce) {
  std::vector<Placement> const placements{{"a", "0"}, {"b", "0"}, {"a", "1"}};

  EXPECT_EQ(count_hosts(placements), 2);
}

}  // namespace
}  // namespace isotherm::app
