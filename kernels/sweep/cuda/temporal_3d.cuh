#pragma once

// Several steps of a 3D rule in one pass over memory.
//
// A block streams along z. Its tile is 512 bytes wide (128 float32 or 64 float64 points, 16 bytes a
// lane) and warps x rows high; a cluster of blocks lies one above the other in y:
//
//     y ^   +--------------------------+   margin of `steps` rows: read, not stored
//       |   |  +--------------------+  |
//       |   |  |  useful points     |  |   block 1   warp W-1: rows x 32 lanes
//       |   |  |                    |  |             ...
//       |   |--|--------------------|--|   edges sent through distributed shared memory
//       |   |  |                    |  |   block 0   ...
//       |   |  +--------------------+  |             warp 0
//       |   +--------------------------+
//       +-------------------------------> x          margin_x: whole vectors
//
// While input plane z arrives, level l (l steps done) is at plane z - l, and its centre at plane
// z - l - 1:
//
//     level 0   before, here: ring of input planes in shared memory, filled by asynchronous copies
//     level l   before (z - l - 2), here (z - l - 1): registers; above (z - l): just computed
//     x neighbours: shuffles    y neighbours: registers, a warp's edge rows through shared memory
//
// One synchronisation a plane, and only with the warps beside: warps drift apart by up to a plane
// each and fill each other's stalls.
//
// There are as many blocks as run at a time, and each gets planes that take it equally long
// (TileTask), so the slowest one counts. Tiles at the edges must therefore take no longer than
// others: by what a warp has to look at there are four copies of its loop (Mode), and the common
// ones hold no test that they do not need.
//
// Counted for t = 4, 12 x 3, cluster of 2, float32: useful share (1 - 8/128)(1 - 8/72) = 0.83.
// Memory moves 4 (1 / 0.83 + 1) = 8.8 bytes a point and pass at most (halos mostly hit L2), 2.2 a
// step: 3.6 times a copy-bound sweep. Six floating-point operations an update, about 10.4
// instructions, and 12 bytes of shared memory; float64 twice the bytes, 17 instructions and 24
// bytes of shared memory. What counts most: no spilled registers in the inner loop (a spill costs a
// trip to L2, the first level cache being shared memory), loops under 24 KB of code, stores that
// begin at a sector.

#include <cuda_runtime.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/range.hpp"
#include "kernels/core/error.hpp"
#include "kernels/sweep/cuda/change.cuh"
#include "kernels/sweep/cuda/forwards.cuh"
#include "kernels/sweep/cuda/resident_blocks.cuh"
#include "kernels/sweep/cuda/shares.hpp"
#include "kernels/sweep/cuda/variant.hpp"
#include "kernels/sweep/cuda/vector.cuh"

