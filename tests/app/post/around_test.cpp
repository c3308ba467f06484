#include "app/post/fields/around.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "kernels/filters/point_standing.hpp"
#include "tests/support/oracles/beyond_oracle.hpp"

// The part of a file that a rank reads for a stencil operation, including its surroundings.

namespace isotherm::test {
namespace {

constexpr std::array all_beyonds{Beyond::wrap, Beyond::clamp, Beyond::mirror, Beyond::zero};

/// The grid point stored at an index of the field along an axis; -1 if there is none.
std::int64_t point_at(Around const& all, int axis, std::int64_t index) {
  for (Around::Piece const& piece : all.pieces) {
    if (index < piece.place.lower[axis] || index >= piece.place.upper[axis]) continue;
    return piece.read.lower[axis] + index - piece.place.lower[axis];
  }
  return -1;
}

TEST(Around, ContainsTheImageOfEachPoint) {
  constexpr std::int64_t n = 9;
  for (Beyond const beyond : all_beyonds) {
    for (std::int64_t const reach : {0, 1, 3, 4, 12}) {
      for (std::int64_t first = 0; first < n; ++first) {
        for (std::int64_t end = first + 1; end <= n; ++end) {
          auto const all = around({{0, first, 0}, {2, end, 1}}, {2, n, 1}, {0, reach, 0},
                                  {Beyond::clamp, beyond, Beyond::clamp});
          for (std::int64_t i = -reach; i < end - first + reach; ++i) {
            std::int64_t const index = index_standing_for(i, all.ends[1]);
            EXPECT_EQ(index < 0 ? -1 : point_at(all, 1, index), walked_to(first + i, n, beyond));
          }
          EXPECT_EQ(all.ends[0].to_first, 0);
        }
      }
    }
  }
}

TEST(Around, ContainsOnlyThePartAndItsReach) {
  PerAxis<Beyond> const wrap{Beyond::wrap, Beyond::wrap, Beyond::wrap};
  for (std::int64_t const first : {0, 25, 75}) {
    auto const all =
        around({{0, first, 0}, {100, first + 25, 25}}, {100, 100, 100}, {2, 3, 4}, wrap);
    EXPECT_EQ(all.extent, (Extent3{100, 31, 33}));
  }
}

TEST(Around, PiecesFillTheField) {
  auto const all = around({{0, 6, 4}, {3, 9, 6}}, {9, 9, 9}, {1, 2, 3},
                          {Beyond::wrap, Beyond::wrap, Beyond::wrap});
  ASSERT_EQ(all.pieces.size(), 4U);  // two along y times two along z
  std::int64_t points = 0;
  for (Around::Piece const& piece : all.pieces) {
    EXPECT_EQ(piece.read.extent(), piece.place.extent());
    EXPECT_TRUE((GlobalBox{{}, {9, 9, 9}}.contains(piece.read)));
    points += piece.read.point_count();
    for (Around::Piece const& other : all.pieces) {
      EXPECT_TRUE(&piece == &other || intersection(piece.place, other.place).empty());
    }
  }
  EXPECT_EQ(points, all.point_count());
  EXPECT_EQ(all.extent, (Extent3{5, 7, 8}));
}

}  // namespace
}  // namespace isotherm::test
