#pragma once

#include "kernels/core/cuda/launch.hpp"
#include "kernels/sweep/sweep.hpp"

namespace isotherm::cuda {

/// Maximum number of threads of a block with a shape.
constexpr int max_shaped_threads = 1024;

/// The blocks that cover a region. They are numbered along x, then y, then z, because a launch may
/// have more blocks along x than along the other axes.
struct BlockGrid {
  std::int64_t x;
  std::int64_t y;
  std::int64_t z;

  [[nodiscard]] unsigned count() const { return static_cast<unsigned>(x * y * z); }

  /// Returns the first point of the calling thread's block, for blocks of `extent` points.
  __device__ Index3 first_point(LocalBox const& region, Index3 extent) const {
    std::int64_t const row = blockIdx.x / x;
    std::int64_t const plane = row / y;
    return {region.lower.x + (blockIdx.x - row * x) * extent.x,
            region.lower.y + (row - plane * y) * extent.y, region.lower.z + plane * extent.z};
  }
};

/// Returns the blocks of `extent` points that cover `region`.
inline BlockGrid blocks_over(LocalBox const& region, Index3 extent) {
  Extent3 const n = region.extent();
  return {tiles(n.x, extent.x), tiles(n.y, extent.y), tiles(n.z, extent.z)};
}

}  // namespace isotherm::cuda