namespace isotherm::cuda::temporal_3d {

/// The shape of a block's tile.
template <int Steps, int Warps, int Rows, int Ring, int Unroll, int Cluster = 1>
struct Shape {
  static constexpr int steps = Steps;
  static constexpr int warps = Warps;
  static constexpr int rows = Rows;        ///< of a thread
  static constexpr int ring = Ring;        ///< input planes in shared memory
  static constexpr int unroll = Unroll;    ///< planes a turn of the loop; more needs registers
  static constexpr int cluster = Cluster;  ///< blocks, side by side in y, that share their edges
  static constexpr int threads = 32 * Warps;
  static constexpr int height = Warps * Rows;
  static constexpr int ahead = Ring - 2;  ///< planes loaded before they are used
  using Rolled = Shape<Steps, Warps, Rows, Ring, 1, Cluster>;
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
  Forwards forwards;     ///< along z
  int first_x, first_y;  ///< of tiles with their margins
  int tiles_x, tiles_y;
};

template <class S, int SentBytes>
class NeighbourBarrier;

#if defined(ISOTHERM_BLOCK_BARRIERS)
constexpr bool has_neighbour_barriers = false;
#else
constexpr bool has_neighbour_barriers = true;
#endif
#if __CUDA_ARCH__ >= 800 && !defined(ISOTHERM_BLOCK_BARRIERS)
#define ISOTHERM_NEIGHBOUR_BARRIERS 1
#else
#define ISOTHERM_NEIGHBOUR_BARRIERS 0
#endif

template <class Real, class S>
struct Tile {
  static constexpr int vector = Vector<Real>::width;
  static constexpr int width = 32 * vector;
  static constexpr int margin_x = (S::steps + vector - 1) / vector * vector;
  static constexpr int useful_x = width - 2 * margin_x;
  static constexpr int useful_y = S::cluster * S::height - 2 * S::steps;  ///< of a cluster
  static constexpr int row_bytes = 512;
  static constexpr int plane_bytes = (S::height + (S::cluster > 1 ? 2 : 0)) * row_bytes;
  /// one row before and after the ring that only absorbs the outermost warps' edge reads
  static constexpr int ring_bytes = S::ring * plane_bytes + 2 * row_bytes;
  static constexpr int edge_levels = S::steps - 1;
  static constexpr int edge_plane_bytes = (2 * S::warps + 2) * row_bytes;
  static constexpr int edge_bytes = 2 * edge_levels * edge_plane_bytes;
  using Barrier = NeighbourBarrier<S, (S::steps - 1) * row_bytes>;
  static constexpr int shared_bytes =
      ring_bytes + edge_bytes + (Barrier::shared_bytes + 15) / 16 * 16;
  static_assert(useful_x > 0 && useful_y > 0 && useful_x * sizeof(Real) % 32 == 0);
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

__device__ inline void store_global(float* to, Vector<float> const& q) {
  *reinterpret_cast<float4*>(to) = make_float4(q.v[0], q.v[1], q.v[2], q.v[3]);
}
__device__ inline void store_global(double* to, Vector<double> const& q) {
  *reinterpret_cast<double2*>(to) = make_double2(q.v[0], q.v[1]);
}

__device__ inline unsigned shared_address(void const* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

/// Blocks of a cluster: which one this is, the others' shared memory, and a barrier for all.
template <int Blocks>
struct Cluster {
  __device__ static int rank() { return static_cast<int>(blockIdx.x % Blocks); }
  __device__ static unsigned address_in(int other, unsigned address) {
    unsigned there = 0;
#if __CUDA_ARCH__ >= 900
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(other));
#endif
    return there;
  }
  __device__ static void synchronize() {
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

/// Sends a vector to another block's shared memory; `barrier` there counts the bytes that arrive.
__device__ inline void send(unsigned to, unsigned barrier, Vector<float> const& q) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1,%2,%3,%4}, "
      "[%5];" ::"r"(to),
      "f"(q.v[0]), "f"(q.v[1]), "f"(q.v[2]), "f"(q.v[3]), "r"(barrier)
      : "memory");
#endif
}
__device__ inline void send(unsigned to, unsigned barrier, Vector<double> const& q) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f64 [%0], {%1,%2}, [%3];" ::
          "r"(to),
      "d"(q.v[0]), "d"(q.v[1]), "r"(barrier)
      : "memory");
#endif
}

/// Holds a warp back only until the warps beside it have finished the same plane, so that warps
/// further apart drift and fill each other's stalls. Between two warps stand two barriers, used in
/// turn. Where the warps belong to two blocks of a cluster each block has its own pair, which
/// counts the bytes that the other sends. It begins to expect them two planes ahead, before the
/// other can send them: a count that goes below zero was seen to hang a device. On devices without
/// such barriers the whole block waits, and in builds with ISOTHERM_BLOCK_BARRIERS, for tools that
/// do not follow barriers between two warps; these have no clusters.
template <class S, int SentBytes>
class NeighbourBarrier {
 public:
  static constexpr int shared_bytes = 2 * 8 * (S::warps + 1);

