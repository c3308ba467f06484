#include <gtest/gtest.h>

#include "app/machine/placement.hpp"

// Collecting the hosts and cores of all ranks.

namespace isotherm::app {
namespace {

TEST(GatherPlacements, EveryRankGetsAllPlacements) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  auto const number = std::to_string(ranks.rank());

  auto const placements = gather_placements(ranks, {"host " + number, "0 " + number});

  EXPECT_EQ(placements.size(), static_cast<std::size_t>(ranks.size()));
  for (std::size_t rank = 0; rank < placements.size(); ++rank) {
    EXPECT_EQ(placements[rank].host, "host " + std::to_string(rank));
    EXPECT_EQ(placements[rank].cores, "0 " + std::to_string(rank));
  }
}

TEST(OwnPlacement, NamesAHostAndACore) {
  Placement const placement = own_placement();

  EXPECT_FALSE(placement.host.empty());
  EXPECT_FALSE(placement.cores.empty());
}

}  // namespace
}  // namespace isotherm::app
