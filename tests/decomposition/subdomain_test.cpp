#include "decomposition/grid/subdomain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "kernels/core/error.hpp"

// The part of a grid that a rank owns, its neighbours, and differences of boxes.

namespace isotherm::test {
namespace {

Grid grid_of(Extent3 points, PerAxis<bool> periodic = {}, int dimension = 3) {
  return make_grid(dimension, points, {0, 0, 0}, {1, 1, 1}, periodic);
}

int rank_count(Extent3 parts) { return static_cast<int>(parts.x * parts.y * parts.z); }

template <class Frame, class Visit>
void for_each_point(Box<Frame> box, Visit const& visit) {
  for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
    for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
      for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) {
        visit(Index3{i, j, k});
      }
    }
  }
}

using Point = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
Point key(Index3 p) { return {p.x, p.y, p.z}; }

class Partition : public testing::TestWithParam<Extent3> {};

TEST_P(Partition, OwnsEachPointExactlyOnce) {
  Extent3 const parts = GetParam();
  Grid const grid = grid_of({13, 7, 5});
  std::map<Point, int> owners;

  for (int rank = 0; rank < rank_count(parts); ++rank) {
    for_each_point(Subdomain(grid, parts, rank).owned_global(),
                   [&](Index3 p) { ++owners[key(p)]; });
  }

  EXPECT_EQ(owners.size(), 13U * 7U * 5U);
  EXPECT_TRUE(
      std::all_of(owners.begin(), owners.end(), [](auto const& o) { return o.second == 1; }));
  EXPECT_EQ(owners.begin()->first, Point(0, 0, 0));
  EXPECT_EQ(owners.rbegin()->first, Point(12, 6, 4));
}

TEST_P(Partition, PartsDifferByAtMostOnePoint) {
  Extent3 const parts = GetParam();
  Grid const grid = grid_of({13, 7, 5});
  for (int rank = 0; rank < rank_count(parts); ++rank) {
    Subdomain const subdomain(grid, parts, rank);
    for (int axis = 0; axis < 3; ++axis) {
      std::int64_t const points = subdomain.extent()[axis];
      EXPECT_GE(points, subdomain.smallest_extent(axis));
      EXPECT_LE(points, subdomain.smallest_extent(axis) + 1);
      EXPECT_LE(points, subdomain.largest_extent()[axis]);
      EXPECT_TRUE(subdomain.position()[axis] > 0 || points == subdomain.largest_extent()[axis]);
    }
  }
}

/// Each part begins less than one point from where it would begin if points were divisible.
TEST(Subdomain, DistributesLargerPartsEvenly) {
  for (std::int64_t const parts : {1, 2, 3, 7, 8, 16, 31}) {
    for (std::int64_t points = parts; points < 4 * parts; ++points) {
      Grid const grid = grid_of({8, 8, std::max<std::int64_t>(points, 2)});
      for (int rank = 0; rank < static_cast<int>(parts); ++rank) {
        std::int64_t const lower = Subdomain(grid, {1, 1, parts}, rank).owned_global().lower.z;
        EXPECT_GE(lower * parts, rank * grid.points.z);
        EXPECT_LT(lower * parts, rank * grid.points.z + parts);
      }
    }
  }
}

TEST_P(Partition, RankRunsFastestInX) {
  Extent3 const parts = GetParam();
  for (int rank = 0; rank < rank_count(parts); ++rank) {
    Index3 const position = Subdomain(grid_of({13, 7, 5}), parts, rank).position();
    EXPECT_EQ(position.x + parts.x * (position.y + parts.y * position.z), rank);
  }
}