  __device__ NeighbourBarrier(void* first, int warp) : below_(shared_address(first) + 8 * warp) {
#if ISOTHERM_NEIGHBOUR_BARRIERS
    using Blocks = Cluster<S::cluster>;
    int const rank = Blocks::rank();
    if (threadIdx.x <= S::warps) {
      bool const block_border =
          (threadIdx.x == 0 && rank > 0) || (threadIdx.x == S::warps && rank < S::cluster - 1);
      bool const border = threadIdx.x == 0 || threadIdx.x == S::warps;
      unsigned const barrier = below_ + 8 * threadIdx.x;
      initialize(barrier, border ? 1 : 2);
      initialize(barrier + other_pair, border ? 1 : 2);
      if (block_border) {  // nothing is awaited from another block before the first plane
        arrive_at(barrier + other_pair);
        expect_at(barrier);
      }
    }
    if (S::cluster > 1 && warp == 0 && rank > 0) {
      remote_ = Blocks::address_in(rank - 1, below_ + 8 * S::warps);
      expecting_ = below_;
    }
    if (S::cluster > 1 && warp == S::warps - 1 && rank < S::cluster - 1) {
      remote_ = Blocks::address_in(rank + 1, below_ - 8 * warp);
      expecting_ = below_ + 8;
    }
    Blocks::synchronize();
#endif
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
#if ISOTHERM_NEIGHBOUR_BARRIERS && __CUDA_ARCH__ >= 900
    asm volatile(
        "{ .reg .pred p;\n"
        "first: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n"
        "@!p bra first;\n"
        "second: mbarrier.try_wait.parity.shared.b64 p, [%0+8], %1;\n"
        "@!p bra second;\n}" ::"r"(below_ + before),
        "r"(parity_)
        : "memory");
#elif ISOTHERM_NEIGHBOUR_BARRIERS
    asm volatile(
        "{ .reg .pred p;\n"
        "first: mbarrier.test_wait.parity.shared.b64 p, [%0], %1;\n"
        "@!p bra first;\n"
        "second: mbarrier.test_wait.parity.shared.b64 p, [%0+8], %1;\n"
        "@!p bra second;\n}" ::"r"(below_ + before),
        "r"(parity_)
        : "memory");
#else
    __syncthreads();
#endif
    if constexpr (S::cluster > 1) {
      // A lane that still waited would miss this turn's end if the next but one ended too.
      __syncwarp();
      if (remote_ != 0 && lane == 0) expect_at(expecting_ + before);
    }
  }

  /// After the last use of arrive, send and wait for a plane.
  __device__ void next_plane() {
    parity_ ^= turn_ != 0;
    turn_ = other_pair - turn_;
  }

 private:
  static constexpr unsigned other_pair = 8 * (S::warps + 1);

  __device__ void arrive_for(int lane, unsigned turn) const {
#if ISOTHERM_NEIGHBOUR_BARRIERS
    __syncwarp();
    if (lane < 2 && (S::cluster == 1 || below_ + 8 * lane != expecting_)) {
      arrive_at(below_ + 8 * lane + turn);
    }
#endif
  }
  __device__ static void initialize(unsigned barrier, int arrivals) {
#if ISOTHERM_NEIGHBOUR_BARRIERS
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
#endif
  }
  __device__ static void arrive_at(unsigned barrier) {
#if ISOTHERM_NEIGHBOUR_BARRIERS
    asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(barrier) : "memory");
#endif
  }
  __device__ static void expect_at(unsigned barrier) {
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "n"(SentBytes)
                 : "memory");
#endif
  }

  unsigned below_;  ///< shared address of the barrier towards warp - 1; the next: towards warp + 1
  unsigned remote_ = 0;     ///< the other block's, or none
  unsigned expecting_ = 0;  ///< this block's, towards another one
  unsigned turn_ = 0;       ///< offset of those of the pairs that belong to this plane
  unsigned parity_ = 0;
};

/// What a warp has to look at while it advances a plane.
enum class Mode {
  interior,  ///< all its points exist and are free, and all that it stores lies in the region
  ends,      ///< likewise, but columns at either end of a lane may not be free, and rows not exist
  edges,     ///< any columns and rows
  any        ///< any planes too: those that are not free, do not exist, or are forwarded
};
using Interior = std::integral_constant<Mode, Mode::interior>;
using Ends = std::integral_constant<Mode, Mode::ends>;
using Edges = std::integral_constant<Mode, Mode::edges>;
using Any = std::integral_constant<Mode, Mode::any>;

/// What is known of a thread's rows and columns, in one register.
struct Masks {
  unsigned bits = 0;
  struct Part {
    int first, count;
  };
  static constexpr Part loaded_row{0, 5}, loaded_shared_row{5, 1}, stored_row{6, 5};
  static constexpr Part free_row{11, 5}, stored_column{16, 4}, free_column{20, 4};

  __device__ void set(Part part, int i, bool value) { bits |= unsigned(value) << (part.first + i); }
  __device__ bool has(Part part, int i = 0) const { return bits >> (part.first + i) & 1; }
  /// Left to itself the compiler takes the bits apart before the loop, and spills some of them.
  __device__ void keep_together() { asm volatile("" : "+r"(bits)); }
  __device__ unsigned get(Part part) const { return bits >> part.first & ((1u << part.count) - 1); }
};

