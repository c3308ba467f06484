#include "app/post/fields/padded_read.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "kernels/filters/padding_point.hpp"
#include "tests/support/oracles/edge_mode_oracle.hpp"

// The part of a file that a rank reads for a stencil operation, including its surroundings.

namespace isotherm::test {
using namespace app;
namespace {

constexpr std::array all_edge_modes{EdgeMode::wrap, EdgeMode::clamp, EdgeMode::mirror,
                                    EdgeMode::zero};

/// The grid point stored at an index of the field along an axis; -1 if there is none.
std::int64_t point_at(PaddedRead const& all, int axis, std::int64_t index) {
  for (PaddedRead::Piece const& piece : all.pieces) {
    if (index < piece.place.lower[axis] || index >= piece.place.upper[axis]) continue;
    return piece.read.lower[axis] + index - piece.place.lower[axis];
  }
  return -1;
}

TEST(PaddedRead, ContainsTheImageOfEachPoint) {
  constexpr std::int64_t n = 9;
  for (EdgeMode const edge_mode : all_edge_modes) {
    for (std::int64_t const reach : {0, 1, 3, 4, 12}) {
      for (std::int64_t first = 0; first < n; ++first) {
        for (std::int64_t end = first + 1; end <= n; ++end) {
          auto const all = padded_read({{0, first, 0}, {2, end, 1}}, {2, n, 1}, {0, reach, 0},
                                       {EdgeMode::clamp, edge_mode, EdgeMode::clamp});
          for (std::int64_t i = -reach; i < end - first + reach; ++i) {
            std::int64_t const index = padding_source_index(i, all.ends[1]);
            EXPECT_EQ(index < 0 ? -1 : point_at(all, 1, index), walked_to(first + i, n, edge_mode));
          }
          EXPECT_EQ(all.ends[0].to_first, 0);
        }
      }
    }
  }
}

TEST(PaddedRead, ContainsOnlyThePartAndItsReach) {
  PerAxis<EdgeMode> const wrap{EdgeMode::wrap, EdgeMode::wrap, EdgeMode::wrap};
  for (std::int64_t const first : {0, 25, 75}) {
    auto const all =
        padded_read({{0, first, 0}, {100, first + 25, 25}}, {100, 100, 100}, {2, 3, 4}, wrap);
    EXPECT_EQ(all.extent, (Extent3{100, 31, 33}));
  }
}

TEST(PaddedRead, PiecesFillTheField) {
  auto const all = padded_read({{0, 6, 4}, {3, 9, 6}}, {9, 9, 9}, {1, 2, 3},
                               {EdgeMode::wrap, EdgeMode::wrap, EdgeMode::wrap});
  ASSERT_EQ(all.pieces.size(), 4U);  // two along y times two along z
  std::int64_t points = 0;
  for (PaddedRead::Piece const& piece : all.pieces) {
    EXPECT_EQ(piece.read.extent(), piece.place.extent());
    EXPECT_TRUE((GlobalBox{{}, {9, 9, 9}}.contains(piece.read)));
    points += piece.read.point_count();
    for (PaddedRead::Piece const& other : all.pieces) {
      EXPECT_TRUE(&piece == &other || intersection(piece.place, other.place).empty());
    }
  }
  EXPECT_EQ(points, all.point_count());
  EXPECT_EQ(all.extent, (Extent3{5, 7, 8}));
}

}  // namespace
}  // namespace isotherm::test
