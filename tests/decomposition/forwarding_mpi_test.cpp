#include <gtest/gtest.h>

#include "decomposition/transport/forwarding.hpp"
#include "tests/support/backends.hpp"

// When sweeps may forward to the halos of neighbouring ranks, and the messages if they may not.
// solver/ranks_mpi_test and tests/app/run/transports_test.sh check bit by bit that the forwarded
// values arrive.

namespace isotherm::test {
namespace {

constexpr std::size_t enough = std::size_t{2} << 20;

Subdomain slab(int dimension, Extent3 points, Extent3 parts) {
  return {make_grid(dimension, points, {0, 0, 0}, {1, 1, 1}, {}), parts, 0};
}

TEST(ObstacleToForwarding, NoneForLargeSlabsOnDevices) {
  EXPECT_EQ(obstacle_to_forwarding(Backend::cuda, slab(3, {64, 64, 64}, {1, 1, 4}), 8, enough), "");
  EXPECT_EQ(obstacle_to_forwarding(Backend::cuda, slab(2, {64, 64, 1}, {1, 4, 1}), 8, enough), "");
}

TEST(ObstacleToForwarding, CpuBackend) {
  EXPECT_EQ(obstacle_to_forwarding(Backend::cpu, slab(3, {64, 64, 64}, {1, 1, 4}), 8, enough),
            "sweeps on the CPU write only to their own memory");
}

TEST(ObstacleToForwarding, DecompositionAlongAnotherAxis) {
  for (Extent3 const parts : {Extent3{2, 1, 2}, Extent3{1, 2, 2}, Extent3{4, 1, 1}}) {
    EXPECT_EQ(obstacle_to_forwarding(Backend::cuda, slab(3, {64, 64, 64}, parts), 2, enough),
              "an axis other than the last one is divided");
  }
  EXPECT_EQ(obstacle_to_forwarding(Backend::cuda, slab(2, {64, 64, 1}, {2, 2, 1}), 2, enough),
            "an axis other than the last one is divided");
}

TEST(ObstacleToForwarding, SinglePart) {
  EXPECT_EQ(obstacle_to_forwarding(Backend::cuda, slab(3, {64, 64, 64}, {1, 1, 1}), 2, enough),
            "there is only one part");
}

TEST(ObstacleToForwarding, PartsThinnerThanTwoHalos) {
  EXPECT_EQ(obstacle_to_forwarding(Backend::cuda, slab(3, {64, 64, 64}, {1, 1, 4}), 9, enough),
            "a part has fewer than 18 points on the divided axis");
}

TEST(ObstacleToForwarding, SmallFields) {
  EXPECT_EQ(obstacle_to_forwarding(Backend::cuda, slab(3, {64, 64, 64}, {1, 1, 4}), 8, enough - 1),
            "a field has less than 2 MiB");
}

class ForwardingTest : public BackendTest {
 protected:
  struct Outcome {
    bool made;
    std::string obstacle;
  };
  Outcome attempt(Extent3 points, Extent3 parts, int depth) {
    Subdomain const share(make_grid(3, points, {0, 0, 0}, {1, 1, 1}, {}), parts, world_.rank());
    Queue queue = make_queue(world_.local_rank());
    Index3 const halo{depth, depth, depth};
    std::array<Field<float>, 2> fields{Field<float>(queue, share.extent(), halo),
                                       Field<float>(queue, share.extent(), halo)};
    std::string obstacle = "nothing was said";
    bool const made = HaloForwarding<float>::make(world_, share, queue, depth,
                                                  {&fields[0], &fields[1]}, obstacle) != nullptr;
    return {made, obstacle};
  }
  mpi::Communicator world_{MPI_COMM_WORLD};
};

TEST_F(ForwardingTest, AvailableOnDevicesOfOneHostOnly) {
  int const ranks = world_.size();
  Outcome const outcome = attempt({128, 128, 64 * ranks}, {1, 1, ranks}, 4);
  for (std::string const& one : world_.gather(outcome.obstacle)) EXPECT_EQ(one, outcome.obstacle);
  if (tested_backend() == Backend::cpu) {
    EXPECT_FALSE(outcome.made);
    EXPECT_EQ(outcome.obstacle, "sweeps on the CPU write only to their own memory");
  } else if (ranks == 1) {
    EXPECT_FALSE(outcome.made);
    EXPECT_EQ(outcome.obstacle, "there is only one part");
  } else {
    EXPECT_EQ(outcome.made, outcome.obstacle.empty());
    if (cuda_is_required() && world_.local_size() == ranks) {
      EXPECT_EQ(outcome.obstacle, "");
    }
  }
}

TEST_F(ForwardingTest, UnavailableIfThereIsAnObstacle) {
  int const ranks = world_.size();
  EXPECT_FALSE(attempt({64 * ranks, 128, 128}, {ranks, 1, 1}, 4).made);
  EXPECT_FALSE(attempt({16, 16, 64 * ranks}, {1, 1, ranks}, 4).made);
  EXPECT_FALSE(attempt({512, 512, 7 * ranks}, {1, 1, ranks}, 4).made);
}

}  // namespace
}  // namespace isotherm::test