/// How many planes can be advanced from now on without a look at z: a plane that is not free, and
/// matters to one that is stored, is at no level, and all loads are of planes that exist. `stored`
/// as in `sweep`.
template <class S, class Real>
__device__ int quick_planes(Work<Real> const& work, Range planes, int stored) {
  constexpr int reach = S::steps - 1;
  int const z = planes.lower + S::steps + stored;
  bool const free_below = work.free.z.lower <= planes.lower - reach;
  if (z < (free_below ? work.exists.z.lower : work.free.z.lower + S::steps)) return 0;
  bool const free_above = work.free.z.upper >= planes.upper + reach;
  int const end = planes.upper + S::steps;
  bool const all_exist = work.exists.z.upper >= end;  // and no others are loaded
  return min(all_exist ? end : work.exists.z.upper - S::ahead,
             free_above ? end : work.free.z.upper + 1) -
         z;
}

/// How many planes can be stored from now on without one that is forwarded.
template <class Real>
__device__ int planes_before_forward(Work<Real> const& work, int lower, int stored) {
  int const next = lower + max(stored, 0);  // to be stored, after -stored others at first
  if (next < work.forwards.lower_end) return max(-stored, 0);
  return min(work.forwards.upper_begin, INT_MAX / 2) - lower - stored;
}

/// What has to be known before `steps` steps to know `region` after them, along one axis: beyond
/// the first point that is not free nothing matters.
__host__ __device__ inline Range needed(Range region, Range free, int steps) {
  return {std::min(region.lower, std::max(region.lower - steps, free.lower - 1)),
          std::max(region.upper, std::min(region.upper + steps, free.upper + 1))};
}

/// What it costs a block to come to another tile, in planes: it advances 2 * steps without storing
/// one, and waits for the first to be loaded.
template <class S>
constexpr int lost_planes = 2 * S::steps + 2;

