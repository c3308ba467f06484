#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/cuda/check.hpp"
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
  static constexpr int barrier_bytes = 8 * (S::warps + 1);
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
/// further apart drift and fill each other's stalls. One barrier stands between two warps: neither
/// can arrive a second time before the other has arrived once. On devices without mbarriers: the
/// whole block waits.
struct NeighbourBarrier {
  unsigned below;  ///< shared address of the barrier towards warp - 1; the next is towards warp + 1
  unsigned parity = 0;

  __device__ NeighbourBarrier(void* first, int warp, int warps)
      : below(static_cast<unsigned>(__cvta_generic_to_shared(first)) + 8 * warp) {
#if __CUDA_ARCH__ >= 800
    if (threadIdx.x <= warps) {
      int const sides = threadIdx.x == 0 || threadIdx.x == warps ? 1 : 2;
      asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(below + 8 * threadIdx.x), "r"(sides)
                   : "memory");
    }
    __syncthreads();
#endif
  }
  __device__ void arrive(int lane) const {
#if __CUDA_ARCH__ >= 800
    __syncwarp();
    if (lane < 2) {
      asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(below + 8 * lane)
                   : "memory");
    }
#endif
  }
  __device__ void wait() {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "{ .reg .pred p;\n"
        "first: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n"
        "@!p bra first;\n"
        "second: mbarrier.try_wait.parity.shared.b64 p, [%0+8], %1;\n"
        "@!p bra second;\n}" ::"r"(below),
        "r"(parity)
        : "memory");
#elif __CUDA_ARCH__ >= 800
    asm volatile(
        "{ .reg .pred p;\n"
        "first: mbarrier.test_wait.parity.shared.b64 p, [%0], %1;\n"
        "@!p bra first;\n"
        "second: mbarrier.test_wait.parity.shared.b64 p, [%0+8], %1;\n"
        "@!p bra second;\n}" ::"r"(below),
        "r"(parity)
        : "memory");
#else
    __syncthreads();
#endif
    parity ^= 1;
  }
};

/// What a warp has to look at while it advances a plane.
enum class Mode {
  interior,  ///< all its points are free and all that it stores lies in the region
  columns,   ///< likewise, but for columns of points that are not free
  any        ///< all cases
};
using Interior = std::integral_constant<Mode, Mode::interior>;
using Columns = std::integral_constant<Mode, Mode::columns>;
using Any = std::integral_constant<Mode, Mode::any>;

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
  // read from a lane, so that the compiler knows it to be the same for all of them
  int const warp = __shfl_sync(~0u, threadIdx.x / 32, 0);
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
  unsigned load_mask = 0, store_mask = 0, x_store_mask = 0, row_mask = 0;
  unsigned column_mask = 0;
