#pragma once

#include <algorithm>

#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/each_point.cuh"
#include "kernels/core/field.hpp"

namespace isotherm::cuda {

/// Threads of a block. A block goes through a piece of its column of planes, so that what planes
/// share is read once, and few blocks have norms to add.
constexpr int block_threads = 256;

struct Launch {
  dim3 grid;
  dim3 block;
};

/// Where blocks begin in x, at or before the box: at a multiple of a warp, so that its loads begin
/// where rows are aligned.
__host__ __device__ inline std::int64_t first_x(LocalBox const& box) {
  return box.lower.x & ~std::int64_t{31};
}

/// @param points  of a thread, in x
inline Launch launch_over(LocalBox const& box, dim3 block, int points = 1) {
  constexpr std::int64_t most_blocks = 65535;       // in y and z
  constexpr std::int64_t enough_blocks = 132 * 32;  // to fill any device some times over
  std::int64_t const in_x = tiles(box.upper.x - first_x(box), std::int64_t{block.x} * points);
  std::int64_t const in_y = tiles(box.upper.y - box.lower.y, block.y);
  std::int64_t const planes = box.upper.z - box.lower.z;
  std::int64_t const pieces =
      std::clamp<std::int64_t>(tiles(enough_blocks, in_x * in_y), 1, planes);
  return {dim3(static_cast<unsigned>(in_x), static_cast<unsigned>(std::min(in_y, most_blocks)),
               static_cast<unsigned>(std::min(pieces, most_blocks))),
          block};
}
/// A block for threads with a column each: all in one row where there is one.
inline Launch launch_over(LocalBox const& box) {
  bool const one_row = box.upper.y - box.lower.y == 1;
  return launch_over(box, one_row ? dim3(block_threads) : dim3(64, block_threads / 64));
}

/// Calls work(i, j, k_begin, k_end) for this thread's columns of points of `box`: of `points`
/// columns side by side some of which lie in the box.
template <int points = 1, class Work>
__device__ __forceinline__ void for_my_columns(LocalBox const& box, Work const& work) {
  std::int64_t const i =
      first_x(box) + (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * points;
  if (i + points <= box.lower.x || i >= box.upper.x) return;
  std::int64_t const planes = box.upper.z - box.lower.z;
  std::int64_t const begin = box.lower.z + planes * blockIdx.z / gridDim.z;
  std::int64_t const end = box.lower.z + planes * (blockIdx.z + 1) / gridDim.z;
  for (std::int64_t j = box.lower.y + std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
       j < box.upper.y; j += std::int64_t{gridDim.y} * blockDim.y) {
    work(i, j, begin, end);
  }
}

}  // namespace isotherm::cuda
