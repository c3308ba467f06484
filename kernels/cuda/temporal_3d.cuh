#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/cuda/variant.hpp"
#include "kernels/error.hpp"

namespace isotherm::cuda::temporal_3d {

/// The shape of a block's tile.
template <int Steps, int Warps, int Rows, int Ring, int Low>
struct Shape {
  static constexpr int steps = Steps;
  static constexpr int warps = Warps;
  static constexpr int rows = Rows;  ///< of a thread
  static constexpr int ring = Ring;  ///< input planes in shared memory
  static constexpr int low = Low;    ///< planes of level 0 read from the ring instead of registers
  static constexpr int threads = 32 * Warps;
  static constexpr int height = Warps * Rows;
  static constexpr int ahead = Low == 0 ? Ring - 1 : Ring - 3;
};

template <class Real>
struct VectorOf;
template <>
struct VectorOf<float> {
  using Type = float4;
};
template <>
struct VectorOf<double> {
  using Type = double2;
};

template <class Real>
struct alignas(16) Quad {
  static constexpr int count = 16 / sizeof(Real);
  Real v[count];
};

struct Range {
  int lower, upper;
  __host__ __device__ bool contains(int i) const { return lower <= i && i < upper; }
};

struct Box3 {
  Range x, y, z;
};

/// A pass, as the kernel wants it: 32-bit indices.
template <class Real>
struct Work {
  Real const* in;
  Real* out;
  Real const* source;
  std::int64_t in_row, in_plane, out_row, out_plane, source_row, source_plane;
  Box3 exists, region, free, source_exists;
  Change* change;
  int tiles_x, tiles_y, first_x, chunk;
};

template <class Real, class S>
struct Tile {
  static constexpr int vector = Quad<Real>::count;
  static constexpr int width = 32 * vector;
  static constexpr int margin_x = (S::steps + vector - 1) / vector * vector;
  static constexpr int useful_x = width - 2 * margin_x;
  static constexpr int useful_y = S::height - 2 * S::steps;
  static constexpr int row_bytes = 512;
  static constexpr int plane_bytes = S::height * row_bytes;
  /// one row before and after the ring that only absorbs the outermost warps' edge reads
  static constexpr int ring_bytes = S::ring * plane_bytes + 2 * row_bytes;
  static constexpr int edge_levels = S::low == 0 ? S::steps : S::steps - 1;
  static constexpr int edge_plane_bytes = (2 * S::warps + 2) * row_bytes;
  static constexpr int edge_bytes = 2 * edge_levels * edge_plane_bytes;
  static constexpr int barrier_bytes = 8 * (S::warps + 2);
  static constexpr int shared_bytes = ring_bytes + edge_bytes + (barrier_bytes + 15) / 16 * 16;
  static_assert(useful_x > 0 && useful_y > 0);
};

__device__ inline void copy_async(unsigned to, void const* from) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
#else
  float4 const value = *static_cast<float4 const*>(from);
  asm volatile("st.shared.v4.f32 [%0], {%1,%2,%3,%4};" ::"r"(to), "f"(value.x), "f"(value.y),
               "f"(value.z), "f"(value.w)
               : "memory");
#endif
}
__device__ inline void copy_commit() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int Pending>
__device__ inline void copy_wait() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
}

template <class Real>
__device__ inline Quad<Real> load_shared(unsigned from);
template <>
__device__ inline Quad<float> load_shared<float>(unsigned from) {
  Quad<float> q;
  asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
               : "=f"(q.v[0]), "=f"(q.v[1]), "=f"(q.v[2]), "=f"(q.v[3])
               : "r"(from)
               : "memory");
  return q;
}
template <>
__device__ inline Quad<double> load_shared<double>(unsigned from) {
  Quad<double> q;
  asm volatile("ld.shared.v2.f64 {%0,%1}, [%2];"
               : "=d"(q.v[0]), "=d"(q.v[1])
               : "r"(from)
               : "memory");
  return q;
}
__device__ inline void store_shared(unsigned to, Quad<float> const& q) {
  asm volatile("st.shared.v4.f32 [%0], {%1,%2,%3,%4};" ::"r"(to), "f"(q.v[0]), "f"(q.v[1]),
               "f"(q.v[2]), "f"(q.v[3])
               : "memory");
}
__device__ inline void store_shared(unsigned to, Quad<double> const& q) {
  asm volatile("st.shared.v2.f64 [%0], {%1,%2};" ::"r"(to), "d"(q.v[0]), "d"(q.v[1]) : "memory");
}
__device__ inline void store_global(float* to, Quad<float> const& q) {
  __stcs(reinterpret_cast<float4*>(to), make_float4(q.v[0], q.v[1], q.v[2], q.v[3]));
}
__device__ inline void store_global(double* to, Quad<double> const& q) {
  __stcs(reinterpret_cast<double2*>(to), make_double2(q.v[0], q.v[1]));
}

/// Lets a warp run ahead of all but the two warps beside it. Warp w arrives at its own barrier at
/// the end of each plane; the next plane may start once both neighbours have arrived too.
struct NeighbourBarrier {
  unsigned own;  ///< shared address; the neighbours' are 8 bytes before and after
  unsigned parity = 0;

  __device__ static void init(unsigned first, int warps) {
    (void)first, (void)warps;
#if __CUDA_ARCH__ >= 800
    // the outermost two stand for neighbours that do not exist: the edge warp arrives for them
    if (threadIdx.x < warps + 2) {
      asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(first + 8 * threadIdx.x) : "memory");
    }
#endif
    __syncthreads();
  }
#if __CUDA_ARCH__ >= 800
  __device__ static void arrive_at(unsigned barrier) {
    asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(barrier) : "memory");
  }
  __device__ static void wait_for(unsigned barrier, unsigned parity) {
    asm volatile(
        "{ .reg .pred p;\n"
        "w: mbarrier.test_wait.parity.shared.b64 p, [%0], %1;\n"
        "@!p bra w;\n}"
        ::"r"(barrier), "r"(parity) : "memory");
  }
#endif
  __device__ void arrive(int lane, bool first_warp, bool last_warp) {
#if __CUDA_ARCH__ >= 800
    __syncwarp();
    if (lane == 0) {
      arrive_at(own);
      if (first_warp) arrive_at(own - 8);
      if (last_warp) arrive_at(own + 8);
    }
#endif
  }
  __device__ void wait() {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "{ .reg .pred p;\n"
        "w: mbarrier.try_wait.parity.shared.b64 p, [%0], %2;\n"
        "@!p bra w;\n"
        "v: mbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n"
        "@!p bra v;\n}"
        ::"r"(own - 8), "r"(own + 8), "r"(parity) : "memory");
#elif __CUDA_ARCH__ >= 800
    wait_for(own - 8, parity);
    wait_for(own + 8, parity);
#else
    __syncthreads();
#endif
    parity ^= 1;
  }
};
