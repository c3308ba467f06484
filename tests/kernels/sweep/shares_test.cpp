#include "kernels/sweep/cuda/shares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

// The division of a sweep's planes among blocks of GPU threads.

namespace isotherm::cuda {
namespace {

/// How often each plane of each tile is assigned; [tile][plane].
using Counts = std::vector<std::vector<int>>;

Counts none(int tiles, int planes) {
  return Counts(static_cast<std::size_t>(tiles),
                std::vector<int>(static_cast<std::size_t>(planes)));
}

void add(Counts& counts, int tile, Range planes) {
  auto& of_tile = counts.at(static_cast<std::size_t>(tile));
  for (int plane = planes.lower; plane < planes.upper; ++plane) {
    ++of_tile.at(static_cast<std::size_t>(plane));
  }
}

bool all_once(Counts const& counts) {
  return std::ranges::all_of(counts, [](std::vector<int> const& of_tile) {
    return std::ranges::all_of(of_tile, [](int count) { return count == 1; });
  });
}

TEST(TileLine, PiecesCoverEveryPlaneOnce) {
  for (int const count : {1, 2, 3, 7}) {
    for (int const planes : {1, 5, 64}) {
      for (int const blocks : {1, 2, 5, 12, 264}) {
        TileLine const line{count, 5, 4, 6, planes, 3};
        Counts counts = none(count, planes);
        for (int block = 0; block < blocks; ++block) {
          std::int64_t const end = share_begin(line.cost(), block + 1, blocks);
          for (std::int64_t at = share_begin(line.cost(), block, blocks); at < end;) {
            Piece const piece = line.piece(at, end);
            ASSERT_GT(piece.end, at);
            add(counts, piece.tile, piece.planes);
            at = piece.end;
          }
        }
        EXPECT_TRUE(all_once(counts)) << count << " tiles of " << planes << " for " << blocks;
      }
    }
  }
}

TEST(TileLine, BlocksThatSpanTwoTilesGetFewerPlanes) {
  TileLine const line{2, 1, 1, 1, 100, 10};
  // Three blocks share a cost of 220. The second gets the end of one tile and the beginning of the
  // next.
  std::int64_t const begin = share_begin(line.cost(), 1, 3);
  std::int64_t const end = share_begin(line.cost(), 2, 3);
  Piece const first = line.piece(begin, end);
  Piece const second = line.piece(first.end, end);
  int const planes = first.planes.upper - first.planes.lower + second.planes.upper;
  EXPECT_EQ(first.tile, 0);
  EXPECT_EQ(second.tile, 1);
  EXPECT_EQ(first.planes.upper, 100);
  EXPECT_NEAR(planes + 10, 220.0 / 3.0, 1.0);
}

struct Done {
  Counts counts;
  int fewest, maximum;  ///< minimum and maximum cost of a block, in planes
};

Done all_tasks(int tiles, int planes, int lost, int blocks) {
  constexpr int first = -3;
  Done done{none(tiles, planes), tiles * (planes + lost), 0};
  for (int block = 0; block < blocks; ++block) {
    TileTask task{};
    task.open(tiles, {first, first + planes}, lost, block, blocks);
    int spent = 0;
    for (task.next(); task.planes.lower < task.planes.upper; task.next()) {
      add(done.counts, task.tile, {task.planes.lower - first, task.planes.upper - first});
      spent += task.planes.upper - task.planes.lower + lost;
    }
    done.fewest = std::min(done.fewest, spent);
    done.maximum = std::max(done.maximum, spent);
  }
  return done;
}

TEST(TileTask, BlocksCoverEveryPlaneOnce) {
  for (int const tiles : {1, 2, 3, 9, 131, 132, 133, 333}) {
    for (int const planes : {1, 2, 17, 256}) {
      for (int const blocks : {1, 2, 66, 132}) {
        EXPECT_TRUE(all_once(all_tasks(tiles, planes, 10, blocks).counts))
            << tiles << " tiles of " << planes << " for " << blocks;
      }
    }
  }
}

TEST(TileTask, BlocksAreBalanced) {
  constexpr int lost = 10;
  Done const done = all_tasks(333, 256, lost, 132);
  EXPECT_LE(done.maximum - done.fewest, lost + 1);
}

}  // namespace
}  // namespace isotherm::cuda
