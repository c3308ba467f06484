#pragma once

#include "kernels/core/cuda/check.hpp"
#include "kernels/sweep/cuda/shaped/block_place.cuh"

namespace isotherm::cuda {

/// One thread a column: it walks along the last axis (z, in 2D y) and keeps the values before, at
/// and after its point in registers. So each value is loaded once for that axis; the neighbours
/// along the other axes come from global memory and its caches.
///
/// The threads of a block along the last axis divide the column into pieces of `length` points.
template <class Rule>
__global__ void __launch_bounds__(max_shaped_threads)
    sweep_march(Rule rule, Pass<typename Rule::Real> pass, BlockGrid blocks, std::int64_t length) {
  using Real = typename Rule::Real;
  constexpr bool in_3d = Rule::dimension == 3;
  Index3 const extent = in_3d ? Index3{blockDim.x, blockDim.y, length * blockDim.z}
                              : Index3{blockDim.x, length * blockDim.y, 1};
  Index3 at = blocks.first_point(pass.region, extent);
  at.x += threadIdx.x;
  at.y += in_3d ? threadIdx.y : length * threadIdx.y;
  at.z += in_3d ? length * threadIdx.z : 0;
  if (!pass.region.contains(at.x, at.y, at.z)) return;

  std::int64_t const end_of_region = in_3d ? pass.region.upper.z : pass.region.upper.y;
  std::int64_t const first = in_3d ? at.z : at.y;
  std::int64_t const end = first + length < end_of_region ? first + length : end_of_region;
  std::int64_t const stride = in_3d ? pass.in.stride_z : pass.in.stride_y;
  Real const* here = &pass.in(at.x, at.y, at.z);
  Real* out = &pass.out(at.x, at.y, at.z);
  std::int64_t const out_stride = in_3d ? pass.out.stride_z : pass.out.stride_y;

  auto const step = rule.of_step(0);
  // Neighbours of points that keep their values need not exist.
  std::int64_t const existing_lower = in_3d ? pass.in.box.lower.z : pass.in.box.lower.y;
  std::int64_t const existing_upper = in_3d ? pass.in.box.upper.z : pass.in.box.upper.y;
  Real centre = *here;
  Real below = first > existing_lower ? here[-stride] : centre;
  for (std::int64_t n = first; n < end; ++n) {
    Real const above = n + 1 < existing_upper ? here[stride] : centre;
    Real after = centre;
    if (pass.free.contains(at.x, in_3d ? at.y : n, in_3d ? n : at.z)) {
      after = step([&](int di, int dj, int dk) {
        int const along = in_3d ? dk : dj;
        if (along != 0) return along < 0 ? below : above;
        if (di == 0 && dj == 0) return centre;
        return here[di + (in_3d ? dj * pass.in.stride_y : 0)];
      });
    }
    *out = after;
    below = centre;
    centre = above;
    here += stride;
    out += out_stride;
  }
}

/// Launches the kernel with blocks of this shape.
template <class Rule>
void launch_march(Queue& queue, Rule const& rule, Pass<typename Rule::Real> const& pass,
                  dim3 block) {
  constexpr bool in_3d = Rule::dimension == 3;
  Extent3 const n = pass.region.extent();
  std::int64_t const length = in_3d ? tiles(n.z, block.z) : tiles(n.y, block.y);
  Index3 const extent = in_3d ? Index3{block.x, block.y, n.z} : Index3{block.x, n.y, 1};
  BlockGrid const blocks = blocks_over(pass.region, extent);
  sweep_march<<<blocks.count(), block, 0, make_current(queue)>>>(rule, pass, blocks, length);
  check_launch();
}

}  // namespace isotherm::cuda
