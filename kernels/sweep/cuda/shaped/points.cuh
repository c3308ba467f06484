#pragma once

#include "kernels/core/cuda/check.hpp"
#include "kernels/sweep/cuda/shaped/block_place.cuh"

namespace isotherm::cuda {

/// One thread a point, with neighbours from global memory, in blocks of any shape. The plan "plain"
/// (kernels/sweep/cuda/single/plain.cuh) has the same loads for one shape, with a source and
/// changes.
template <class Rule>
__global__ void __launch_bounds__(max_shaped_threads)
    sweep_points(Rule rule, Pass<typename Rule::Real> pass, BlockGrid blocks) {
  Index3 const first = blocks.first_point(pass.region, {blockDim.x, blockDim.y, blockDim.z});
  Index3 const at = first + Index3{threadIdx.x, threadIdx.y, threadIdx.z};
  if (!pass.region.contains(at.x, at.y, at.z)) return;
  auto const* const here = &pass.in(at.x, at.y, at.z);
  auto after = *here;
  if (pass.free.contains(at.x, at.y, at.z)) {
    after = rule.of_step(0)([&](int di, int dj, int dk) {
      return here[di + dj * pass.in.stride_y + dk * pass.in.stride_z];
    });
  }
  pass.out(at.x, at.y, at.z) = after;
}

/// Launches the kernel with blocks of this shape.
template <class Rule>
void launch_points(Queue& queue, Rule const& rule, Pass<typename Rule::Real> const& pass,
                   dim3 block) {
  BlockGrid const blocks = blocks_over(pass.region, {block.x, block.y, block.z});
  sweep_points<<<blocks.count(), block, 0, make_current(queue)>>>(rule, pass, blocks);
  check_launch();
}

}  // namespace isotherm::cuda
