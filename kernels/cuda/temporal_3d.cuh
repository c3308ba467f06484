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
template <int Steps, int Warps, int Rows, int Ring, int Low, int Unroll>
struct Shape {
  static constexpr int steps = Steps;
  static constexpr int warps = Warps;
  static constexpr int rows = Rows;  ///< of a thread
  static constexpr int ring = Ring;  ///< input planes in shared memory
  static constexpr int low = Low;    ///< planes of level 0 read from the ring instead of registers
  static constexpr int unroll = Unroll;
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


__device__ inline void store_global(float* to, Quad<float> const& q) {
  __stcs(reinterpret_cast<float4*>(to), make_float4(q.v[0], q.v[1], q.v[2], q.v[3]));
}
__device__ inline void store_global(double* to, Quad<double> const& q) {
  __stcs(reinterpret_cast<double2*>(to), make_double2(q.v[0], q.v[1]));
}

/// Holds a warp back only until the warps beside it have finished the same plane, so that warps
/// further apart drift and fill each other's stalls. On devices without mbarriers: the whole block.
struct NeighbourBarrier {
  unsigned own;  ///< shared address; those of the warps beside are 8 bytes before and after
  unsigned parity = 0;

  __device__ NeighbourBarrier(void* first, int warp, int warps)
      : own(static_cast<unsigned>(__cvta_generic_to_shared(first)) + 8 * (warp + 1)) {
#if __CUDA_ARCH__ >= 800
    if (threadIdx.x == 32 * warp) {
      int const beside = (warp > 0) + (warp < warps - 1);
      asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(own), "r"(1 + beside) : "memory");
      // two stand outside the row of warps: nobody waits there, but edge warps arrive
      if (warp == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(own - 8) : "memory");
      if (warp == warps - 1) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(own + 8) : "memory");
      }
    }
    __syncthreads();
#endif
  }
  __device__ void arrive(int lane) const {
#if __CUDA_ARCH__ >= 800
    __syncwarp();
    if (lane < 3) {
      asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(own + 8 * lane - 8)
                   : "memory");
    }
#endif
  }
  __device__ void wait() {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "{ .reg .pred p;\n"
        "again: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n"
        "@!p bra again;\n}" ::"r"(own),
        "r"(parity)
        : "memory");
#elif __CUDA_ARCH__ >= 800
    asm volatile(
        "{ .reg .pred p;\n"
        "again: mbarrier.test_wait.parity.shared.b64 p, [%0], %1;\n"
        "@!p bra again;\n}" ::"r"(own),
        "r"(parity)
        : "memory");
#else
    __syncthreads();
#endif
    parity ^= 1;
  }
};

