#pragma once

#include "kernels/core/cuda/check.hpp"
#include "kernels/sweep/cuda/change.cuh"
#include "kernels/sweep/cuda/shaped/block_place.cuh"

namespace isotherm::cuda {

/// One thread a point, with the block's points and their neighbours in shared memory.
///
///      ┌──────────────────┐
///      │ x x x x x x x x  │   A block of n points stages n points and one more at each end of
///      │ x ┌──────────┐ x │   each axis. The threads are numbered through, and take the staged
///      │ x │  points  │ x │   points in turn, so no thread is idle while others load the rim.
///      │ x └──────────┘ x │
///      └──────────────────┘
template <class Rule>
__global__ void __launch_bounds__(max_shaped_threads)
    sweep_shared(Rule rule, Pass<typename Rule::Real> pass, BlockGrid blocks) {
  using Real = typename Rule::Real;
  constexpr int rim_z = Rule::dimension == 3 ? 1 : 0;
  extern __shared__ __align__(16) unsigned char memory[];
  auto* const staged = reinterpret_cast<Real*>(memory);

  int const width = blockDim.x + 2;
  int const plane = width * (blockDim.y + 2);
  int const count = plane * (blockDim.z + 2 * rim_z);
  Index3 const first = blocks.first_point(pass.region, {blockDim.x, blockDim.y, blockDim.z});
  int const threads = blockDim.x * blockDim.y * blockDim.z;
  for (int n = thread_of_block(); n < count; n += threads) {
    int const row = n % plane;
    std::int64_t const i = first.x - 1 + row % width;
    std::int64_t const j = first.y - 1 + row / width;
    std::int64_t const k = first.z - rim_z + n / plane;
    if (pass.in.box.contains(i, j, k)) staged[n] = pass.in(i, j, k);
  }
  __syncthreads();

  std::int64_t const i = first.x + threadIdx.x;
  std::int64_t const j = first.y + threadIdx.y;
  std::int64_t const k = first.z + threadIdx.z;
  if (!pass.region.contains(i, j, k)) return;
  Real const* const here =
      staged + (threadIdx.x + 1) + width * (threadIdx.y + 1) + plane * (threadIdx.z + rim_z);
  Real after = *here;
  if (pass.free.contains(i, j, k)) {
    after =
        rule.of_step(0)([&](int di, int dj, int dk) { return here[di + dj * width + dk * plane]; });
  }
  pass.out(i, j, k) = after;
}

/// Launches the kernel with blocks of this shape.
template <class Rule>
void launch_shared(Queue& queue, Rule const& rule, Pass<typename Rule::Real> const& pass,
                   dim3 block) {
  BlockGrid const blocks = blocks_over(pass.region, {block.x, block.y, block.z});
  unsigned const planes = Rule::dimension == 3 ? block.z + 2 : 1;
  std::size_t const bytes = sizeof(typename Rule::Real) * (block.x + 2) * (block.y + 2) * planes;
  sweep_shared<<<blocks.count(), block, bytes, make_current(queue)>>>(rule, pass, blocks);
  check_launch();
}

}  // namespace isotherm::cuda
