#include "io/snapshot/checks/block_grid.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/core/error.hpp"

// The blocks of a field that have checksums of their own.

namespace isotherm::test {
namespace {

TEST(BlockGrid, DividesFieldsIntoBlocksOfAFewMebibytes) {
  EXPECT_EQ(BlockGrid({20, 30, 10}).block(), (Extent3{20, 30, 10}));
  EXPECT_EQ(BlockGrid({512, 512, 512}).block(), (Extent3{512, 512, 2}));
  EXPECT_EQ(BlockGrid({2048, 2048, 7}).block(), (Extent3{2048, 256, 1}));
  EXPECT_EQ(BlockGrid({100'000, 100'000, 1}).block(), (Extent3{100'000, 5, 1}));
  EXPECT_EQ(BlockGrid({1 << 20, 3, 1}).block(), (Extent3{1 << 20, 1, 1}));
  EXPECT_EQ(BlockGrid({1, 1, 1}).block(), (Extent3{1, 1, 1}));
}

TEST(BlockGrid, NumbersBlocksInFileOrder) {
  Extent3 const points{5, 7, 4};
  for (Extent3 const block : {Extent3{5, 3, 1}, Extent3{5, 7, 3}, Extent3{5, 1, 1}, points}) {
    BlockGrid const blocks(points, block);
    Index3 next{};
    std::int64_t seen = 0;
    for (std::int64_t n = 0; n < blocks.count(); ++n) {
      GlobalBox const box = blocks.box(n);
      EXPECT_EQ(box.lower, next);
      seen += box.point_count();
      next =
          box.upper.y == points.y ? Index3{0, 0, box.upper.z} : Index3{0, box.upper.y, box.lower.z};
    }
    EXPECT_EQ(seen, points.x * points.y * points.z);
    EXPECT_EQ(next, (Index3{0, 0, points.z}));
  }
}

TEST(BlockGrid, ListsPartsOfABoxInMemoryOrder) {
  BlockGrid const blocks({5, 7, 4}, {5, 3, 1});
  std::vector<std::int64_t> numbers;
  std::vector<GlobalBox> parts;
  blocks.for_each_part({{1, 2, 1}, {4, 7, 3}}, [&](std::int64_t number, GlobalBox part) {
    numbers.push_back(number);
    parts.push_back(part);
  });

  EXPECT_EQ(numbers, (std::vector<std::int64_t>{3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(parts[0], (GlobalBox{{1, 2, 1}, {4, 3, 2}}));
  EXPECT_EQ(parts[4], (GlobalBox{{1, 3, 2}, {4, 6, 3}}));
}

TEST(BlockGrid, RefusesBlocksThatAreNeitherRowsNorPlanes) {
  Extent3 const points{5, 7, 4};
  for (Extent3 const block :
       {Extent3{4, 7, 4}, Extent3{6, 7, 4}, Extent3{5, 0, 1}, Extent3{5, 8, 1}, Extent3{5, 7, 0},
        Extent3{5, 7, 5}, Extent3{5, 3, 2}, Extent3{5, -1, 1},
        Extent3{5, 7, std::int64_t{1} << 62}}) {
    EXPECT_THROW(BlockGrid(points, block), Error);
  }
}

TEST(NameOfPoints, NamesOnlyDividedAxes) {
  Extent3 const points{5, 7, 4};
  Grid const grid = make_grid(3, points, {0, 1, 2}, {0.4, 1.6, 5}, {});
  auto const named = [&](GlobalBox box) { return name_of_points(box, points, &grid); };
  EXPECT_EQ(named({{}, points}), "all points");
  EXPECT_EQ(name_of_points({{0, 0, 1}, {5, 7, 3}}, points, nullptr), "z at points 1 to 2");
  EXPECT_EQ(named({{0, 0, 1}, {5, 7, 3}}), "z = 3 to 4 (points 1 to 2)");
  EXPECT_EQ(named({{0, 3, 1}, {5, 6, 2}}), "y = 1.3 to 1.5 (points 3 to 5), z = 3 (point 1)");
  EXPECT_EQ(named({{4, 6, 3}, {5, 7, 4}}), "x = 0.4 (point 4), y = 1.6 (point 6), z = 5 (point 3)");
}

}  // namespace
}  // namespace isotherm::test