template <class Rule, class S, bool has_source, bool has_change>
__global__ void __launch_bounds__(S::threads, 1)
    sweep(Rule const rule, Work<typename Rule::Real> const work) {
  using Real = typename Rule::Real;
  using T = Tile<Real, S>;
  using Vector = Quad<Real>;
  constexpr int steps = S::steps;
  constexpr int rows = S::rows;
  constexpr int vector = T::vector;

  extern __shared__ __align__(128) char shared[];
  int const lane = threadIdx.x % 32;
  int const warp = threadIdx.x / 32;
  NeighbourBarrier barrier(shared + T::ring_bytes + T::edge_bytes, warp, S::warps);

  // Where this thread's points lie, and which planes the block writes.
  int const tile = blockIdx.x;
  int const useful_x = work.first_x + tile % work.tiles_x * T::useful_x;
  int const useful_y =
      work.region.y.lower + tile / work.tiles_x % work.tiles_y * T::useful_y;
  int const z_lower = work.region.z.lower + tile / (work.tiles_x * work.tiles_y) * work.chunk;
  int const z_upper = min(z_lower + work.chunk, work.region.z.upper);
  int const x = useful_x - T::margin_x + lane * vector;
  int const y = useful_y - steps + warp * rows;

  // What may be loaded, changed and stored. Points from which no written point can be reached
  // count as free.
  int const x_store_upper = min(useful_x + T::useful_x, work.region.x.upper);
  int const x_store_lower = max(useful_x, work.region.x.lower);
  int const y_store_upper = min(useful_y + T::useful_y, work.region.y.upper);
  constexpr int reach = steps - 1;
  unsigned load_mask = 0, store_mask = 0, free_mask = 0, x_store_mask = 0;
#pragma unroll
  for (int v = 0; v < vector; ++v) {
    x_store_mask |= unsigned(x_store_lower <= x + v && x + v < x_store_upper) << v;
  }
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    bool const column = x + vector > work.exists.x.lower && x < work.exists.x.upper;
    load_mask |= unsigned(column && work.exists.y.contains(y + r)) << r;
    bool const stored = useful_y <= y + r && y + r < y_store_upper && x_store_mask != 0;
    store_mask |= unsigned(stored) << r;
    bool const row_matters = useful_y - reach <= y + r && y + r < y_store_upper + reach;
#pragma unroll
    for (int v = 0; v < vector; ++v) {
      bool const matters =
          row_matters && x_store_lower - reach <= x + v && x + v < x_store_upper + reach;
      bool const is_free = work.free.x.contains(x + v) && work.free.y.contains(y + r);
      free_mask |= unsigned(is_free || !matters) << (r * vector + v);
    }
  }
  constexpr unsigned all_rows = (1u << rows) - 1;
  constexpr unsigned all_points = rows * vector == 32 ? ~0u : (1u << (rows * vector)) - 1;
  constexpr unsigned all_columns = (1u << vector) - 1;
  bool const plain = __all_sync(~0u, load_mask == all_rows && free_mask == all_points &&
                                         (store_mask == 0 || x_store_mask == all_columns));
  int const z_first = z_lower - steps;
  int const z_end = z_upper + steps;
  int const plain_lower = !plain                                    ? INT_MAX
                          : work.free.z.lower <= z_lower - reach ? z_first
                                                                    : work.free.z.lower + steps;
  int const plain_upper =
      work.free.z.upper >= z_upper + reach ? z_end : min(z_end, work.free.z.upper + 1);

  // Shared memory: the ring of input planes, then the edge rows of the other levels.
  int const ring_own = T::row_bytes + warp * rows * T::row_bytes + lane * 16;
  int const ring_last = ring_own + (S::ring - 1) * T::plane_bytes;
  auto const next_slot = [&](int slot) {
    return slot == ring_last ? ring_own : slot + T::plane_bytes;
  };
  auto const at_shared = [&](int offset) { return reinterpret_cast<Vector*>(shared + offset); };
  unsigned const shared_base = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  int const edge_own = T::ring_bytes + 2 * warp * T::row_bytes + lane * 16;

  Real const* in = work.in + x + y * work.in_row + z_first * work.in_plane;
  Real* out = work.out + x + y * work.out_row + (z_first - steps) * work.out_plane;

  int z_load = z_first;
  int slot_load = ring_own;
  auto const start_load = [&](auto is_plain) {
    if (z_load < z_end && work.exists.z.contains(z_load)) {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        if (decltype(is_plain)::value || (load_mask >> r & 1)) {
          copy_async(shared_base + slot_load + r * T::row_bytes, in + r * work.in_row);
        }
      }
    }
    copy_commit();
    in += work.in_plane;
    slot_load = next_slot(slot_load);
    ++z_load;
  };
#pragma unroll
  for (int i = 0; i < S::ahead; ++i) start_load(std::false_type{});

  Vector before[steps][rows];  // plane z - 2 - level of each level
  Vector here[steps][rows];    // plane z - 1 - level
