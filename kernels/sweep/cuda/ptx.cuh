#pragma once

#include "kernels/sweep/cuda/vector.cuh"

// Wrappers of single PTX instructions that CUDA C++ does not offer, or offers less efficiently.
//
// Devices that lack an instruction use the nearest equivalent. If only callers on newer devices may
// use it, the wrapper is empty. A "memory" clobber marks instructions that the compiler must not
// move other memory accesses across.

namespace isotherm::cuda {

/// True if the device code is for compute capability 9.0 or later, which has bulk copies.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
constexpr bool has_bulk_copies = true;
#else
constexpr bool has_bulk_copies = false;
#endif

/// Returns the 32-bit address of shared memory. With generic pointers the compiler would recompute
/// the base of the shared window at each access.
__device__ __forceinline__ unsigned shared_address(void const* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

/// Loads 16 bytes from shared memory.
/// @pre The address is a multiple of 16.
template <class Real>
__device__ __forceinline__ Vector<Real> read_shared(unsigned address) {
  static_assert(sizeof(Vector<Real>) == sizeof(uint4));
  uint4 bits;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)
               : "r"(address));
  return reinterpret_cast<Vector<Real> const&>(bits);
}

/// Stores 16 bytes to shared memory.
/// @pre The address is a multiple of 16.
template <class Real>
__device__ __forceinline__ void write_shared(unsigned address, Vector<Real> const& values) {
  uint4 const& bits = reinterpret_cast<uint4 const&>(values);
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(bits.x), "r"(bits.y),
               "r"(bits.z), "r"(bits.w));
}

/// Stores 16 bytes to global memory if `wanted`, by predication instead of a branch.
template <class Real>
__device__ __forceinline__ void store_if(bool wanted, Real* to, Vector<Real> const& values) {
  uint4 const& bits = reinterpret_cast<uint4 const&>(values);
  asm volatile(
      "{.reg .pred wanted;\n\t"
      "setp.ne.u32 wanted, %5, 0;\n\t"
      "@wanted st.global.v4.u32 [%0], {%1, %2, %3, %4};}" ::"l"(to),
      "r"(bits.x), "r"(bits.y), "r"(bits.z), "r"(bits.w), "r"(static_cast<unsigned>(wanted)));
}

/// Starts an asynchronous copy of 16 bytes from global to shared memory. Before compute capability
/// 8.0 the copy is synchronous.
/// @pre Both addresses are multiples of 16.
__device__ __forceinline__ void copy_async(unsigned to, void const* from) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
#else
  float4 const value = *static_cast<float4 const*>(from);
  asm volatile("st.shared.v4.f32 [%0], {%1,%2,%3,%4};" ::"r"(to), "f"(value.x), "f"(value.y),
               "f"(value.z), "f"(value.w)
               : "memory");
#endif
}

/// Starts an asynchronous copy of 16 bytes if `wanted`, by predication. There is no "memory"
/// clobber: the compiler may move other accesses of shared memory across. A barrier must separate
/// them.
__device__ __forceinline__ void copy_async_if(bool wanted, unsigned to, void const* from) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "{.reg .pred wanted;\n\t"
      "setp.ne.u32 wanted, %2, 0;\n\t"
      "@wanted cp.async.cg.shared.global [%0], [%1], 16;}" ::"r"(to),
      "l"(from), "r"(static_cast<unsigned>(wanted)));
#else
  if (wanted) write_shared(to, *static_cast<Vector<float> const*>(from));
#endif
}

/// Combines the copies started since the last call into one group.
__device__ __forceinline__ void copy_commit() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits for all groups of this thread's copies except the last `Pending` ones. The data of other
/// threads are visible only after a barrier.
template <int Pending>
__device__ __forceinline__ void copy_wait() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
}

/// Starts a bulk copy of `bytes` bytes, a multiple of 16, from shared to global memory. Does
/// nothing without has_bulk_copies.
/// @pre Both addresses are multiples of 16.
__device__ __forceinline__ void start_bulk_store(void* to, unsigned from, unsigned bytes) {
#if __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from),
               "r"(bytes)
               : "memory");
