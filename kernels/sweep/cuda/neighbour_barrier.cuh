#pragma once

#include "kernels/sweep/cuda/ptx.cuh"

namespace isotherm::cuda {

/// Whether warps wait for each other at barriers between two of them, which clusters need.
#if defined(ISOTHERM_BLOCK_BARRIERS)
constexpr bool has_neighbour_barriers = false;
#else
constexpr bool has_neighbour_barriers = true;
#endif
/// And whether this pass of the compiler is for a device that has such barriers.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
constexpr bool uses_neighbour_barriers = has_neighbour_barriers;
#else
constexpr bool uses_neighbour_barriers = false;
#endif

/// Holds a warp back only until the warps beside it have finished the same plane, so that warps
/// further apart drift and fill each other's stalls. Between two warps stand two barriers, used in
/// turn. Where the warps belong to two blocks of a cluster each block has its own pair, which
/// counts the bytes that the other sends. It begins to expect them two planes ahead, before the
/// other can send them: a count that goes below zero was seen to hang a device. On devices without
/// such barriers the whole block waits, and in builds with ISOTHERM_BLOCK_BARRIERS, for tools that
/// do not follow barriers between two warps; these have no clusters.
template <int warps, int cluster, int sent_bytes>
class NeighbourBarrier {
 public:
  static constexpr int barrier_bytes = 8;
  static constexpr int shared_bytes = 2 * barrier_bytes * (warps + 1);
  static_assert(warps < 32, "the first warp initialises all pairs");
  static_assert(sent_bytes < 1 << 20, "a barrier counts no more bytes");

  /// @param first  shared memory for shared_bytes, aligned to a barrier
  __device__ NeighbourBarrier(void* first, int warp)
      : below_(shared_address(first) + barrier_bytes * warp) {
    if constexpr (uses_neighbour_barriers) {
      int const rank = Blocks::rank();
      initialise(rank);
      if (cluster > 1 && warp == 0 && rank > 0) {
        remote_ = Blocks::address_in(rank - 1, below_ + barrier_bytes * warps);
        expecting_ = below_;
      }
      if (cluster > 1 && warp == warps - 1 && rank < cluster - 1) {
        remote_ = Blocks::address_in(rank + 1, below_ - barrier_bytes * warp);
        expecting_ = below_ + barrier_bytes;
      }
      Blocks::synchronise();
    }
  }

  /// Where bytes sent to the other block during this plane are counted.
  __device__ unsigned remote() const { return remote_ + turn_; }

  /// Tells the warps beside this one that all of this plane that they need is in shared memory.
  __device__ void arrive(int lane) const { arrive_for(lane, turn_); }
  /// In place of the plane before the first, for the first wait().
  __device__ void arrive_first(int lane) const { arrive_for(lane, other_pair); }

  /// Waits for the warps beside this one to have arrived in the plane before.
  __device__ void wait(int lane) {
    unsigned const before = other_pair - turn_;
    if constexpr (uses_neighbour_barriers) {
      wait_for_two_barriers(below_ + before, parity_);
    } else {
      __syncthreads();
    }
    if constexpr (cluster > 1) {
      // A lane that still waited would miss this turn's end if the next but one ended too.
      __syncwarp();
      if (remote_ != 0 && lane == 0) expect_at_barrier<sent_bytes>(expecting_ + before);
    }
  }

  /// Reads from a lane where the other block's barriers are: so the compiler knows that to be the
  /// same for all of them, and keeps what depends on it in registers of the whole warp.
  __device__ void know_uniform() { remote_ = __shfl_sync(~0u, remote_, 0); }

  /// After the last use of arrive, send and wait for a plane.
  __device__ void next_plane() {
    parity_ ^= turn_ != 0;
    turn_ = other_pair - turn_;
  }

 private:
  using Blocks = Cluster<cluster>;
  static constexpr unsigned other_pair = barrier_bytes * (warps + 1);

  /// Thread i the pair below warp i.
  __device__ void initialise(int rank) const {
    if (threadIdx.x <= warps) {
      bool const block_border =
          (threadIdx.x == 0 && rank > 0) || (threadIdx.x == warps && rank < cluster - 1);
      bool const border = threadIdx.x == 0 || threadIdx.x == warps;
      unsigned const barrier = below_ + barrier_bytes * threadIdx.x;
      initialise_barrier(barrier, border ? 1 : 2);
      initialise_barrier(barrier + other_pair, border ? 1 : 2);
      if (block_border) {  // nothing is awaited from another block before the first plane
        arrive_at_barrier(barrier + other_pair);
        expect_at_barrier<sent_bytes>(barrier);
      }
    }
  }

  __device__ void arrive_for(int lane, unsigned turn) const {
    if constexpr (uses_neighbour_barriers) {
      __syncwarp();
      if (lane < 2 && (cluster == 1 || below_ + barrier_bytes * lane != expecting_)) {
        arrive_at_barrier(below_ + barrier_bytes * lane + turn);
      }
    }
  }

  unsigned below_;  ///< shared address of the barrier towards warp - 1; the next: towards warp + 1
  unsigned remote_ = 0;     ///< the other block's, or none
  unsigned expecting_ = 0;  ///< this block's, towards another one
  unsigned turn_ = 0;       ///< offset of those of the pairs that belong to this plane
  unsigned parity_ = 0;
};

}  // namespace isotherm::cuda
