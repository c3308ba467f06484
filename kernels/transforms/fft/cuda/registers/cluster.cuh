#pragma once

// Clusters of blocks, which read and write each other's shared memory; from compute capability 9.0
// on. Code for older devices compiles, but nothing starts it.

namespace isotherm::cuda {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/// Returns the number of this block in its cluster.
__device__ __forceinline__ int cluster_rank() {
  return static_cast<int>(__clusterRelativeBlockRank());
}

/// Returns the address that `here` has in the shared memory of another block of the cluster.
template <class Value>
__device__ __forceinline__ Value* of_cluster(Value* here, int rank) {
  return static_cast<Value*>(__cluster_map_shared_rank(here, static_cast<unsigned>(rank)));
}

/// Waits for all threads of the cluster. Their writes to shared memory are then visible.
__device__ __forceinline__ void arrive_in_cluster() { __cluster_barrier_arrive(); }
__device__ __forceinline__ void wait_for_cluster() { __cluster_barrier_wait(); }

#else

__device__ __forceinline__ int cluster_rank() { return 0; }
template <class Value>
__device__ __forceinline__ Value* of_cluster(Value* here, int /*rank*/) {
  return here;
}
__device__ __forceinline__ void arrive_in_cluster() {}
__device__ __forceinline__ void wait_for_cluster() {}

#endif

}  // namespace isotherm::cuda
