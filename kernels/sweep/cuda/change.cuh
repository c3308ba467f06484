#pragma once

#include "kernels/sweep/reduce.hpp"

namespace isotherm::cuda {

/// One thread's contribution to a Change. If a change is NaN, the sum becomes NaN. The maximum may
/// not: the next value replaces a NaN.
struct ThreadChange {
  double largest = 0.0;
  double sum_of_squares = 0.0;

  /// Adds a point's change. The difference is computed in Real as on the CPU, so the maximum has
  /// the same bits there.
  template <class Real>
  __device__ void add(Real before, Real after) {
    double const change = fabs(static_cast<double>(after - before));
    largest = change <= largest ? largest : change;
    sum_of_squares += change * change;
  }

  /// Adds another thread's contribution.
  __device__ void merge(ThreadChange other) {
    largest = other.largest <= largest ? largest : other.largest;
    sum_of_squares += other.sum_of_squares;
  }
};

/// A thread's contribution in kernels that are short of registers: the maximum is stored as a Real.
template <class Real>
struct CompactChange {
  Real largest = 0;
  double sum_of_squares = 0.0;

  /// Adds the changes of some points if `count` is true. They are first summed separately: a single
  /// dependent chain of additions through all points of a thread would cost latency.
  /// @param changes  after − before, computed in Real
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

  /// Returns the contribution in the common type.
  __device__ ThreadChange share() const { return {largest, sum_of_squares}; }

 private:
  /// Replaces the maximum if `size` is larger or NaN.
  __device__ __forceinline__ void keep_larger(Real size) {
#if __CUDA_ARCH__ >= 800
    // One instruction instead of a comparison and a selection.
    if constexpr (sizeof(Real) == sizeof(float)) {
      asm("max.NaN.f32 %0, %0, %1;" : "+f"(largest) : "f"(size));
      return;
    }
#endif
    largest = size <= largest ? largest : size;
  }
};

/// Returns the linear index of a thread in its block.
__device__ inline int thread_of_block() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/// Reduces the contributions of a warp's lanes by shuffles. The result is valid on lane 0. All
/// lanes of the warp must call it.
__device__ inline ThreadChange merged(ThreadChange share) {
  for (int distance = 16; distance > 0; distance /= 2) {
    share.merge({__shfl_down_sync(~0U, share.largest, distance),
                 __shfl_down_sync(~0U, share.sum_of_squares, distance)});
  }
  return share;
}

/// Adds the contributions of all threads of a block to `total`: reduces within warps, then within
/// the block, and performs one atomic operation per norm and block.
///
/// The maximum is an integer maximum of the bits, since non-negative doubles are ordered like their
/// bits.
/// @param warps  shared memory for one contribution per warp
/// @pre All threads of the block call it, and `warps` is not in use.
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

/// As above, with its own shared memory. It may be called once in a kernel, with blocks of
/// `threads` threads.
template <int threads>
__device__ void add_to(Change* total, ThreadChange share) {
  __shared__ ThreadChange warps[threads / 32];
  add_to<threads>(total, share, thread_of_block() / 32, thread_of_block() % 32, warps);
}

}  // namespace isotherm::cuda
