#pragma once

#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/launch.hpp"
#include "kernels/sweep/cuda/change.cuh"
#include "kernels/sweep/sweep.hpp"

namespace isotherm::cuda {

/// The readable baseline: one thread per point, neighbours from global memory, reuse by the caches
/// only.
///
/// Blocks have 32 × 2 × 4 threads (32 × 8 in 2D). CUDA limits launches to 65,535 blocks in y and z;
/// on larger grids the threads continue in strides of the launch.
template <class Rule, bool has_source, bool has_change>
__global__ void __launch_bounds__(256) sweep_plain(Rule rule, Pass<typename Rule::Real> pass) {
  LocalBox const box = pass.region;
  std::int64_t const i = box.lower.x + std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  std::int64_t const first_j = box.lower.y + blockIdx.y * blockDim.y + threadIdx.y;
  std::int64_t const first_k = box.lower.z + blockIdx.z * blockDim.z + threadIdx.z;

  ThreadChange change;
  for (std::int64_t k = first_k; k < box.upper.z; k += gridDim.z * blockDim.z) {
    for (std::int64_t j = first_j; j < box.upper.y; j += gridDim.y * blockDim.y) {
      if (i >= box.upper.x) continue;
      auto const* const here = &pass.in(i, j, k);
      auto const before = *here;
      auto after = before;
      if (pass.free.contains(i, j, k)) {
        auto const step = rule.of_step(0).row(j, k).point(i);
        after = step([&](int di, int dj, int dk) {
          return here[di + dj * pass.in.stride_y + dk * pass.in.stride_z];
        });
        if constexpr (has_source) after = step.plus(after, pass.source(i, j, k));
        if constexpr (has_change) change.add(before, after);
      }
      pass.out(i, j, k) = after;
    }
  }
  // All threads arrive here, including those beyond the region, as the reduction needs the block.
  if constexpr (has_change) add_to<256>(pass.change, change);
}

/// Launches the kernel with one thread per point, within CUDA's limits.
template <class Rule, bool has_source, bool has_change>
void launch_plain(Queue& queue, Rule const& rule, Pass<typename Rule::Real> const& pass) {
  constexpr std::int64_t max_blocks = 65535;  // CUDA's limit in y and z
  dim3 const block = Rule::dimension == 3 ? dim3(32, 2, 4) : dim3(32, 8, 1);
  Extent3 const n = pass.region.extent();
  dim3 const grid(static_cast<unsigned>(tiles(n.x, block.x)),
                  static_cast<unsigned>(std::min(tiles(n.y, block.y), max_blocks)),
                  static_cast<unsigned>(std::min(tiles(n.z, block.z), max_blocks)));
  sweep_plain<Rule, has_source, has_change><<<grid, block, 0, make_current(queue)>>>(rule, pass);
  check_launch();
}

}  // namespace isotherm::cuda