template <class Rule, class S, bool has_source, bool has_change>
__global__ void __launch_bounds__(S::threads, 1)
    sweep(Rule const rule, Work<typename Rule::Real> const work) {
  using Real = typename Rule::Real;
  using T = Tile<Real, S>;
  using Vector = cuda::Vector<Real>;
  constexpr int steps = S::steps;
  constexpr int rows = S::rows;
  constexpr int vector = T::vector;

  extern __shared__ __align__(128) char shared[];
  int const lane = threadIdx.x % 32;
  // read from a lane, so that the compiler knows it to be the same for all of them
  int const warp = __shfl_sync(~0u, threadIdx.x / 32, 0);
  using Blocks = Cluster<S::cluster>;
  int const rank = Blocks::rank();
  typename T::Barrier barrier(shared + T::ring_bytes + T::edge_bytes, warp);
  __shared__ TileTask task;  // what is read anew each time needs no register meanwhile

  // Shared memory: the ring of input planes, then the edge rows of the other levels.
  int const own = warp * rows * T::row_bytes + lane * 16;
  int slot = T::row_bytes + own;                                        // of plane z
  int slot_here = T::row_bytes + own + (S::ring - 1) * T::plane_bytes;  // of plane z - 1
  int slot_before = slot_here - T::plane_bytes;                         // of plane z - 2
  auto const after_slot = [&](int at) {
    int const next = at + T::plane_bytes;
    return next >= S::ring * T::plane_bytes + T::row_bytes ? next - S::ring * T::plane_bytes : next;
  };
  auto const at_shared = [&](int offset) { return reinterpret_cast<Vector*>(shared + offset); };
  unsigned const shared_base = shared_address(shared);
  constexpr int half = T::edge_levels * T::edge_plane_bytes;
  int edges_new = T::ring_bytes + 2 * warp * T::row_bytes + lane * 16;  // of planes z - level
  int edges_here = edges_new + half;                                    // of planes z - 1 - level

  // from the edge row that borders on another block to that block's copy
  int const shared_row = S::cluster == 1                                 ? 0
                         : warp == 0 && rank > 0                         ? -1
                         : warp == S::warps - 1 && rank < S::cluster - 1 ? rows
                                                                         : 0;
  unsigned remote_edge = 0;
  if constexpr (S::cluster > 1) {
    if (shared_row != 0) {
      int const towards = shared_row < 0 ? -1 : 1;
      int const to_row = shared_row < 0 ? 2 * S::warps + 1 : 0;
      remote_edge = Blocks::address_in(rank + towards, shared_base) +
                    (to_row - 2 * warp) * T::row_bytes;  // to be added to edges_new
    }
  }

  CompactChange<Real> change;
  barrier.arrive_first(lane);

  if (threadIdx.x == 0) {
    task.open(work.tiles_x * work.tiles_y, work.region.z, lost_planes<S>,
              static_cast<int>(blockIdx.x) / S::cluster, static_cast<int>(gridDim.x) / S::cluster);
  }
#pragma unroll 1
  for (;;) {
    __syncthreads();  // nobody needs the last piece any more
    if (threadIdx.x == 0) task.next();
    __syncthreads();
    int const planes = task.planes.upper - task.planes.lower;  ///< that the block writes
    if (planes == 0) break;
    int const tile_x = task.tile % work.tiles_x;
    int const tile_y = task.tile / work.tiles_x;

    // Where this thread's points lie, and which planes the block writes.
    int const tile_lower_x = work.first_x + tile_x * T::useful_x;
    int const tile_lower_y = work.first_y + tile_y * T::useful_y;
    int const x = tile_lower_x + lane * vector;
    int const y = tile_lower_y + rank * S::height + warp * rows;

    // What may be loaded, changed and stored. Points from which no written point can be reached
    // count as free.
    // the outermost tiles have no margin on their outer side
    int const x_store_lower = tile_x == 0 ? work.region.x.lower : tile_lower_x + T::margin_x;
    int const x_store_upper = tile_x == work.tiles_x - 1
                                  ? work.region.x.upper
                                  : min(tile_lower_x + T::width - T::margin_x, work.region.x.upper);
    int const y_store_lower = tile_y == 0 ? work.region.y.lower : tile_lower_y + steps;
    int const y_store_upper =
        tile_y == work.tiles_y - 1
            ? work.region.y.upper
            : min(tile_lower_y + S::cluster * S::height - steps, work.region.y.upper);
    constexpr int reach = steps - 1;
    Masks masks{};
    Range const near_x = needed({x_store_lower, x_store_upper}, work.free.x, reach);
    Range const near_y = needed({y_store_lower, y_store_upper}, work.free.y, reach);
#pragma unroll
    for (int v = 0; v < vector; ++v) {
      masks.set(Masks::free_column, v, !near_x.contains(x + v) || work.free.x.contains(x + v));
      masks.set(Masks::stored_column, v, x_store_lower <= x + v && x + v < x_store_upper);
    }
    bool const column_exists = x + vector > work.exists.x.lower && x < work.exists.x.upper;
    bool const column_stored = masks.get(Masks::stored_column) != 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      masks.set(Masks::free_row, r, !near_y.contains(y + r) || work.free.y.contains(y + r));
      masks.set(Masks::loaded_row, r, column_exists && work.exists.y.contains(y + r));
      masks.set(Masks::stored_row, r,
                column_stored && y_store_lower <= y + r && y + r < y_store_upper);
    }
    // The first row of the next block: as input it is loaded by both.
    masks.set(Masks::loaded_shared_row, 0,
              shared_row != 0 && column_exists && work.exists.y.contains(y + shared_row));
    constexpr unsigned all_rows = (1u << rows) - 1;
    constexpr unsigned all_columns = (1u << vector) - 1;
    constexpr unsigned end_columns = 1u | 1u << (vector - 1);
    // Found anew whenever it is asked for: one register less while planes are advanced.
    auto const mode_of_warp = [&] {
      unsigned const free_columns = masks.get(Masks::free_column);
      unsigned const stored_columns = masks.get(Masks::stored_column);
      bool const stores_whole = stored_columns == 0 || stored_columns == all_columns;
      bool const rows_free = masks.get(Masks::free_row) == all_rows;
      bool const rows_loaded = masks.get(Masks::loaded_row) == all_rows;
      bool const ends_free = (free_columns | end_columns) == all_columns;
      if (__any_sync(~0u, !ends_free || !rows_free || !stores_whole)) return Mode::edges;
      if (__any_sync(~0u, free_columns != all_columns || !rows_loaded)) return Mode::ends;
      return Mode::interior;
    };
    int const z_first = task.planes.lower - steps;

    Real const* in = work.in + x + y * work.in_row + z_first * work.in_plane;
    Real* out = work.out + x + y * work.out_row + (z_first - steps) * work.out_plane;
    int stored = -2 * steps;  ///< planes; z = z_lower + steps + stored

    auto const start_load = [&](auto mode, int to, int z_load) {
      bool const all_exist = decltype(mode)::value == Mode::interior;
      if (stored + S::ahead < planes &&
          (decltype(mode)::value != Mode::any || work.exists.z.contains(z_load))) {
#pragma unroll
        for (int r = 0; r < rows; ++r) {
          if (all_exist || masks.has(Masks::loaded_row, r)) {
            copy_async(shared_base + to + r * T::row_bytes, in + r * work.in_row);
          }
        }
        if (S::cluster > 1 && masks.has(Masks::loaded_shared_row)) {
          copy_async(shared_base + to + shared_row * T::row_bytes, in + shared_row * work.in_row);
        }
      }
      copy_commit();
      in += work.in_plane;
    };
    int load_to = slot;
#pragma unroll
    for (int i = 0; i < S::ahead; ++i) {
      start_load(Any{}, load_to, z_first + i);
      load_to = after_slot(load_to);
    }
    Vector before[steps][rows];  // plane z - 2 - level of each level
    Vector here[steps][rows];    // plane z - 1 - level
#pragma unroll
    for (int level = 0; level < steps; ++level) {
#pragma unroll
      for (int r = 0; r < rows; ++r) before[level][r] = here[level][r] = Vector{};
    }
    copy_wait<S::ahead - 1>();
    __syncthreads();  // the first plane is there, of the warps beside too

    // The source at the points of one level, asked for one level before it is needed.
    auto const source_at = [&](int z_here, Vector(&values)[rows]) {
      bool const column = x + vector > work.source_exists.x.lower && x < work.source_exists.x.upper;
      bool const plane = column && work.source_exists.z.contains(z_here);
      Real const* const first = work.source + x + y * work.source_row + z_here * work.source_plane;
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        values[r] = Vector{};
        if (plane && work.source_exists.y.contains(y + r)) {
          values[r] = *reinterpret_cast<Vector const*>(first + r * work.source_row);
        }
      }
    };

    auto const free_at = [&](Mode mode, bool plane_free, int r, int v) {
      if (mode == Mode::interior) return true;
      bool const at_end = v == 0 || v == vector - 1;
      bool const column_free = (mode == Mode::ends && !at_end) || masks.has(Masks::free_column, v);
      if (mode == Mode::ends) return column_free;
      return plane_free && column_free && masks.has(Masks::free_row, r);
    };

    auto const advance = [&](auto mode_of) {
      constexpr Mode mode = decltype(mode_of)::value;
      masks.keep_together();
      auto const [z_lower, z_upper] = task.planes;
      int const z = z_lower + steps + stored;
      [[maybe_unused]] Vector extra[rows], next_extra[rows];
      if constexpr (has_source) source_at(z - 1, next_extra);
      copy_wait<S::ahead - 2>();
      Vector above[rows];
#pragma unroll
      for (int level = 0; level < steps; ++level) {
        bool const from_ring = level == 0;
        int const edge = (level - 1) * T::edge_plane_bytes;
        int const z_here = z - 1 - level;
        if constexpr (has_source) {
#pragma unroll
          for (int r = 0; r < rows; ++r) extra[r] = next_extra[r];
          if (level < steps - 1) source_at(z_here - 1, next_extra);
        }
        bool const plane_free = mode != Mode::any || work.free.z.contains(z_here);
        [[maybe_unused]] bool const plane_counts = z_lower <= z_here && z_here < z_upper;
        Vector south =
            from_ring ? *at_shared(slot_here - T::row_bytes) : *at_shared(edges_here + edge);
        Vector const beyond = from_ring ? *at_shared(slot_here + rows * T::row_bytes)
                                        : *at_shared(edges_here + edge + 3 * T::row_bytes);
        Vector centre = from_ring ? *at_shared(slot_here) : here[level][0];
        Real west = __shfl_up_sync(~0u, centre.v[vector - 1], 1);
        Real east = __shfl_down_sync(~0u, centre.v[0], 1);
#pragma unroll
        for (int r = 0; r < rows; ++r) {
          if (level == 0) above[r] = *at_shared(slot + r * T::row_bytes);
          if (!from_ring) {
            if (r == 0) *at_shared(edges_new + edge + T::row_bytes) = above[0];
            if (r == 0) *at_shared(edges_new + edge + 2 * T::row_bytes) = above[rows - 1];
            if (S::cluster > 1 && r == 0 && remote_edge != 0) {
              Vector border;
#pragma unroll
              for (int v = 0; v < vector; ++v) {
                border.v[v] = warp == 0 ? above[0].v[v] : above[rows - 1].v[v];
              }
              send(remote_edge + edges_new + edge, barrier.remote(), border);
            }
            if (r == 0 && level == steps - 1) barrier.arrive(lane);
          }
          Vector const below =
              from_ring ? *at_shared(slot_before + r * T::row_bytes) : before[level][r];
          int const up = r < rows - 1 ? r + 1 : r;
          Vector const next = r < rows - 1 ? (from_ring ? *at_shared(slot_here + up * T::row_bytes)
                                                        : here[level][up])
                                           : beyond;
          Vector after;
          Real const next_west =
              r < rows - 1 ? __shfl_up_sync(~0u, next.v[vector - 1], 1) : Real(0);
          Real const next_east = r < rows - 1 ? __shfl_down_sync(~0u, next.v[0], 1) : Real(0);
#pragma unroll
          for (int v = 0; v < vector; ++v) {
            Real result = rule([&](int di, int dj, int dk) {
              if (dk != 0) return dk < 0 ? below.v[v] : above[r].v[v];
              if (dj != 0) return dj < 0 ? south.v[v] : next.v[v];
              if (di < 0) return v > 0 ? centre.v[v > 0 ? v - 1 : 0] : west;
              if (di > 0) return v < vector - 1 ? centre.v[v < vector - 1 ? v + 1 : 0] : east;
              return centre.v[v];
            });
            if constexpr (has_source) result = result + extra[r].v[v];
            after.v[v] = free_at(mode, plane_free, r, v) ? result : centre.v[v];
          }
          if constexpr (has_change) {
            if (level == steps - 1) {
              Real changes[vector];
#pragma unroll
              for (int v = 0; v < vector; ++v) {
                bool const counts = mode == Mode::interior || (masks.has(Masks::stored_column, v) &&
                                                               free_at(mode, plane_free, r, v));
                changes[v] = counts ? after.v[v] - centre.v[v] : Real(0);
              }
              change.add(changes, plane_counts && masks.has(Masks::stored_row, r));
            }
          }
          if (!from_ring) before[level][r] = centre;
          if (!from_ring) here[level][r] = above[r];
          above[r] = after;
          south = centre;
          centre = next;
          west = next_west;
          east = next_east;
        }
        if (level == 0) {
          barrier.wait(lane);
          start_load(mode_of, slot_before, z + S::ahead);
        }
      }
      auto const store = [&](Real* to, Vector const& values) {
        bool const whole = mode == Mode::interior || mode == Mode::ends;
        if (whole || masks.get(Masks::stored_column) == all_columns) {
          store_global(to, values);
        } else {
#pragma unroll
          for (int v = 0; v < vector; ++v) {
            if (masks.has(Masks::stored_column, v)) to[v] = values.v[v];
          }
        }
      };
      if (stored >= 0) {
        std::int64_t const forward =
            mode == Mode::any ? work.forwards.offset(z_lower + stored) : std::int64_t{0};
#pragma unroll
        for (int r = 0; r < rows; ++r) {
          if (!masks.has(Masks::stored_row, r)) continue;
          Real* const to = out + r * work.out_row;
          store(to, above[r]);
          if (mode == Mode::any && forward != 0) store(to + forward, above[r]);
        }
      }
      out += work.out_plane;
      slot_before = slot_here;
      slot_here = slot;
      slot = after_slot(slot);
      int const edges = edges_new;
      edges_new = edges_here;
      edges_here = edges;
      ++stored;
      barrier.next_plane();
    };

    while (stored < planes) {
      int const turns = min(quick_planes<S>(work, task.planes, stored),
                            planes_before_forward(work, task.planes.lower, stored)) /
                        S::unroll;
      auto const advance_all = [&](auto mode) {
        for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
          for (int i = 0; i < S::unroll; ++i) advance(mode);
        }
      };
      Mode const mode = turns > 0 ? mode_of_warp() : Mode::any;
      if (mode == Mode::interior) {
        advance_all(Interior{});
      } else if (mode == Mode::ends) {
        advance_all(Ends{});
      } else if (mode == Mode::edges) {
        advance_all(Edges{});
      } else {
        advance(Any{});
      }
    }
  }

  // What other blocks send must have come, and the last copies too, before shared memory ends.
  copy_wait<0>();
  barrier.wait(lane);
  if constexpr (has_change) {
    __syncthreads();  // from here on nobody needs the ring of planes
    add_to<S::threads>(work.change, change.share(), warp, lane,
                       reinterpret_cast<ThreadChange*>(shared));
  }
}

