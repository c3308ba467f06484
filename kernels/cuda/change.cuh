#pragma once

#include "kernels/reduce.hpp"

namespace isotherm::cuda {

/// One thread's share of a Change. Where a change is NaN, so is the sum; the maximum need not be,
/// as a comparison that fails takes the newer value.
struct ThreadChange {
  double largest = 0.0;
  double sum_of_squares = 0.0;

  /// The difference is taken in Real, as on the CPU, so that the maximum has the same bits there.
  template <class Real>
  __device__ void add(Real before, Real after) {
    double const change = fabs(static_cast<double>(after - before));
    largest = change <= largest ? largest : change;
    sum_of_squares += change * change;
  }

  __device__ void merge(ThreadChange other) {
    largest = other.largest <= largest ? largest : other.largest;
    sum_of_squares += other.sum_of_squares;
  }
};

__device__ inline int thread_of_block() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/// Adds all threads' shares to `total`: first within warps, then the block, then one atomic of each
/// kind a block. All threads of the block must call it, and none use `warps` any more, which is
/// shared memory for a share of each warp. A non-negative double orders like its bits.
template <int threads>
__device__ void add_to(Change* total, ThreadChange share, int warp, int lane, ThreadChange* warps) {
  for (int distance = 16; distance > 0; distance /= 2) {
    share.merge({__shfl_down_sync(~0U, share.largest, distance),
                 __shfl_down_sync(~0U, share.sum_of_squares, distance)});
  }
  if (lane == 0) warps[warp] = share;
  __syncthreads();
  if (thread_of_block() != 0) return;
  for (int other = 1; other < threads / 32; ++other) share.merge(warps[other]);
  atomicMax(reinterpret_cast<unsigned long long*>(&total->largest),
            static_cast<unsigned long long>(__double_as_longlong(share.largest)));
  atomicAdd(&total->sum_of_squares, share.sum_of_squares);
}

/// The same, with shared memory of its own.
template <int threads>
__device__ void add_to(Change* total, ThreadChange share) {
  __shared__ ThreadChange warps[threads / 32];
  add_to<threads>(total, share, thread_of_block() / 32, thread_of_block() % 32, warps);
}

}  // namespace isotherm::cuda
