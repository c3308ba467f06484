#include <gtest/gtest.h>

#include <limits>

#include "decomposition/grid/subdomain.hpp"
#include "kernels/core/error.hpp"

// The decomposition with the fewest halo points, compared with an exhaustive search.

namespace isotherm::test {
namespace {

Grid grid_of(Extent3 points, PerAxis<bool> periodic = {}) {
  return make_grid(points.z == 1 ? 2 : 3, points, {0, 0, 0}, {1, 1, 1}, periodic);
}

std::int64_t smallest_part(Extent3 points, Extent3 parts) {
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  for (int axis = 0; axis < 3; ++axis) {
    if (parts[axis] > 1) smallest = std::min(smallest, points[axis] / parts[axis]);
  }
  return smallest;
}

/// Counts halo points from the neighbours of each rank of a decomposition across each face.
std::int64_t count_sent(Grid const& grid, Extent3 parts) {
  std::int64_t sent = 0;
  for (int rank = 0; rank < parts.x * parts.y * parts.z; ++rank) {
    Subdomain const subdomain(grid, parts, rank);
    for (int face = 0; face < 6; ++face) {
      Face const side = Face::from_index(face);
      Index3 direction;
      direction[side.axis] = side.upper ? 1 : -1;
      std::optional<int> const neighbour = subdomain.neighbour(direction);
      if (neighbour && *neighbour != rank) sent += subdomain.rim(side, 1).point_count();
    }
  }
  return sent;
}

/// The minimum number of halo points over all decompositions with parts of at least `depth` points;
/// −1: none.
std::int64_t fewest_sent(Grid const& grid, int ranks, int depth) {
  std::int64_t fewest = -1;
  for (std::int64_t x = 1; x <= ranks; ++x) {
    for (std::int64_t y = 1; y <= ranks; ++y) {
      for (std::int64_t z = 1; z <= ranks; ++z) {
        Extent3 const parts{x, y, z};
        if (x * y * z != ranks || smallest_part(grid.points, parts) < depth) continue;
        std::int64_t const sent = count_sent(grid, parts);
        if (fewest < 0 || sent < fewest) fewest = sent;
      }
    }
  }
  return fewest;
}

class Choice : public testing::TestWithParam<Extent3> {};

TEST_P(Choice, MinimisesHaloPoints) {
  for (int mask = 0; mask < 8; ++mask) {
    Grid const grid = grid_of(GetParam(), {(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0});
    for (int ranks = 1; ranks <= 24; ++ranks) {
      for (int depth : {1, 2, 4}) {
        SCOPED_TRACE("ranks " + std::to_string(ranks) + ", depth " + std::to_string(depth) +
                     ", periodic axes " + std::to_string(mask));
        std::int64_t const fewest = fewest_sent(grid, ranks, depth);
        if (fewest < 0) {
          EXPECT_THROW((void)choose_decomposition(grid, ranks, depth), InputError);
          continue;
        }
        Extent3 const parts = choose_decomposition(grid, ranks, depth);

        EXPECT_EQ(parts.x * parts.y * parts.z, ranks);
        EXPECT_GE(smallest_part(grid.points, parts), depth);
        EXPECT_EQ(count_sent(grid, parts), fewest);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Points, Choice,
                         testing::Values(Extent3{16, 16, 16}, Extent3{40, 6, 9}, Extent3{2, 3, 50},
                                         Extent3{16, 16, 1}, Extent3{7, 31, 1}),
                         [](auto const& test) {
                           auto const& p = test.param;
                           return std::to_string(p.x) + "x" + std::to_string(p.y) + "x" +
                                  std::to_string(p.z);
                         });

TEST(ChooseDecomposition, PrefersContiguousFacesIfEqual) {
  EXPECT_EQ(choose_decomposition(grid_of({64, 64, 64}), 2), (Extent3{1, 1, 2}));
  EXPECT_EQ(choose_decomposition(grid_of({64, 64, 64}), 4), (Extent3{1, 2, 2}));
  EXPECT_EQ(choose_decomposition(grid_of({64, 64, 64}), 6), (Extent3{1, 2, 3}));
  EXPECT_EQ(choose_decomposition(grid_of({64, 64, 1}), 2), (Extent3{1, 2, 1}));
  EXPECT_EQ(choose_decomposition(grid_of({64, 64, 1}), 6), (Extent3{2, 3, 1}));
}

TEST(ChooseDecomposition, DividesTheLongAxisOfThinGrids) {
  EXPECT_EQ(choose_decomposition(grid_of({1000, 8, 8}), 8), (Extent3{8, 1, 1}));
  EXPECT_EQ(choose_decomposition(grid_of({4000, 3, 1}), 4), (Extent3{4, 1, 1}));
}

TEST(ChooseDecomposition, DividingAPeriodicAxisCostsTwice) {
  EXPECT_EQ(choose_decomposition(grid_of({32, 32, 32}, {false, false, true}), 2),
            (Extent3{1, 2, 1}));
}

TEST(ChooseDecomposition, SupportsPrimeNumbersOfRanks) {
  EXPECT_EQ(choose_decomposition(grid_of({64, 64, 64}), 13), (Extent3{1, 1, 13}));
  EXPECT_EQ(choose_decomposition(grid_of({200, 10, 10}), 101), (Extent3{101, 1, 1}));
}

TEST(ChooseDecomposition, CountsIn64Bits) {
  std::int64_t const n = 1'048'576;

  EXPECT_EQ(choose_decomposition(grid_of({n, n, n}, {true, true, true}), 65536 * 16),
            (Extent3{64, 128, 128}));
}

std::string refusal(Grid const& grid, int ranks, int depth) {
  try {
    (void)choose_decomposition(grid, ranks, depth);
  } catch (InputError const& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ChooseDecomposition, RefusalNamesUsableNumbersOfRanks) {
  EXPECT_EQ(refusal(grid_of({8, 8, 8}), 9 * 9 * 9, 1),
            "a grid of 8 x 8 x 8 points cannot be divided among 729 ranks with at least 1 point "
            "per rank on each axis that is divided (start at most 512 ranks, or use a grid with "
            "more points)");
  // Ranks below the maximum may not fit either: 13 is a prime, and axes have 4 parts at most.
  EXPECT_EQ(refusal(grid_of({8, 8, 1}), 13, 2),
            "a grid of 8 x 8 points cannot be divided among 13 ranks with at least 2 points per "
            "rank on each axis that is divided (start 12 or 16 ranks, or use a grid with more "
            "points)");
  EXPECT_EQ(refusal(grid_of({2, 2, 1}), 2, 3),
            "a grid of 2 x 2 points cannot be divided among 2 ranks with at least 3 points per "
            "rank on each axis that is divided (start at most 1 rank, or use a grid with more "
            "points)");
}

TEST(ChooseDecomposition, UndividedAxesMayBeThin) {
  EXPECT_EQ(choose_decomposition(grid_of({100, 2, 2}), 4, 3), (Extent3{4, 1, 1}));
}

TEST(CheckDecomposition, AcceptsValidDecompositions) {
  EXPECT_NO_THROW(check_decomposition(grid_of({4, 5, 6}), {1, 5, 6}, 30));
  EXPECT_NO_THROW(check_decomposition(grid_of({4, 5, 1}), {4, 5, 1}, 20));
}

TEST(CheckDecomposition, RefusesOtherNumbersOfRanks) {
  for (int const ranks : {1, 3, 5, 8, 9}) {
    EXPECT_THROW(check_decomposition(grid_of({8, 8, 8}), {2, 2, 1}, ranks), InputError) << ranks;
  }
  std::int64_t const n = 1'000'000;  // their product exceeds 2^59
  EXPECT_THROW(check_decomposition(grid_of({n, n, n}), {n, n, n}, 1), InputError);
}

TEST(CheckDecomposition, RefusesMorePartsThanPoints) {
  EXPECT_THROW(check_decomposition(grid_of({4, 8, 8}), {5, 1, 1}, 5), InputError);
  EXPECT_THROW(check_decomposition(grid_of({4, 8, 1}), {1, 1, 2}, 2), InputError);
  EXPECT_THROW(check_decomposition(grid_of({4, 8, 8}), {0, 1, 1}, 1), InputError);
  EXPECT_THROW(check_decomposition(grid_of({4, 8, 8}), {-1, -1, 1}, 1), InputError);
}

}  // namespace
}  // namespace isotherm::test
