#include <gtest/gtest.h>

#include "jobs/machine/census.hpp"

namespace isotherm {
namespace {

TEST(TakeCensus, GivesEveryRankTheBerthsOfAll) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  auto const number = std::to_string(ranks.rank());

  auto const census = take_census(ranks, {"host " + number, "0 " + number, ""});

  EXPECT_EQ(census.size(), static_cast<std::size_t>(ranks.size()));
  for (std::size_t rank = 0; rank < census.size(); ++rank) {
    EXPECT_EQ(census[rank].host, "host " + std::to_string(rank));
    EXPECT_EQ(census[rank].cores, "0 " + std::to_string(rank));
    EXPECT_EQ(census[rank].device, "");
  }
}

TEST(OwnBerth, NamesAHostAndACore) {
  Berth const berth = own_berth();

  EXPECT_FALSE(berth.host.empty());
  EXPECT_FALSE(berth.cores.empty());
}

}  // namespace
}  // namespace isotherm