inline Box3 box_of(LocalBox const& box) {
  return {range_of(box.lower.x, box.upper.x), range_of(box.lower.y, box.upper.y),
          range_of(box.lower.z, box.upper.z)};
}

/// A block with fewer would mostly be on its way in and out.
constexpr int fewest_planes = 4;

/// How many tiles of `width` points, `useful` points apart, cover a range.
inline int tiles_over(Range range, int width, int useful) {
  int const rest = range.upper - range.lower - width;
  return rest <= 0 ? 1 : 1 + (rest + useful - 1) / useful;
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
  work.forwards = forwards_of(pass, 2);
  Range const x = needed(work.region.x, work.free.x, S::steps);
  // what a tile stores begins at a sector: half of one would have to be read from memory first
  constexpr int sector = 32 / sizeof(Real);
  work.first_x = ((x.lower + T::margin_x) & ~(sector - 1)) - T::margin_x;
  Range const y = needed(work.region.y, work.free.y, S::steps);
  work.first_y = y.lower;
  work.tiles_x = tiles_over({work.first_x, x.upper}, T::width, T::useful_x);
  work.tiles_y = tiles_over(y, S::cluster * S::height, T::useful_y);
  return work;
}

template <class Rule, class S, bool has_source, bool has_change>
void start(cudaStream_t stream, Rule const& rule, Pass<typename Rule::Real> const& pass) {
  using Real = typename Rule::Real;
  if (pass.region.empty()) return;
  constexpr auto kernel = sweep<Rule, S, has_source, has_change>;
  constexpr int shared_bytes = Tile<Real, S>::shared_bytes;
  Work<Real> const work = work_of<Real, S>(pass);
  int const at_a_time = resident_blocks<kernel>(S::threads, shared_bytes, S::cluster) / S::cluster;
  std::int64_t const tiles = std::int64_t{work.tiles_x} * work.tiles_y;
  require(tiles <= INT_MAX, "a pass of more than 2^31 tiles");
  std::int64_t const planes = tiles * (work.region.z.upper - work.region.z.lower);
  auto const clusters =
      static_cast<unsigned>(std::clamp<std::int64_t>(planes / fewest_planes, 1, at_a_time));
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(clusters * S::cluster);
  config.blockDim = dim3(S::threads);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {S::cluster, 1, 1};
  config.attrs = &cluster;
  config.numAttrs = S::cluster > 1 ? 1 : 0;
  check(cudaLaunchKernelEx(&config, kernel, rule, work));
}

