#pragma once

#include <cstdint>

#include "kernels/core/cuda/range.hpp"
#include "kernels/core/host_device.hpp"

namespace isotherm::cuda {

/// What one block does at a time: planes (in 2D rows) of one tile.
struct Piece {
  int tile;
  Range planes;      ///< counted from the region's first
  std::int64_t end;  ///< where the next piece begins
};

/// Tiles side by side, taken one after the other, to be cut anywhere into shares of equal cost, so
/// that blocks that run at the same time also end together. The first and the last tile may cost
/// more than those between. Each tile begins with planes that are not there, for what a block loses
/// between two pieces on its way out of one and into the other: blocks with parts of two tiles get
/// fewer planes.
struct TileLine {
  int count;
  int first, between, last;  ///< what a plane of a tile costs
  int planes;                ///< of a tile
  int lost;                  ///< planes that are not there, at the beginning of each tile

  [[nodiscard]] ISOTHERM_HOST_DEVICE std::int64_t cost() const {
    return count == 0 ? 0 : height() * (before(count - 1) + cost_of(count - 1));
  }

  /// What lies between `at` and `end`, at most to the end of a tile; may be empty.
  [[nodiscard]] ISOTHERM_HOST_DEVICE Piece piece(std::int64_t at, std::int64_t end) const {
    std::int64_t const beyond_first = at - height() * first;
    int tile = beyond_first < 0 ? 0 : 1 + static_cast<int>(beyond_first / (height() * between));
    if (tile > count - 1) tile = count - 1;
    std::int64_t const begin = height() * before(tile);
    int const plane_cost = cost_of(tile);
    std::int64_t const tile_end = begin + height() * plane_cost;
    std::int64_t const piece_end = end < tile_end ? end : tile_end;
    auto const plane = [&](std::int64_t spent) {
      int const there = static_cast<int>((spent - begin) / plane_cost) - lost;
      return there > 0 ? there : 0;
    };
    return {tile, {plane(at), plane(piece_end)}, piece_end};
  }

 private:
  [[nodiscard]] ISOTHERM_HOST_DEVICE std::int64_t height() const {
    return std::int64_t{lost} + planes;
  }
  [[nodiscard]] ISOTHERM_HOST_DEVICE int cost_of(int tile) const {
    int const as_last = tile == count - 1 ? last : between;
    int const as_first = tile == 0 ? first : between;
    return as_last > as_first ? as_last : as_first;
  }
  /// Costs of the tiles before this one, for a plane of each.
  [[nodiscard]] ISOTHERM_HOST_DEVICE std::int64_t before(int tile) const {
    return tile == 0 ? 0 : first + std::int64_t{tile - 1} * between;
  }
};

/// Where the share of `block` begins, and that of the one before it ends, when `cost` is shared out
/// evenly.
ISOTHERM_HOST_DEVICE inline std::int64_t share_begin(std::int64_t cost, int block, int blocks) {
  return cost / blocks * block + cost % blocks * block / blocks;
}

/// The tiles of one block, when all blocks that run side by side share them evenly: first each
/// takes whole ones, all at the same height, so that tiles side by side find each other's margins
/// in the cache; then an equal part of those that are left, which may be parts of two tiles.
struct TileTask {
  int tile;      ///< at which the block is
  Range planes;  ///< that it writes now; none when all is done

  /// @param all_planes  of each tile
  /// @param lost        planes that a block could write while it goes from one tile to the next
  ISOTHERM_HOST_DEVICE void open(int tiles, Range all_planes, int lost, int block, int blocks) {
    tile = block - blocks;
    all_planes_ = all_planes;
    blocks_ = blocks;
    whole_tiles_ = tiles / blocks;
    first_left_ = whole_tiles_ * blocks;
    left_ = {tiles - first_left_, 1, 1, 1, all_planes.upper - all_planes.lower, lost};
    at_ = share_begin(left_.cost(), block, blocks);
    end_ = share_begin(left_.cost(), block + 1, blocks);
  }
  /// Goes on to the next piece, the first time to the first.
  ISOTHERM_HOST_DEVICE void next() {
    planes = {0, 0};
    if (whole_tiles_ > 0) {
      --whole_tiles_;
      tile += blocks_;
      planes = all_planes_;
      return;
    }
    while (planes.lower == planes.upper && at_ < end_) {
      Piece const piece = left_.piece(at_, end_);
      tile = first_left_ + piece.tile;
      planes = {all_planes_.lower + piece.planes.lower, all_planes_.lower + piece.planes.upper};
      at_ = piece.end;
    }
  }

 private:
  Range all_planes_;
  int blocks_;
  int whole_tiles_;        ///< that are still to come
  int first_left_;         ///< the first tile that is not taken as a whole
  TileLine left_;          ///< it and those after it
  std::int64_t at_, end_;  ///< of these
};

}  // namespace isotherm::cuda
