#pragma once

#include "kernels/sweep/cuda/ptx.cuh"

namespace isotherm::cuda {

/// True if warps synchronise pairwise with their neighbours, which clusters require. Builds with
/// ISOTHERM_BLOCK_BARRIERS use barriers of the whole block instead.
#if defined(ISOTHERM_BLOCK_BARRIERS)
constexpr bool has_neighbour_barriers = false;
#else
constexpr bool has_neighbour_barriers = true;
#endif
/// True if the current compilation is for a device with such barriers (compute capability 8.0).
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
constexpr bool uses_neighbour_barriers = has_neighbour_barriers;
#else
constexpr bool uses_neighbour_barriers = false;
#endif

/// Synchronises a warp with its two neighbours only, once per plane. Warps that are further apart
/// may drift, and thereby hide each other's latencies.
///
/// Two barriers between neighbouring warps alternate. If the two warps belong to different blocks
/// of a cluster, each block has its own pair. It counts the bytes that the other block sends. A
/// block registers the expected bytes two planes ahead, before the other block can send them: a
/// negative count was observed to hang a device.
///
/// The whole block synchronises instead on devices without such barriers, and in builds with
/// ISOTHERM_BLOCK_BARRIERS for tools that do not track pairwise barriers. These have no clusters.
///
/// @tparam warps  warps of the block
/// @tparam cluster  blocks of the cluster
/// @tparam sent_bytes  bytes that a neighbouring block sends per plane
template <int warps, int cluster, int sent_bytes>
class NeighbourBarrier {
 public:
  static constexpr int barrier_bytes = 8;
  static constexpr int shared_bytes = 2 * barrier_bytes * (warps + 1);
  static_assert(warps < 32, "the first warp initialises all pairs");
  static_assert(sent_bytes < 1 << 20, "a barrier counts no more bytes");

  /// Initialises the barriers. All threads of the block, or of the cluster, must call it.
  /// @param first  shared memory of shared_bytes bytes, aligned to 8 bytes
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

  /// Returns the barrier of the other block that counts the bytes sent during this plane.
  __device__ unsigned remote() const { return remote_ + turn_; }

  /// Signals to the neighbouring warps that their input of this plane is in shared memory.
  __device__ void arrive(int lane) const { arrive_for(lane, turn_); }
  /// Stands in for the arrival in the plane before the first, which the first wait() expects.
  __device__ void arrive_first(int lane) const { arrive_for(lane, other_pair); }

  /// Waits until the neighbouring warps have arrived in the previous plane. All lanes of the warp
  /// must call it.
  __device__ void wait(int lane) {
    unsigned const before = other_pair - turn_;
    if constexpr (uses_neighbour_barriers) {
      wait_for_two_barriers(below_ + before, parity_);
    } else {
      __syncthreads();
    }
    if constexpr (cluster > 1) {
      // Reconverge: a lane that still waits would miss the end of this phase if the phase after
      // next ended too.
      __syncwarp();
      if (remote_ != 0 && lane == 0) expect_at_barrier<sent_bytes>(expecting_ + before);
    }
  }

  /// Broadcasts the address of the other block's barriers from lane 0. The compiler then knows that
  /// it is uniform and uses uniform registers for values that depend on it.
  __device__ void know_uniform() { remote_ = __shfl_sync(~0u, remote_, 0); }

  /// Proceeds to the next plane. Call it after the last arrive(), remote() and wait() of a plane.
  __device__ void next_plane() {
    parity_ ^= turn_ != 0;
    turn_ = other_pair - turn_;
  }

 private:
  using Blocks = Cluster<cluster>;
  static constexpr unsigned other_pair = barrier_bytes * (warps + 1);

  /// Initialises the barriers: thread i those below warp i. A barrier at the block's border has a
  /// single arrival per phase.
  __device__ void initialise(int rank) const {
    if (threadIdx.x <= warps) {
      bool const block_border =
          (threadIdx.x == 0 && rank > 0) || (threadIdx.x == warps && rank < cluster - 1);
      bool const border = threadIdx.x == 0 || threadIdx.x == warps;
      unsigned const barrier = below_ + barrier_bytes * threadIdx.x;
      initialise_barrier(barrier, border ? 1 : 2);
      initialise_barrier(barrier + other_pair, border ? 1 : 2);
      if (block_border) {  // before the first plane, nothing arrives from another block
        arrive_at_barrier(barrier + other_pair);
        expect_at_barrier<sent_bytes>(barrier);
      }
    }
  }

  /// Lanes 0 and 1 arrive at the barriers below and above the warp, except at one that another
  /// block's bytes complete.
  __device__ void arrive_for(int lane, unsigned turn) const {
    if constexpr (uses_neighbour_barriers) {
      __syncwarp();
      if (lane < 2 && (cluster == 1 || below_ + barrier_bytes * lane != expecting_)) {
        arrive_at_barrier(below_ + barrier_bytes * lane + turn);
      }
    }
  }

  /// Shared address of the barrier towards warp - 1; the next one: towards warp + 1.
  unsigned below_;
  unsigned remote_ = 0;     ///< the other block's barrier, or 0
  unsigned expecting_ = 0;  ///< this block's barrier towards the other block, or 0
  unsigned turn_ = 0;       ///< offset of the barriers of the current plane
  /// Parity of the phase that the next wait() waits for.
  unsigned parity_ = 0;
};

}  // namespace isotherm::cuda