/// Picks the kernel compiled for what the pass has, so that an absent source or norm costs nothing.
template <class Rule, class S>
void launch(cudaStream_t stream, Rule const& rule, Pass<typename Rule::Real> const& pass) {
  auto const started = pass.change != nullptr
                           ? (pass.source ? start<Rule, typename S::Rolled, true, true>
                                          : start<Rule, S, false, true>)
                           : (pass.source ? start<Rule, typename S::Rolled, true, false>
                                          : start<Rule, S, false, false>);
  started(stream, rule, pass);
}

/// Whether the blocks of a cluster meet in this kernel: also a device that has clusters may run
/// code that was compiled for an older one, in which a block would wait for the other for ever.
template <class Kernel>
bool knows_clusters(Kernel kernel) {
  cudaFuncAttributes attributes{};
  if (cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess) return attributes.ptxVersion >= 90;
  (void)cudaGetLastError();  // the next call shall not report this error
  return false;
}

/// Whether the current device can run a shape; yes where there is no device to ask.
template <class Rule, class S>
bool is_runnable() {
  int device = 0;
  int shared_bytes = 0;
  int major = 0;
  bool const known =
      cudaGetDevice(&device) == cudaSuccess &&
      cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) ==
          cudaSuccess &&
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess;
  if (!known) {
    (void)cudaGetLastError();  // the next call shall not report this error
    return true;
  }
  constexpr int needed_bytes = Tile<typename Rule::Real, S>::shared_bytes + sizeof(TileTask);
  return needed_bytes <= shared_bytes &&
         (S::cluster == 1 ||
          (has_neighbour_barriers && major >= 9 && knows_clusters(sweep<Rule, S, false, false>)));
}

/// Adds a shape to the list if the current device can run it.
template <class Rule, class S>
void offer(std::vector<Variant<Rule>>& variants) {
  if (!is_runnable<Rule, S>()) return;
  std::string name = "temporal-3d t" + std::to_string(S::steps) + " " + std::to_string(S::warps) +
                     "x" + std::to_string(S::rows);
  if (S::cluster > 1) name += " c" + std::to_string(S::cluster);
  variants.push_back({name, S::steps, launch<Rule, S>, "", true});
}

}  // namespace isotherm::cuda::temporal_3d
