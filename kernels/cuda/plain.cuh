#pragma once

#include "kernels/cuda/change.cuh"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/sweep.hpp"

namespace isotherm::cuda {

/// The readable baseline: one thread a point, neighbours from global memory, blocks of 32 × 2 × 4
/// threads (32 × 8 in 2D). What caches do for it is all the reuse there is.
template <class Rule, bool has_source, bool has_change>
__global__ void __launch_bounds__(256)
    sweep_plain(Rule rule, Pass<typename Rule::Real> pass, std::int64_t tiles_x,
                std::int64_t tiles_y) {
  std::int64_t const tile = blockIdx.x;
  std::int64_t const tile_row = tile / tiles_x;
  std::int64_t const tile_plane = tile_row / tiles_y;
  std::int64_t const i =
      pass.region.lower.x + (tile - tile_row * tiles_x) * blockDim.x + threadIdx.x;
  std::int64_t const j =
      pass.region.lower.y + (tile_row - tile_plane * tiles_y) * blockDim.y + threadIdx.y;
  std::int64_t const k = pass.region.lower.z + tile_plane * blockDim.z + threadIdx.z;

  ThreadChange change;
  if (pass.region.contains(i, j, k)) {
    auto const before = pass.in(i, j, k);
    auto after = before;
    if (pass.free.contains(i, j, k)) {
      after = rule([&](int di, int dj, int dk) { return pass.in(i + di, j + dj, k + dk); });
      if constexpr (has_source) after += pass.source(i, j, k);
      if constexpr (has_change) change.add(before, after);
    }
    pass.out(i, j, k) = after;
  }
  if constexpr (has_change) add_to<256>(pass.change, change);
}

template <class Rule, bool has_source, bool has_change>
void launch_plain(cudaStream_t stream, Rule const& rule, Pass<typename Rule::Real> const& pass) {
  dim3 const block = Rule::dimension == 3 ? dim3(32, 2, 4) : dim3(32, 8, 1);
  Extent3 const n = pass.region.extent();
  std::int64_t const tiles_x = tiles(n.x, block.x);
  std::int64_t const tiles_y = tiles(n.y, block.y);
  std::int64_t const blocks = tiles_x * tiles_y * tiles(n.z, block.z);
  sweep_plain<Rule, has_source, has_change>
      <<<static_cast<unsigned>(blocks), block, 0, stream>>>(rule, pass, tiles_x, tiles_y);
  check_launch();
}

}  // namespace isotherm::cuda
