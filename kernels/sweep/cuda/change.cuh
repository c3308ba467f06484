#pragma once

#include "kernels/sweep/reduce.hpp"

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

/// A thread's share in a kernel whose registers are dear: the maximum stays a Real.
template <class Real>
struct CompactChange {
  Real largest = 0;
  double sum_of_squares = 0.0;

  /// Adds the changes of some points, if they count. Their own sum comes first: one chain of
  /// dependent additions through all of a thread's points would be waited for.
  template <int points>
  __device__ __forceinline__ void add(Real const (&changes)[points], bool count) {
    CompactChange sum;
#pragma unroll
    for (int v = 0; v < points; ++v) {
      sum.keep_larger(abs(changes[v]));
      double const change = changes[v];
      sum.sum_of_squares = v == 0 ? change * change : fma(change, change, sum.sum_of_squares);
    }
    if (!count) return;
    keep_larger(sum.largest);
    sum_of_squares += sum.sum_of_squares;
  }

  __device__ ThreadChange share() const { return {largest, sum_of_squares}; }

 private:
  __device__ __forceinline__ void keep_larger(Real size) {
#if __CUDA_ARCH__ >= 800
    if constexpr (sizeof(Real) == sizeof(float)) {  // one instruction, the comparison is two
      asm("max.NaN.f32 %0, %0, %1;" : "+f"(largest) : "f"(size));
      return;
    }
#endif
    largest = size <= largest ? largest : size;
  }
};

__device__ inline int thread_of_block() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/// The shares of a warp's lanes together, on its lane 0.
__device__ inline ThreadChange merged(ThreadChange share) {
  for (int distance = 16; distance > 0; distance /= 2) {
    share.merge({__shfl_down_sync(~0U, share.largest, distance),
                 __shfl_down_sync(~0U, share.sum_of_squares, distance)});
  }
  return share;
}

/// Adds all threads' shares to `total`: first within warps, then the block, then one atomic of each
/// kind a block. All threads of the block must call it, and none use `warps` any more, which is
/// shared memory for a share of each warp. A non-negative double orders like its bits.
template <int threads>
__device__ void add_to(Change* total, ThreadChange share, int warp, int lane, ThreadChange* warps) {
  static_assert(threads % 32 == 0 && threads <= 1024);
  share = merged(share);
  if (lane == 0) warps[warp] = share;
  __syncthreads();
  if (warp != 0) return;
  share = merged(lane < threads / 32 ? warps[lane] : ThreadChange{});
  if (lane != 0) return;
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
