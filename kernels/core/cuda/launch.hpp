#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/core/cuda/lane.hpp"

namespace isotherm::cuda {

constexpr std::int64_t tiles(std::int64_t points, std::int64_t tile) {
  return (points + tile - 1) / tile;
}

constexpr int threads_per_block = 256;

/// Blocks for a loop over `count` items by grid-sized strides: enough to fill any device, and
/// within the limits of a launch for any count.
inline unsigned blocks_for(std::int64_t count) {
  constexpr std::int64_t most_blocks = 1 << 16;
  return static_cast<unsigned>(
      std::clamp(tiles(count, threads_per_block), std::int64_t{1}, most_blocks));
}

}  // namespace isotherm::cuda