#pragma unroll
  for (int level = 0; level < steps; ++level) {
#pragma unroll
    for (int r = 0; r < rows; ++r) before[level][r] = here[level][r] = Vector{};
  }
  int slot = ring_own;                                      // of plane z
  int slot_here = ring_last;                                // of plane z - 1
  int slot_before = ring_last - T::plane_bytes;             // of plane z - 2
  int edges = 0;                                            // offset of the half now written
  constexpr int other_half = T::edge_levels * T::edge_plane_bytes;
  double sum_of_squares = 0.0;
  Real largest = 0;
  int z = z_first;

  auto const advance = [&](auto is_plain) {
    constexpr bool plain_code = decltype(is_plain)::value;
    start_load(is_plain);
    copy_wait<S::ahead>();
    Vector above[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) above[r] = *at_shared(slot + r * T::row_bytes);
#pragma unroll
    for (int level = 0; level < steps; ++level) {
      if constexpr (S::low >= 2) {
        if (level == 0) {
#pragma unroll
          for (int r = 0; r < rows; ++r) here[0][r] = *at_shared(slot_here + r * T::row_bytes);
        }
      }
      if constexpr (S::low >= 1) {
        if (level == 0) {
#pragma unroll
          for (int r = 0; r < rows; ++r) before[0][r] = *at_shared(slot_before + r * T::row_bytes);
        }
      }
      Vector south, north;
      if (S::low >= 1 && level == 0) {
        south = *at_shared(slot_here - T::row_bytes);
        north = *at_shared(slot_here + rows * T::row_bytes);
      } else {
        int const plane = edge_own + (level - (S::low >= 1)) * T::edge_plane_bytes;
        south = *at_shared(plane + other_half - edges);
        north = *at_shared(plane + other_half - edges + 3 * T::row_bytes);
        *at_shared(plane + edges + T::row_bytes) = above[0];
        *at_shared(plane + edges + 2 * T::row_bytes) = above[rows - 1];
      }
      int const z_here = z - 1 - level;
      unsigned const mask = plain_code || work.free.z.contains(z_here) ? free_mask : 0;
      Vector after[rows];
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        Real const west = __shfl_up_sync(~0u, here[level][r].v[vector - 1], 1);
        Real const east = __shfl_down_sync(~0u, here[level][r].v[0], 1);
        Vector extra{};
        if constexpr (has_source) {
          bool const there = work.source_exists.z.contains(z_here) &&
                             work.source_exists.y.contains(y + r) &&
                             x + vector > work.source_exists.x.lower &&
                             x < work.source_exists.x.upper;
          if (there) {
            extra = *reinterpret_cast<Vector const*>(work.source + x + (y + r) * work.source_row +
                                                     z_here * work.source_plane);
          }
        }
#pragma unroll
        for (int v = 0; v < vector; ++v) {
          auto const value = [&](int di, int dj, int dk) {
            if (dk != 0) return dk < 0 ? before[level][r].v[v] : above[r].v[v];
            if (dj < 0) return r > 0 ? here[level][r > 0 ? r - 1 : 0].v[v] : south.v[v];
            if (dj > 0) return r < rows - 1 ? here[level][r < rows - 1 ? r + 1 : 0].v[v] : north.v[v];
            if (di < 0) return v > 0 ? here[level][r].v[v > 0 ? v - 1 : 0] : west;
            if (di > 0) {
              return v < vector - 1 ? here[level][r].v[v < vector - 1 ? v + 1 : 0] : east;
            }
            return here[level][r].v[v];
          };
          Real result = rule(value);
          if constexpr (has_source) result = result + extra.v[v];
          if constexpr (!plain_code) {
            if (!(mask >> (r * vector + v) & 1)) result = here[level][r].v[v];
          }
          after[r].v[v] = result;
        }
      }
      if constexpr (has_change) {
        if (level == steps - 1 && z_lower <= z_here && z_here < z_upper) {
#pragma unroll
          for (int r = 0; r < rows; ++r) {
#pragma unroll
            for (int v = 0; v < vector; ++v) {
              bool const counts = (store_mask >> r & 1) && (x_store_mask >> v & 1);
              Real const difference = after[r].v[v] - here[level][r].v[v];
              Real const size = counts ? abs(difference) : Real(0);
              if (!(size <= largest)) largest = size;
              sum_of_squares = fma(double(size), double(size), sum_of_squares);
            }
          }
        }
      }
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        before[level][r] = here[level][r];
        here[level][r] = above[r];
        above[r] = after[r];
      }
    }
    barrier.arrive(lane);
    int const z_out = z - steps;
    if (z_lower <= z_out && z_out < z_upper) {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        if (store_mask >> r & 1) {
          Real* const to = out + r * work.out_row;
          if (plain_code || x_store_mask == all_columns) {
            store_global(to, above[r]);
          } else {
#pragma unroll
            for (int v = 0; v < vector; ++v) {
              if (x_store_mask >> v & 1) to[v] = above[r].v[v];
            }
          }
        }
      }
    }
    out += work.out_plane;
    slot_before = slot_here;
    slot_here = slot;
    slot = next_slot(slot);
    edges = other_half - edges;
    ++z;
    barrier.wait();
  };

  while (z < z_end) {
    if (plain_lower <= z && z + S::unroll <= plain_upper) {
      do {
#pragma unroll
        for (int i = 0; i < S::unroll; ++i) advance(std::true_type{});
      } while (z + S::unroll <= plain_upper);
    } else {
      advance(std::false_type{});
    }
  }

  if constexpr (has_change) {
    __syncthreads();
    double* const partial = reinterpret_cast<double*>(shared);
    double most = largest;
    for (int distance = 16; distance > 0; distance /= 2) {
      double const other = __shfl_xor_sync(~0u, most, distance);
      if (!(other <= most)) most = other;
      sum_of_squares += __shfl_xor_sync(~0u, sum_of_squares, distance);
    }
    if (lane == 0) {
      partial[2 * warp] = most;
      partial[2 * warp + 1] = sum_of_squares;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int w = 1; w < S::warps; ++w) {
        if (!(partial[2 * w] <= most)) most = partial[2 * w];
        sum_of_squares += partial[2 * w + 1];
      }
      atomicMax(reinterpret_cast<unsigned long long*>(&work.change->largest),
                static_cast<unsigned long long>(__double_as_longlong(most)));
      atomicAdd(&work.change->sum_of_squares, sum_of_squares);
    }
  }
}

}  // namespace isotherm::cuda::temporal_3d
