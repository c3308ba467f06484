#pragma once

#include <algorithm>

#include "kernels/core/cuda/device/device_attribute.hpp"
#include "kernels/core/cuda/launch.hpp"
#include "kernels/core/field.hpp"

namespace isotherm::cuda {

/// Returns the number of blocks of a study: eight for each multiprocessor, so that a block that
/// copies a table to shared memory uses it for many points.
inline unsigned study_blocks(Queue const& queue, std::int64_t points) {
  auto const most = static_cast<unsigned>(8 * multiprocessor_count(queue.device()));
  return std::min(blocks_for(points), most);
}

/// Calls work(i, j, k) for the points of a box that belong to this thread.
template <class Work>
__device__ void for_my_points(LocalBox const& box, Work const& work) {
  Extent3 const n = box.extent();
  std::int64_t const stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  std::int64_t const count = n.x * n.y * n.z;
  for (std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       item < count; item += stride) {
    std::int64_t const row = item / n.x;
    std::int64_t const plane = row / n.y;
    work(box.lower.x + (item - row * n.x), box.lower.y + (row - plane * n.y), box.lower.z + plane);
  }
}

}  // namespace isotherm::cuda