#pragma unroll
  for (int v = 0; v < vector; ++v) {
    x_store_mask |= unsigned(x_store_lower <= x + v && x + v < x_store_upper) << v;
    bool const matters = x_store_lower - reach <= x + v && x + v < x_store_upper + reach;
    column_mask |= unsigned(!matters || work.free.x.contains(x + v)) << v;
  }
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    bool const column = x + vector > work.exists.x.lower && x < work.exists.x.upper;
    load_mask |= unsigned(column && work.exists.y.contains(y + r)) << r;
    bool const stored = useful_y <= y + r && y + r < y_store_upper && x_store_mask != 0;
    store_mask |= unsigned(stored) << r;
    bool const matters = useful_y - reach <= y + r && y + r < y_store_upper + reach;
    row_mask |= unsigned(!matters || work.free.y.contains(y + r)) << r;
  }
  constexpr unsigned all_rows = (1u << rows) - 1;
  constexpr unsigned all_columns = (1u << vector) - 1;
  bool const whole =
      __all_sync(~0u, load_mask == all_rows && (store_mask == 0 || x_store_mask == all_columns));
  bool const plain = __all_sync(~0u, column_mask == all_columns);
  int const z_first = z_lower - steps;
  int const z_end = z_upper + steps;
  int const plain_lower = !whole || row_mask != all_rows           ? INT_MAX
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
  auto const start_load = [&](auto mode) {
    if (z_load < z_end && work.exists.z.contains(z_load)) {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        if (decltype(mode)::value != Mode::any || (load_mask >> r & 1)) {
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
  for (int i = 0; i < S::ahead; ++i) start_load(Any{});

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

  auto const advance = [&](auto mode_of) {
    constexpr Mode mode = decltype(mode_of)::value;
    start_load(mode_of);
    copy_wait<S::ahead>();
    Vector above[rows];
#pragma unroll
    for (int level = 0; level < steps; ++level) {
      bool const from_ring = S::low >= 1 && level == 0;
      bool const here_from_ring = S::low >= 2 && level == 0;
      int const z_here = z - 1 - level;
      Vector south, north, centre, next;
      if (from_ring) {
        south = *at_shared(slot_here - T::row_bytes);
        north = *at_shared(slot_here + rows * T::row_bytes);
      } else {
        int const plane = edge_own + (level - (S::low >= 1)) * T::edge_plane_bytes;
        south = *at_shared(plane + other_half - edges);
        north = *at_shared(plane + other_half - edges + 3 * T::row_bytes);
      }
      centre = here_from_ring ? *at_shared(slot_here) : here[level][0];
      unsigned const free_rows =
          mode == Mode::any && !work.free.z.contains(z_here) ? 0u : row_mask;
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        if (level == 0) above[r] = *at_shared(slot + r * T::row_bytes);
        if (!from_ring) {
          int const plane = edge_own + (level - (S::low >= 1)) * T::edge_plane_bytes + edges;
          if (r == 0) *at_shared(plane + T::row_bytes) = above[0];
          if (r == rows - 1) *at_shared(plane + 2 * T::row_bytes) = above[rows - 1];
        }
        Vector const below =
            from_ring ? *at_shared(slot_before + r * T::row_bytes) : before[level][r];
        int const up = r < rows - 1 ? r + 1 : r;
        next = r == rows - 1   ? north
               : here_from_ring ? *at_shared(slot_here + up * T::row_bytes)
                                : here[level][up];
        Vector after;
        unsigned const free_columns =
            mode == Mode::any && !(free_rows >> r & 1) ? 0u : column_mask;
        {
          Real const west = __shfl_up_sync(~0u, centre.v[vector - 1], 1);
          Real const east = __shfl_down_sync(~0u, centre.v[0], 1);
          [[maybe_unused]] Vector extra{};
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
            Real result = rule([&](int di, int dj, int dk) {
              if (dk != 0) return dk < 0 ? below.v[v] : above[r].v[v];
              if (dj != 0) return dj < 0 ? south.v[v] : next.v[v];
              if (di < 0) return v > 0 ? centre.v[v > 0 ? v - 1 : 0] : west;
              if (di > 0) return v < vector - 1 ? centre.v[v < vector - 1 ? v + 1 : 0] : east;
              return centre.v[v];
            });
            if constexpr (has_source) result = result + extra.v[v];
            after.v[v] = mode == Mode::interior || (free_columns >> v & 1) ? result : centre.v[v];
          }
        }
        if constexpr (has_change) {
          if (level == steps - 1 && (store_mask >> r & 1) && z_lower <= z_here &&
              z_here < z_upper) {
#pragma unroll
            for (int v = 0; v < vector; ++v) {
              Real const size = abs(after.v[v] - centre.v[v]);
              if ((x_store_mask >> v & 1) && (free_columns >> v & 1)) {
                if (!(size <= largest)) largest = size;
                sum_of_squares = fma(double(size), double(size), sum_of_squares);
              }
            }
          }
        }
        if (!from_ring) before[level][r] = centre;
        if (!here_from_ring) here[level][r] = above[r];
        above[r] = after;
        south = centre;
        centre = next;
      }
    }
    barrier.arrive(lane);
    int const z_out = z - steps;
    if (z_lower <= z_out && z_out < z_upper) {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        if (store_mask >> r & 1) {
          Real* const to = out + r * work.out_row;
          if (mode != Mode::any || x_store_mask == all_columns) {
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
      int const turns = (plain_upper - z) / S::unroll;
      if (plain) {
        for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
          for (int i = 0; i < S::unroll; ++i) advance(Interior{});
        }
      } else {
        for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
          for (int i = 0; i < S::unroll; ++i) advance(Columns{});
        }
      }
    } else {
      advance(Any{});
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

/// Planes a block writes: as many as fill the device's multiprocessors evenly, since each block
/// spends `2 * steps` planes more on its way in and out.
inline int choose_chunk(std::int64_t columns, int planes, int steps, int multiprocessors) {
  int best = planes;
  double best_cost = 1e300;
  for (int parts = 1; parts <= std::max(1, planes / 8); ++parts) {
    int const chunk = (planes + parts - 1) / parts;
    double const turns =
        std::ceil(double(columns) * ((planes + chunk - 1) / chunk) / multiprocessors);
    double const cost = turns * (chunk + 2 * steps + 6);
    if (cost < best_cost) {
      best_cost = cost;
      best = chunk;
    }
  }
  return best;
}

inline int multiprocessor_count() {
  int device = 0;
  int count = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

inline Range range_of(std::int64_t lower, std::int64_t upper) {
  constexpr std::int64_t bound = 1 << 30;
  return {static_cast<int>(std::clamp(lower, -bound, bound)),
          static_cast<int>(std::clamp(upper, -bound, bound))};
}
inline Box3 box_of(LocalBox const& box) {
  return {range_of(box.lower.x, box.upper.x), range_of(box.lower.y, box.upper.y),
          range_of(box.lower.z, box.upper.z)};
}

template <class Real, class S>
Work<Real> work_of(Pass<Real> const& pass) {
  using T = Tile<Real, S>;
  Work<Real> work{};
  work.in = pass.in.origin;
  work.out = pass.out.origin;
  work.source = pass.source.origin;
  work.in_row = pass.in.stride_y;
  work.in_plane = pass.in.stride_z;
  work.out_row = pass.out.stride_y;
  work.out_plane = pass.out.stride_z;
  work.source_row = pass.source.stride_y;
  work.source_plane = pass.source.stride_z;
  work.exists = box_of(pass.in.box);
  work.region = box_of(pass.region);
  work.free = box_of(pass.free);
  work.source_exists = box_of(pass.source.box);
  work.change = pass.change;
  work.first_x = work.region.x.lower & ~(T::vector - 1);
  work.tiles_x = (work.region.x.upper - work.first_x + T::useful_x - 1) / T::useful_x;
  work.tiles_y =
      (work.region.y.upper - work.region.y.lower + T::useful_y - 1) / T::useful_y;
  work.chunk = choose_chunk(std::int64_t{work.tiles_x} * work.tiles_y,
                            work.region.z.upper - work.region.z.lower, S::steps,
                            multiprocessor_count());
  return work;
}

template <class Rule, class S, bool has_source, bool has_change>
void start(cudaStream_t stream, Rule const& rule, Pass<typename Rule::Real> const& pass) {
  using Real = typename Rule::Real;
  if (pass.region.empty()) return;
  auto const kernel = sweep<Rule, S, has_source, has_change>;
  constexpr int shared_bytes = Tile<Real, S>::shared_bytes;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  Work<Real> const work = work_of<Real, S>(pass);
  int const planes = work.region.z.upper - work.region.z.lower;
  std::int64_t const blocks =
      std::int64_t{work.tiles_x} * work.tiles_y * ((planes + work.chunk - 1) / work.chunk);
  require(blocks <= INT_MAX, "a pass of more than 2^31 tiles (a device takes fewer blocks)");
  kernel<<<static_cast<unsigned>(blocks), S::threads, shared_bytes, stream>>>(rule, work);
  check_launch();
}

/// Picks the kernel compiled for what the pass has, so that an absent source or norm costs nothing.
template <class Rule, class S>
void launch(cudaStream_t stream, Rule const& rule, Pass<typename Rule::Real> const& pass) {
  auto const started = pass.change != nullptr
                           ? (pass.source ? start<Rule, S, true, true>
                                          : start<Rule, S, false, true>)
                           : (pass.source ? start<Rule, S, true, false>
                                          : start<Rule, S, false, false>);
  started(stream, rule, pass);
}

/// Adds a shape to the list, unless the current device has too little shared memory for it.
template <class Rule, class S>
void offer(std::vector<Variant<Rule>>& variants) {
  int device = 0;
  int most_shared_bytes = 0;
  bool const known = cudaGetDevice(&device) == cudaSuccess &&
                     cudaDeviceGetAttribute(&most_shared_bytes,
                                            cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                            device) == cudaSuccess;
  if (!known) (void)cudaGetLastError();
  if (known && most_shared_bytes < Tile<typename Rule::Real, S>::shared_bytes) return;
  variants.push_back({"temporal-3d t" + std::to_string(S::steps) + " " +
                          std::to_string(S::warps) + "x" + std::to_string(S::rows),
                      S::steps, launch<Rule, S>});
}

}  // namespace isotherm::cuda::temporal_3d
