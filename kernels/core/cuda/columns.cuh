#pragma once

#include <algorithm>

#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/each_point.cuh"
#include "kernels/core/field.hpp"

namespace isotherm::cuda {

/// Threads of a block. A block marches along z through a piece of its columns of points. It reads
/// each shared plane once, and few blocks remain whose norms must be summed.
constexpr int block_threads = 256;

/// Launch configuration: numbers of blocks and of threads per block.
struct Launch {
  dim3 grid;
  dim3 block;
};

/// Returns the x of the first block's first thread: the last multiple of 32 (a warp) at or before
/// the box. A warp's loads then begin at aligned addresses of a row.
__host__ __device__ inline std::int64_t first_x(LocalBox const& box) {
  return box.lower.x & ~std::int64_t{31};
}

/// Returns a launch whose threads cover `box` in x and y and share its planes. Blocks are numbered
/// along x and y. Along z the planes are divided into as many pieces as it takes to fill a device.
/// @param points  columns that one thread computes, adjacent in x
/// @pre The box is not empty.
inline Launch launch_over(LocalBox const& box, dim3 block, int points = 1) {
  constexpr std::int64_t max_blocks = 65535;        // CUDA's limit of a grid in y and z
  constexpr std::int64_t enough_blocks = 132 * 32;  // fills any device several times over
  std::int64_t const in_x = tiles(box.upper.x - first_x(box), std::int64_t{block.x} * points);
  std::int64_t const in_y = tiles(box.upper.y - box.lower.y, block.y);
  std::int64_t const planes = box.upper.z - box.lower.z;
  std::int64_t const pieces =
      std::clamp<std::int64_t>(tiles(enough_blocks, in_x * in_y), 1, planes);
  return {dim3(static_cast<unsigned>(in_x), static_cast<unsigned>(std::min(in_y, max_blocks)),
               static_cast<unsigned>(std::min(pieces, max_blocks))),
          block};
}
/// Returns a launch with one column per thread; a box of a single row gets blocks of a single row.
inline Launch launch_over(LocalBox const& box) {
  bool const one_row = box.upper.y - box.lower.y == 1;
  return launch_over(box, one_row ? dim3(block_threads) : dim3(64, block_threads / 64));
}

/// Calls work(i, j, k_begin, k_end) for each column of `box` that belongs to the calling thread. If
/// `points` > 1, a call covers that many columns adjacent in x, some of which may lie outside the
/// box.
///
/// A thread's columns begin at i = first_x(box) + its number along x · points. Rows that exceed
/// CUDA's limit of blocks are visited in strides of the grid. Blocks of the same x and y share the
/// planes evenly. Threads beyond the box return at once, so `work` must not contain a barrier of
/// the block.
/// @pre The kernel was launched by launch_over() for the same box and number of points.
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