/// The neighbour in a direction owns the global point just beyond the part's end.
TEST_P(Partition, NeighbourOwnsThePointsBeyond) {
  Extent3 const parts = GetParam();
  for (PerAxis<bool> const periodic :
       {PerAxis<bool>{}, PerAxis<bool>{true, false, true}, PerAxis<bool>{true, true, true}}) {
    Grid const grid = grid_of({13, 7, 5}, periodic);
    for (int rank = 0; rank < rank_count(parts); ++rank) {
      Subdomain const mine(grid, parts, rank);
      for_each_point(Box<LocalFrame>{{-1, -1, -1}, {2, 2, 2}}, [&](Index3 direction) {
        Index3 beyond = mine.owned_global().lower;
        bool exists = true;
        for (int axis = 0; axis < 3; ++axis) {
          beyond[axis] += direction[axis] > 0 ? mine.extent()[axis] : direction[axis];
          bool const inside = 0 <= beyond[axis] && beyond[axis] < grid.points[axis];
          exists = exists && (inside || periodic[axis]);
          beyond[axis] = (beyond[axis] + grid.points[axis]) % grid.points[axis];
        }

        std::optional<int> const neighbour = mine.neighbour(direction);

        ASSERT_EQ(neighbour.has_value(), exists);
        if (exists) {
          GlobalBox const theirs = Subdomain(grid, parts, *neighbour).owned_global();
          EXPECT_TRUE(theirs.contains(beyond.x, beyond.y, beyond.z));
        }
      });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Parts, Partition,
                         testing::Values(Extent3{1, 1, 1}, Extent3{2, 1, 1}, Extent3{1, 3, 1},
                                         Extent3{1, 1, 5}, Extent3{2, 2, 2}, Extent3{13, 7, 5},
                                         Extent3{5, 3, 2}),
                         [](auto const& test) {
                           auto const& p = test.param;
                           return std::to_string(p.x) + "x" + std::to_string(p.y) + "x" +
                                  std::to_string(p.z);
                         });

TEST(Subdomain, LocalIndicesStartAtTheFirstOwnedPoint) {
  Subdomain const subdomain(grid_of({10, 9, 8}), {2, 3, 2}, 7);  // at position (1, 0, 1)

  EXPECT_EQ(subdomain.owned_global(), (GlobalBox{{5, 0, 4}, {10, 3, 8}}));
  EXPECT_EQ(subdomain.owned(), (LocalBox{{0, 0, 0}, {5, 3, 4}}));
  EXPECT_EQ(subdomain.to_global(Index3{1, 2, 3}), (Index3{6, 2, 7}));
  EXPECT_EQ(subdomain.to_local(Index3{6, 2, 7}), (Index3{1, 2, 3}));
  EXPECT_EQ(subdomain.grid_box(), (LocalBox{{-5, 0, -4}, {5, 9, 4}}));
  EXPECT_EQ(subdomain.to_global(subdomain.owned()), subdomain.owned_global());
  EXPECT_EQ(subdomain.to_local(subdomain.owned_global()), subdomain.owned());
}

TEST(Subdomain, RimLiesInsideAndHaloOutsideOfEachFace) {
  Subdomain const subdomain(grid_of({10, 9, 8}), {1, 1, 1}, 0);

  EXPECT_EQ(subdomain.rim({0, false}, 2), (LocalBox{{0, 0, 0}, {2, 9, 8}}));
  EXPECT_EQ(subdomain.rim({0, true}, 2), (LocalBox{{8, 0, 0}, {10, 9, 8}}));
  EXPECT_EQ(subdomain.rim({2, true}, 3), (LocalBox{{0, 0, 5}, {10, 9, 8}}));
  EXPECT_EQ(subdomain.halo({0, false}, 2), (LocalBox{{-2, 0, 0}, {0, 9, 8}}));
  EXPECT_EQ(subdomain.halo({1, true}, 1), (LocalBox{{0, 9, 0}, {10, 10, 8}}));
  EXPECT_EQ(subdomain.halo({2, true}, 3), (LocalBox{{0, 0, 8}, {10, 9, 11}}));
  EXPECT_THROW((void)subdomain.rim({2, true}, 9), Error);
}

TEST(Subdomain, TouchesPhysicalFacesAtTheEndsOnly) {
  Grid const grid = grid_of({9, 8, 7}, {false, true, false});
  Subdomain const first(grid, {3, 1, 1}, 0);
  Subdomain const middle(grid, {3, 1, 1}, 1);
  Subdomain const last(grid, {3, 1, 1}, 2);

  EXPECT_TRUE(first.on_physical_face({0, false}));
  EXPECT_FALSE(first.on_physical_face({0, true}));
  EXPECT_FALSE(middle.on_physical_face({0, false}));
  EXPECT_FALSE(middle.on_physical_face({0, true}));
  EXPECT_TRUE(last.on_physical_face({0, true}));
  EXPECT_FALSE(middle.on_physical_face({1, false}));
  EXPECT_FALSE(middle.on_physical_face({1, true}));
  EXPECT_TRUE(middle.on_physical_face({2, false}));
  EXPECT_TRUE(middle.on_physical_face({2, true}));
}

TEST(Subdomain, NoFacesInZIn2D) {
  Subdomain const subdomain(grid_of({9, 8, 1}, {}, 2), {1, 1, 1}, 0);

  EXPECT_FALSE(subdomain.on_physical_face({2, false}));
  EXPECT_FALSE(subdomain.on_physical_face({2, true}));
  EXPECT_EQ(subdomain.neighbour({0, 0, 1}), std::nullopt);
}

TEST(Subdomain, IndicesExceed32Bits) {
  Subdomain const last(grid_of({4'000'000'000, 4096, 4096}), {3, 1, 1}, 2);

  EXPECT_EQ(last.owned_global().lower.x, 2'666'666'667);
  EXPECT_EQ(last.owned_global().upper.x, 4'000'000'000);
  EXPECT_EQ(last.owned().point_count(), 1'333'333'333LL * 4096 * 4096);
  EXPECT_EQ(last.to_global(Index3{1'333'333'332, 0, 0}).x, 3'999'999'999);
}

TEST(Subdomain, RejectsInvalidDecompositions) {
  Grid const grid = grid_of({4, 4, 4});

  EXPECT_THROW(Subdomain(grid, {5, 1, 1}, 0), Error);
  EXPECT_THROW(Subdomain(grid, {0, 1, 1}, 0), Error);
  EXPECT_THROW(Subdomain(grid, {2, 2, 1}, 4), Error);
  EXPECT_THROW(Subdomain(grid, {2, 2, 1}, -1), Error);
}

TEST(Cuts, DefineThePointsOfEachRank) {
  Grid const grid = grid_of({13, 7, 5});
  Extent3 const parts{3, 1, 2};
  PerAxis<AxisCuts> const cuts{{AxisCuts{0, 1, 9, 13}, {}, {0, 4, 5}}};
  Subdomain const middle(grid, parts, 1, cuts);
  EXPECT_EQ(middle.owned_global(), (GlobalBox{{1, 0, 0}, {9, 7, 4}}));
  EXPECT_EQ(middle.of_rank(5).owned_global(), (GlobalBox{{9, 0, 4}, {13, 7, 5}}));
  EXPECT_EQ(middle.largest_extent(), (Extent3{8, 7, 4}));
  EXPECT_EQ(middle.smallest_extent(0), 1);
  EXPECT_EQ(middle.smallest_extent(1), 7);
  EXPECT_EQ(middle.smallest_extent(2), 1);
  EXPECT_TRUE(middle.is_shared_like(middle.of_rank(0)));
  EXPECT_FALSE(middle.is_shared_like(Subdomain(grid, parts, 1)));
  EXPECT_TRUE(Subdomain(grid, parts, 0)
                  .is_shared_like(Subdomain(grid, parts, 0, {{AxisCuts{0, 5, 9, 13}, {}, {}}})));
}

TEST(Cuts, MustDivideTheAxis) {
  Grid const grid = grid_of({13, 7, 5});
  for (AxisCuts const& cuts : {AxisCuts{0, 13}, AxisCuts{0, 0, 13}, AxisCuts{1, 5, 13},
                               AxisCuts{0, 5, 12}, AxisCuts{0, 14, 13}, AxisCuts{0, 4, 8, 13}}) {
    EXPECT_THROW((void)Subdomain(grid, {2, 1, 1}, 0, {{cuts, {}, {}}}), Error);
  }
}

TEST(Difference, CoversTheDifferenceOnce) {
  LocalBox const outer{{-1, 0, 2}, {4, 4, 6}};
  int inner_count = 0;
  for_each_point(outer, [&](Index3 lower) {
    for_each_point(LocalBox{lower, outer.upper}, [&](Index3 last) {
      LocalBox const inner{lower, last + Index3{1, 1, 1}};
      std::map<Point, int> covered;

      std::vector<LocalBox> const boxes = difference(outer, inner);

      EXPECT_LE(boxes.size(), 6U);
      for (LocalBox const& box : boxes) {
        EXPECT_FALSE(box.empty());
        for_each_point(box, [&](Index3 p) { ++covered[key(p)]; });
      }
      for_each_point(inner, [&](Index3 p) { ++covered[key(p)]; });
      EXPECT_EQ(covered.size(), static_cast<std::size_t>(outer.point_count()));
      EXPECT_TRUE(std::all_of(covered.begin(), covered.end(),
                              [](auto const& point) { return point.second == 1; }));
      ++inner_count;
    });
  });
  EXPECT_EQ(inner_count, 15 * 10 * 10);
}

TEST(Difference, EmptyInnerBoxLeavesTheOuterBox) {
  LocalBox const outer{{0, 0, 0}, {3, 3, 3}};

  EXPECT_EQ(difference(outer, {{5, 5, 5}, {2, 2, 2}}), std::vector<LocalBox>{outer});
  EXPECT_TRUE(difference(outer, outer).empty());
  EXPECT_TRUE(difference({}, {}).empty());
}

TEST(Difference, RejectsInnerBoxesBeyondTheOuterBox) {
  EXPECT_THROW((void)difference({{0, 0, 0}, {3, 3, 3}}, {{1, 1, 1}, {4, 2, 2}}), Error);
}

}  // namespace
}  // namespace isotherm::test
