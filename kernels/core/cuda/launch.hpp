#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/core/cuda/lane.hpp"

namespace isotherm::cuda {

/// Returns the number of tiles of `tile` points that cover `points` points.
constexpr std::int64_t tiles(std::int64_t points, std::int64_t tile) {
  return (points + tile - 1) / tile;
}

/// Threads of a block in kernels that visit items in a grid-stride loop.
constexpr int threads_per_block = 256;

/// Returns the number of blocks for a grid-stride loop over `count` items: enough to fill any
/// device, and within the launch limits for any count.
inline unsigned blocks_for(std::int64_t count) {
  constexpr std::int64_t max_blocks = 1 << 16;
  return static_cast<unsigned>(
      std::clamp(tiles(count, threads_per_block), std::int64_t{1}, max_blocks));
}

}  // namespace isotherm::cuda
