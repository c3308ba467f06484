#pragma once

#include <cstdint>

#include "kernels/core/cuda/range.hpp"
#include "kernels/core/host_device.hpp"

namespace isotherm::cuda {

/// A piece of work of one block: planes (in 2D rows) of one tile.
struct Piece {
  int tile;          ///< number of the tile in its TileLine
  Range planes;      ///< counted from the region's first plane
  std::int64_t end;  ///< cost at which the next piece begins
};

/// Tiles in a sequence that can be cut anywhere into shares of equal cost, so blocks that run
/// concurrently also finish together.
///
/// The first and the last tile may cost more per plane than the others. Each tile begins with
/// `lost` virtual planes. They represent the start-up cost when a block changes to another piece.
/// Blocks that work on parts of two tiles therefore get fewer planes.
struct TileLine {
  int count;
  int first, between, last;  ///< cost of one plane of a tile
  int planes;                ///< planes per tile
  int lost;                  ///< virtual planes at the beginning of each tile

  /// Returns the total cost of all tiles, virtual planes included.
  [[nodiscard]] ISOTHERM_HOST_DEVICE std::int64_t cost() const {
    return count == 0 ? 0 : height() * (before(count - 1) + cost_of(count - 1));
  }

  /// Returns the piece from cost `at` to `end`, at most to the end of a tile. It may be empty.
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
  /// Planes of a tile including the virtual ones.
  [[nodiscard]] ISOTHERM_HOST_DEVICE std::int64_t height() const {
    return std::int64_t{lost} + planes;
  }
  /// Cost of one plane of a tile. A single tile is both first and last and has the higher cost.
  [[nodiscard]] ISOTHERM_HOST_DEVICE int cost_of(int tile) const {
    int const as_last = tile == count - 1 ? last : between;
    int const as_first = tile == 0 ? first : between;
    return as_last > as_first ? as_last : as_first;
  }
  /// Sum of the plane costs of all tiles before this one.
  [[nodiscard]] ISOTHERM_HOST_DEVICE std::int64_t before(int tile) const {
    return tile == 0 ? 0 : first + std::int64_t{tile - 1} * between;
  }
};

/// Returns the beginning of the share of `block` if `cost` is divided evenly among `blocks`; the
/// share of the previous block ends there. The two terms avoid the overflow of cost * block.
/// @pre 0 <= block <= blocks
ISOTHERM_HOST_DEVICE inline std::int64_t share_begin(std::int64_t cost, int block, int blocks) {
  return cost / blocks * block + cost % blocks * block / blocks;
}

/// The sequence of tiles of one block, such that all concurrent blocks get equal work.
///
/// First each block gets whole tiles, all of them at the same height: adjacent tiles then find each
/// other's margins in the cache. Then each block gets an equal share of the remaining tiles, which
/// may consist of parts of two tiles.
struct TileTask {
  int tile;      ///< the current tile
  Range planes;  ///< planes of it to write now; empty if all work is done

  /// Begins the task of block `block` of `blocks`. Then call next() before each piece.
  /// @param all_planes  planes of each tile
  /// @param lost  cost of changing to another tile, in planes that could be written in the same
  ///   time
  /// @param tiles  number of tiles of all blocks
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
  /// Proceeds to the next piece; the first call selects the first one.
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
  Range all_planes_;       ///< planes of each tile
  int blocks_;             ///< number of concurrent blocks
  int whole_tiles_;        ///< whole tiles that are still to come
  int first_left_;         ///< the first tile that is shared
  TileLine left_;          ///< the shared tiles
  std::int64_t at_, end_;  ///< the rest of this block's share of them, as costs
};

}  // namespace isotherm::cuda
