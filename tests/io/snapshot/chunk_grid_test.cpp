#include "io/snapshot/chunks/chunk_grid.hpp"

#include <gtest/gtest.h>

#include "tests/io/support.hpp"

// The chunks of a dataset, and their assignment to ranks.

namespace isotherm::test {
namespace {

TEST(ChunkGrid, EachChunkBelongsToOneShare) {
  int const parts = 3;
  for (Extent3 const points : {Extent3{33, 20, 100}, Extent3{700, 1300, 1}, Extent3{5, 6, 7}}) {
    Grid const grid = grid_of(points);
    ChunkGrid const chunks(points, chunk_extent(points));
    std::int64_t const all = chunks.beginning_in(grid.box()).point_count();
    for (Extent3 const cut : decompositions(grid, parts)) {
      std::int64_t given = 0;
      for (int rank = 0; rank < parts; ++rank) {
        GlobalBox const share = Subdomain(grid, cut, rank).owned_global();
        GlobalBox const mine = chunks.beginning_in(share);
        given += mine.point_count();
        for (std::int64_t n = 0; n < mine.point_count(); ++n) {
          Index3 const first = chunks.box(nth_index(mine, n)).lower;
          EXPECT_TRUE(share.contains(first.x, first.y, first.z));
        }
      }
      EXPECT_EQ(given, all);
    }
  }
}

TEST(ChunkExtent, ChunksHaveSimilarSizes) {
  EXPECT_EQ(chunk_extent({1, 1, 1}), (Extent3{1, 1, 1}));
  EXPECT_EQ(chunk_extent({513, 100, 1}), (Extent3{257, 100, 1}));
  EXPECT_EQ(chunk_extent({129, 128, 17}), (Extent3{65, 128, 9}));
}

}  // namespace
}  // namespace isotherm::test