#endif
}
/// Combines the bulk stores started since the last call into one group.
__device__ __forceinline__ void commit_bulk_stores() {
#if __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#endif
}
/// Waits until the bulk stores that this thread started have read shared memory.
__device__ __forceinline__ void wait_for_bulk_stores() {
#if __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
}
/// Makes this thread's writes to shared memory visible to bulk stores that start after the next
/// barrier.
__device__ __forceinline__ void show_to_bulk_stores() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/// Initialises a barrier in shared memory (an mbarrier of 8 bytes) for a number of arrivals per
/// phase. Barriers need compute capability 8.0.
__device__ __forceinline__ void initialise_barrier(unsigned barrier, int arrivals) {
#if __CUDA_ARCH__ >= 800
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
#endif
}
/// Arrives at a barrier without waiting.
__device__ __forceinline__ void arrive_at_barrier(unsigned barrier) {
#if __CUDA_ARCH__ >= 800
  asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(barrier) : "memory");
#endif
}
/// Arrives at a barrier, and lets its phase also wait for the given number of bytes. Needs compute
/// capability 9.0.
template <int bytes>
__device__ __forceinline__ void expect_at_barrier(unsigned barrier) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "n"(bytes)
               : "memory");
#endif
}
/// Waits until the phases with the given parity of two adjacent barriers have completed.
__device__ __forceinline__ void wait_for_two_barriers(unsigned first, unsigned parity) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "{ .reg .pred p;\n"
      "first: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n"
      "@!p bra first;\n"
      "second: mbarrier.try_wait.parity.shared.b64 p, [%0+8], %1;\n"
      "@!p bra second;\n}" ::"r"(first),
      "r"(parity)
      : "memory");
#elif __CUDA_ARCH__ >= 800
  asm volatile(
      "{ .reg .pred p;\n"
      "first: mbarrier.test_wait.parity.shared.b64 p, [%0], %1;\n"
      "@!p bra first;\n"
      "second: mbarrier.test_wait.parity.shared.b64 p, [%0+8], %1;\n"
      "@!p bra second;\n}" ::"r"(first),
      "r"(parity)
      : "memory");
#endif
}

/// A thread block cluster of blocks that are adjacent in x: the rank of a block, shared memory of
/// others and a barrier for all. Clusters of several blocks need compute capability 9.0.
template <int Blocks>
struct Cluster {
  /// Returns the number of the calling block within its cluster.
  __device__ __forceinline__ static int rank() { return static_cast<int>(blockIdx.x % Blocks); }
  /// Returns the address of the same shared memory in another block of the cluster.
  __device__ __forceinline__ static unsigned address_in(int other, unsigned address) {
    unsigned there = 0;
#if __CUDA_ARCH__ >= 900
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(other));
#endif
    return there;
  }
  /// Synchronises all blocks. Barriers that were initialised before can be used by all blocks
  /// afterwards.
  __device__ __forceinline__ static void synchronise() {
#if __CUDA_ARCH__ >= 900
    if constexpr (Blocks > 1) {
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
      __syncwarp();
      asm volatile("barrier.cluster.arrive.release;" ::: "memory");
      asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
      __syncwarp();
      return;
    }
#endif
    __syncthreads();
  }
};

/// Sends a vector asynchronously to another block's shared memory. `barrier` in that block counts
/// the bytes that arrive. The sender does not wait. Does nothing before compute capability 9.0.
/// @param to  address in the other block; see Cluster::address_in()
__device__ __forceinline__ void send(unsigned to, unsigned barrier, Vector<float> const& q) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1,%2,%3,%4}, "
      "[%5];" ::"r"(to),
      "f"(q.v[0]), "f"(q.v[1]), "f"(q.v[2]), "f"(q.v[3]), "r"(barrier)
      : "memory");
#endif
}
__device__ __forceinline__ void send(unsigned to, unsigned barrier, Vector<double> const& q) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f64 [%0], {%1,%2}, [%3];" ::
          "r"(to),
      "d"(q.v[0]), "d"(q.v[1]), "r"(barrier)
      : "memory");
#endif
}

/// Loads a flag in global memory with acquire order; blocks use flags to publish what they have
/// written.
__device__ __forceinline__ unsigned load_acquire(unsigned const* flag) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}
/// Stores a flag in global memory with release order.
__device__ __forceinline__ void store_release(unsigned* flag, unsigned value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

/// Hides the value of a register from the compiler. Expressions that depend on it are then computed
/// at their use, instead of being kept in additional registers.
template <class Integer>
__device__ __forceinline__ void forget(Integer& i) {
  static_assert(sizeof(Integer) == 4);
  asm volatile("" : "+r"(i));
}

}  // namespace isotherm::cuda
