#pragma once

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/launch.hpp"

namespace isotherm::cuda {

/// Calls work(i, j, k, item) for every point of `box`; `item` counts them from 0, x fastest.
template <class Work>
__global__ void visit_points(LocalBox box, Work work) {
  Extent3 const n = box.extent();
  std::int64_t const count = n.x * n.y * n.z;
  std::int64_t const stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       item < count; item += stride) {
    std::int64_t const row = item / n.x;
    std::int64_t const plane = row / n.y;
    work(box.lower.x + (item - row * n.x), box.lower.y + (row - plane * n.y), box.lower.z + plane,
         item);
  }
}

/// Enqueues visit_points. `work` is a device lambda or functor; `box` must not be empty.
template <class Work>
void for_each_point(Queue& queue, LocalBox box, Work const& work) {
  visit_points<<<blocks_for(box.point_count()), threads_per_block, 0, stream_of(queue)>>>(box,
                                                                                          work);
  check_launch();
}

}  // namespace isotherm::cuda
