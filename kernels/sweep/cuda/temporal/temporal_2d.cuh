#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/range.hpp"
#include "kernels/sweep/cuda/change.cuh"
#include "kernels/sweep/cuda/forwards.cuh"
#include "kernels/sweep/cuda/ptx.cuh"
#include "kernels/sweep/cuda/resident/resident_blocks.cuh"
#include "kernels/sweep/cuda/shares.hpp"
#include "kernels/sweep/cuda/specialise.cuh"
#include "kernels/sweep/cuda/star.cuh"
#include "kernels/sweep/cuda/variant.hpp"

// Temporal blocking in 2D: several steps of a rule in one pass over memory.
//
//   a strip: 32 lanes of P points         a block: a pipeline of W warps, all on the same strip
//   +-----+-----------------+-----+
//   |     |                 |     |        memory ==> ring ==> warp 0 ==> ring ==> warp 1 ==> ...
//   |halo |  useful columns |halo |                            levels             levels
//   | t   |                 |  t  |                            1 .. K             K+1 .. 2K
//   |     |        |        |     |
//   |     |        v rows   |     |        ... ==> warp W-1 ==> ring ==> memory      t = W K
//   +-----+-----------------+-----+
//
// Each warp owns K levels (a level is the field after a number of steps). It holds the last two
// rows of each level in registers, P points per lane, and streams along y. A row that arrives
// completes the previous row on the level above, and so on up to level K. The row of level K goes
// to the next warp through a ring in shared memory. Neighbours in x come by shuffles, two per row
// and level; neighbours in y are in the registers themselves.
//
// Rows travel in batches of four, so four rows of all levels need only one barrier. Loads run two
// batches ahead (cp.async), or one if the rows of a source are kept in shared memory, too. Rows are
// stored one batch later, 16 bytes per lane without gaps. If the change is measured and the device
// has a bulk copy engine, that engine stores them.
//
// Rows are processed alternately from their left and right ends, two rows each. A new row can then
// replace the row before the last one point by point in its registers. After four rows every array
// is in its original registers, so the unrolled loop never copies registers.
//
// Cost: a point and step of FTCS needs 5 floating-point instructions (2 add, 1 multiply, 2 fused),
// 2/P shuffles and 2/K words of shared memory. A pass moves 2 values per point plus the halo's
// share. The useful share is (32 P - 2 t) / (32 P) of the columns. Of the rows of a piece, all but
// 2 t + 4 W are useful. With P = 12 and t = 16 in float32 this is 8.7 bytes per 16 steps, so
// instructions are the limit: 132 multiprocessors x 128 lanes x 1.97 GHz / 5 = 6650 GCell/s, half
// of that in float64.
//
// The region's strips form one sequence. It is cut into as many shares of equal cost as blocks are
// resident, so all blocks finish together.

namespace isotherm::cuda::temporal_2d {

/// Dimensions of a block's pipeline. All of them are constants of the compiled kernel.
/// @tparam StagesSource  rows of a source are kept in shared memory until all levels have added
///                       them; otherwise each level reads them from global memory
template <int Warps, int Levels, int Points, int Blocks, bool StagesSource = false>
struct Shape {
  static constexpr int warps = Warps;
  static constexpr int levels = Levels;         ///< per warp
  static constexpr int points = Points;         ///< per lane
  static constexpr int rows = 4;                ///< per batch
  static constexpr int blocks = Blocks;         ///< per multiprocessor
  static constexpr int steps = Warps * Levels;  ///< per pass
  static constexpr bool stages_source = StagesSource;
  /// How many batches rows are loaded before they are read. Staged sources leave memory for one.
  static constexpr int batches_ahead = StagesSource ? 1 : 2;
  static constexpr int threads = 32 * Warps;
  static constexpr int width = 32 * Points;  ///< of a strip, including its margins
  static_assert(threads <= 1024 && Blocks >= 1);
  static_assert(Points <= 32, "a lane's free points are bits of a word");
  // Rows are processed from their left and right ends, two each: `j % 4 < 2` in a batch.
  static_assert(rows % 4 == 0, "after a batch every array is back where it was");
};

/// A two-dimensional field in the form that the kernel needs.
template <class T>
struct Rows {
  T* origin;            ///< the point (0, 0)
  std::int64_t stride;  ///< elements from row to row
  /// Returns row y, as a pointer to x = 0.
  __device__ T* row(int y) const { return origin + y * stride; }
};

/// The kernel's arguments: a Pass with 32-bit indices, and its division into strips.
template <class Real>
struct Work {
  Rows<Real const> in;
  Rows<Real> out;
  Rows<Real const> source;
  Range in_y, in_chunk_x;  ///< rows that exist; x from the first chunk to the end of the last one
  Range source_y, source_chunk_x;
  /// Points that are written.
  Range region_x, region_y;
  /// Points that may change; all others are fixed.
  Range free_x, free_y;
  Change* change;     ///< null: not measured
  Forwards forwards;  ///< along y
  int first_x;        ///< first column of the first strip, without its margin
  TileLine strips;    ///< the strips; their planes are rows
};

/// Sizes that depend on the precision, in points and in bytes of shared memory.
template <class Real, class S>
struct Tile {
  /// Points of a chunk, 16 bytes that are moved by one instruction.
  static constexpr int unit = Vector<Real>::width;
  static constexpr int per_lane = S::points / unit;  ///< chunks per lane
  static_assert(per_lane % 2 == 1, "lanes that read their points would share memory banks");
  static_assert(S::points % unit == 0, "a lane's points are whole chunks");
  /// Columns at each end of a strip that are read but not stored, in whole chunks.
  static constexpr int margin = (S::steps + unit - 1) / unit * unit;
  /// Columns that a strip stores. Whole pairs of chunks, so stores begin at a sector.
  static constexpr int useful = (S::width - 2 * margin) / (2 * unit) * (2 * unit);
  static constexpr unsigned row_bytes = S::width * sizeof(Real);
  static_assert(row_bytes % 512 == 0, "a warp moves 16 bytes a lane at a time");
  static constexpr unsigned batch_bytes = S::rows * row_bytes;
  static_assert(useful > 0, "the halo leaves nothing of the strip");
  static constexpr int input_batches = S::batches_ahead + 1;
  /// Rows of a staged source: from those that the first warp loads to those that the last warp's
  /// last level adds. Each warp is a batch and its levels behind the warp before it.
  static constexpr int source_rows =
      (S::batches_ahead + 1) * S::rows + (S::warps - 1) * (S::rows + S::levels) + S::levels;
  static_assert(!S::stages_source || (source_rows & (source_rows - 1)) == 0,
                "the row of a ring is found by a mask");
  /// Input, two batches between each two warps, and two batches of output. If the change is
  /// measured, two batches of the level before the last follow, and then a staged source.
  static constexpr unsigned ring_bytes = (input_batches + 2 * S::warps) * batch_bytes;
  /// Offset of the staged source.
  static constexpr unsigned source_offset(bool has_change) {
    return ring_bytes + (has_change ? 2 * batch_bytes : 0);
  }
  /// Dynamic shared memory of a block.
  static constexpr unsigned bytes(bool has_source, bool has_change) {
    return source_offset(has_change) +
           (has_source && S::stages_source ? source_rows * row_bytes : 0);
  }
};

/// Reads a lane's points of a row from shared memory.
/// @param from  shared address of the lane's first point
template <class Real, int points>
__device__ __forceinline__ void read_row(Real (&row)[points], unsigned from) {
  constexpr int unit = Vector<Real>::width;
#pragma unroll
  for (int q = 0; q < points / unit; ++q) {
    Vector<Real> const chunk = read_shared<Real>(from + q * 16);
#pragma unroll
    for (int v = 0; v < unit; ++v) row[q * unit + v] = chunk.v[v];
  }
}

/// Writes a lane's points of a row to shared memory.
/// @param to  shared address of the lane's first point
template <class Real, int points>
__device__ __forceinline__ void write_row(unsigned to, Real const (&row)[points]) {
  constexpr int unit = Vector<Real>::width;
#pragma unroll
  for (int q = 0; q < points / unit; ++q) {
    Vector<Real> chunk;
#pragma unroll
    for (int v = 0; v < unit; ++v) chunk.v[v] = row[q * unit + v];
    write_shared(to + q * 16, chunk);
  }
}

/// Combines the copies started since the last call into a group. Waits for all groups but the last
/// `pending` ones.
template <int pending>
__device__ __forceinline__ void finish_copies() {
  copy_commit();
  copy_wait<pending>();
}

/// The checks that a batch of rows requires. The loop is compiled for each of them, so common
/// batches need no checks.
enum class Care {
  none,       ///< every point is free
  columns,    ///< some columns are not free, but all rows are
  everything  ///< some rows may not be free either
};

/// A thread's part in loading rows into the block and storing them. The warps share the rows of a
/// batch; lane l of a warp moves chunks l, l + 32, … of its rows.
template <class Rule, class S, bool has_change>
struct Transfers {
  using Real = typename Rule::Real;
  using T = Tile<Real, S>;
  using Vector = cuda::Vector<Real>;
  static constexpr int unit = T::unit;
  static constexpr int per_lane = T::per_lane;
  /// Rows of a batch that each warp loads and stores.
  static constexpr int rows_per_warp = (S::rows + S::warps - 1) / S::warps;
  /// Index of the first row of a batch during which rows are stored. These are the last rows, since
  /// a store releases its registers late.
  static constexpr int first_put = S::rows - rows_per_warp;
  /// How many rows earlier than its store a row is read from shared memory. In float64 there are no
  /// registers for reading ahead.
  static constexpr int taken_before = rows_per_warp == 1 && sizeof(Real) == 4 ? 1 : 0;

  int warp;
  int first_row;     ///< this warp's first row of the input
  int x;             ///< x of the lane's first chunk
  unsigned loaded;   ///< bit i: chunk i exists in the input
  unsigned stored;   ///< bit i: chunk i is stored completely
  unsigned partial;  ///< bit i: only some points of chunk i are stored
  Range whole;       ///< x of all lanes' chunks that are stored completely
  /// Shared address of the lane's first chunk in the warp's first row of the first ring.
  unsigned ring;
  unsigned load_to;  ///< offset of the batch of the input ring that is loaded next
  Range rows;        ///< rows of the output
  /// The row that take() has read and put() stores.
  Vector values[per_lane];
  /// True if the bulk copy engine stores rows. It needs no registers, which an ordinary store
  /// releases late. Kernels that have enough registers are slower with it.
  static constexpr bool stores_in_bulk = has_bulk_copies && has_change;
  /// True if batches of every Care can forward rows. In float32 this would cost 7 %, for lack of
  /// registers.
  static constexpr bool forwards_with_any_care = sizeof(Real) == 8;

  /// Returns true if the warp's row with this index belongs to the batch.
  __device__ __forceinline__ bool is_mine(int row) const {
    return S::rows % S::warps == 0 || warp + row * S::warps < S::rows;
  }

  /// Starts loading a row of batch `number` of the input. Rows outside the field are clamped; their
  /// values are never used.
  __device__ __forceinline__ void load(Work<Real> const& work, int number, int row, bool wanted) {
    // Predicated copies instead of branches keep the unrolled loop straight.
    wanted = wanted && is_mine(row);
    int const y = work.in_y.clamp(first_row + number * S::rows + row * S::warps);
    Real const* const from = work.in.row(y) + x;
    unsigned const to = ring + load_to + row * S::warps * T::row_bytes;
#pragma unroll
    for (int i = 0; i < per_lane; ++i) {
      copy_async_if(wanted && (loaded >> i & 1) != 0, to + i * 512, from + i * 32 * unit);
    }
  }

  /// Starts loading the same row of a staged source. Points outside the source are left as they
  /// are; their values are never used.
  /// @param to  shared address of the lane's first chunk of the source ring
  __device__ __forceinline__ void load_source(Work<Real> const& work, unsigned to, int number,
                                              int row, bool wanted) const {
    wanted = wanted && is_mine(row);
    int const y = first_row + number * S::rows + row * S::warps;
    Real const* const from = work.source.row(work.source_y.clamp(y)) + x;
    to += (y & (T::source_rows - 1)) * T::row_bytes;
#pragma unroll
    for (int i = 0; i < per_lane; ++i) {
      int const chunk_x = x + i * 32 * unit;
      bool const exists =
          work.source_chunk_x.lower <= chunk_x && chunk_x + unit <= work.source_chunk_x.upper;
      copy_async_if(wanted && exists, to + i * 512, from + i * 32 * unit);
    }
  }

  /// Returns the offset of a batch of the output ring.
  static __device__ __forceinline__ unsigned output_batch(int number) {
    return (T::input_batches + 2 * (S::warps - 1) + (number & 1)) * T::batch_bytes;
  }

  /// Reads a row to be stored from shared memory.
  __device__ __forceinline__ void take(int row, unsigned from) {
    // The value is not stored, so any valid address is sufficient.
    if (!is_mine(row)) from = ring;
#pragma unroll
    for (int i = 0; i < per_lane; ++i) values[i] = read_shared<Real>(from + i * 512);
  }

  /// Stores the row that take() has read.
  /// @param forwards  whether some rows of the batch are written twice; ignored unless may_forward
  template <bool may_forward>
  __device__ __forceinline__ void put(Work<Real> const& work, int y, int row, bool forwards) const {
    bool const wanted = rows.contains(y) && is_mine(row);
    put(work.out.row(y) + x, wanted);
    if (!may_forward || !forwards) return;
    std::int64_t const forward = work.forwards.offset(y);
    put(work.out.row(y) + x + forward, wanted && forward != 0);
  }
  /// Stores the complete chunks of a row, if `wanted`.
  __device__ __forceinline__ void put(Real* to, bool wanted) const {
#pragma unroll
    for (int i = 0; i < per_lane; ++i) {
      store_if(wanted && (stored >> i & 1) != 0, to + i * 32 * unit, values[i]);
    }
  }

  /// Replaces take() and put(): starts bulk stores of the complete chunks of the warp's rows, which
  /// begin at row y, from the batch at `from`. A single lane does this for the warp.
  __device__ __forceinline__ void start_stores(Work<Real> const& work, int y, unsigned from) const {
    if (threadIdx.x % 32 != 0) return;
#pragma unroll
    for (int row = 0; row < rows_per_warp; ++row) {
      int const y_here = y + row * S::warps;
      if (whole.lower >= whole.upper || !rows.contains(y_here) || !is_mine(row)) continue;
      Real* const to = work.out.row(y_here) + whole.lower;
      unsigned const at = from + row * S::warps * T::row_bytes + (whole.lower - x) * sizeof(Real);
      unsigned const bytes = (whole.upper - whole.lower) * sizeof(Real);
      start_bulk_store(to, at, bytes);
      std::int64_t const forward = work.forwards.offset(y_here);
      if (forward != 0) start_bulk_store(to + forward, at, bytes);
    }
    commit_bulk_stores();
  }

  /// Stores the points of partial chunks that belong to the region.
  __device__ __forceinline__ void put_partial(Work<Real> const& work, int y, int row,
                                              unsigned from) const {
    if (partial == 0 || !rows.contains(y) || !is_mine(row)) return;
    std::int64_t const forward = work.forwards.offset(y);
#pragma unroll
    for (int i = 0; i < per_lane; ++i) {
      if ((partial >> i & 1) == 0) continue;
      Vector const chunk = read_shared<Real>(from + row * S::warps * T::row_bytes + i * 512);
      Real* const to = work.out.row(y) + x + i * 32 * unit;
#pragma unroll
      for (int v = 0; v < unit; ++v) {
        if (!work.region_x.contains(x + i * 32 * unit + v)) continue;
        to[v] = chunk.v[v];
        if (forward != 0) to[v + forward] = chunk.v[v];
      }
    }
  }

  /// Adds the change of the warp's rows, which begin at row y, in the batch at `from`.
  ///
  /// Each row of the loop handles some chunks only, since there are no registers for all; other
  /// work hides the latency. The rows of the level before the last are two batches behind those of
  /// the last level.
  template <Care care>
  __device__ __forceinline__ void add_change(Work<Real> const& work, int y, int at_row,
                                             unsigned from, CompactChange<Real>& change) const {
    constexpr int chunks = rows_per_warp * per_lane;
#pragma unroll
    for (int n = at_row * chunks / S::rows; n < (at_row + 1) * chunks / S::rows; ++n) {
      int const row = n / per_lane;
      int const i = n % per_lane;
      int const y_here = y + row * S::warps;
      unsigned const at = is_mine(row) ? from + row * S::warps * T::row_bytes + i * 512 : ring;
      auto const after = read_shared<Real>(at);
      auto const before = read_shared<Real>(at + 2 * T::batch_bytes);
      Real changes[unit];
#pragma unroll
      for (int v = 0; v < unit; ++v) {
        int const x_here = x + i * 32 * unit + v;
        bool const counts =
            care == Care::none || (work.region_x.contains(x_here) && work.free_x.contains(x_here));
        changes[v] = counts ? after.v[v] - before.v[v] : Real(0);
      }
      change.add(changes, is_mine(row) && rows.contains(y_here) &&
                              ((stored | partial) >> i & 1) != 0 &&
                              (care != Care::everything || work.free_y.contains(y_here)));
    }
  }
};

/// The levels that a warp owns: for each level, a lane's points of the last two rows, in registers.
template <class Rule, class S>
struct Levels {
  using Real = typename Rule::Real;
  using T = Tile<Real, S>;
  static constexpr int unit = T::unit;
  static constexpr int points = S::points;
  static constexpr int levels = S::levels;

  /// The last row of each level (`newer`) and the row before it (`older`).
  Real older[levels][points];
  Real newer[levels][points];
  /// The neighbours of `newer` that the adjacent lanes hold.
  Real left[levels];
  Real right[levels];
  /// The row that passes from level to level.
  Real incoming[points];
  Real next[points];  ///< the next incoming row, read in advance

  /// Zeroes all rows, before the first batch arrives.
  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int s = 0; s < levels; ++s) {
      left[s] = right[s] = Real(0);
#pragma unroll
      for (int v = 0; v < points; ++v) older[s][v] = newer[s][v] = Real(0);
    }
  }

  /// Reads the first incoming row of a batch.
  __device__ __forceinline__ void read_next(unsigned from) { read_row(next, from); }

  /// Gets the neighbours of a row's ends from the adjacent lanes.
  __device__ __forceinline__ void exchange_ends(int s, Real const (&row)[points]) {
    // The outermost lanes receive their own ends. This affects the margin only.
    left[s] = __shfl_up_sync(~0u, row[points - 1], 1);
    right[s] = __shfl_down_sync(~0u, row[0], 1);
  }

  /// Applies the rule at point v of the row in `newer`.
  /// @param above  the point's neighbour in the row after it
  __device__ __forceinline__ Real apply(Rule const& rule, int s, int v, Real above) const {
    auto const beside = [&](int dj, int) { return dj < 0 ? older[s][v] : above; };
    return rule(Star{newer[s], v, left[s], right[s], beside});
  }

  /// Advances row y, which is in `next`, through all levels. The result, row y - levels of the last
  /// level, is left in `incoming`. If `keeps`, the same row of the level before is written to
  /// `keep`.
  ///
  /// Rows are processed alternately from their left and right ends, two each. A row can then
  /// replace the row before the previous one in its registers, point by point, and nothing is
  /// copied.
  /// @param x  the lane's first point
  /// @param free_points  bit v: column v may change
  /// @param staged  shared address of the lane's first point of a staged source
  template <Care care, bool has_source, bool has_change>
  __device__ __forceinline__ void advance_row(Rule const& rule, Work<Real> const& work, int x,
                                              int y, bool from_left, unsigned free_points,
                                              bool keeps, unsigned keep, unsigned staged) {
    // Arrays with constant indices: the compiler renames registers instead of copying.
    Real arriving[levels][points];
#pragma unroll
    for (int v = 0; v < points; ++v) incoming[v] = next[v];
    // Point by point through all levels, since results of fixed columns are replaced at each level.
    if constexpr (care == Care::columns) {
#pragma unroll
      for (int e = 0; e < points; ++e) {
        int const v = from_left ? e : points - 1 - e;
        bool const is_free = (free_points >> v & 1) != 0;
#pragma unroll
        for (int s = 0; s < levels; ++s) {
          arriving[s][v] = incoming[v];
          Real const result = apply(rule, s, v, incoming[v]);
          incoming[v] = is_free ? result : newer[s][v];
        }
      }
    } else {
#pragma unroll
      for (int s = 0; s < levels; ++s) {
#pragma unroll
        for (int e = 0; e < points; ++e) {
          int const v = from_left ? e : points - 1 - e;
          arriving[s][v] = incoming[v];
          incoming[v] = apply(rule, s, v, incoming[v]);
        }
        // Level s + 1 is one row behind level s.
        int const row = y - s - 1;
        if constexpr (has_source && S::stages_source) {
          add_staged_source(incoming, staged, row);
        } else if constexpr (has_source) {
          add_source(incoming, work, x, row);
        }
        if constexpr (care == Care::everything) {
          unsigned const mask = work.free_y.contains(row) ? free_points : 0;
#pragma unroll
          for (int v = 0; v < points; ++v) incoming[v] = mask >> v & 1 ? incoming[v] : newer[s][v];
        }
        exchange_ends(s, arriving[s]);
      }
    }
    if (has_change && keeps) write_row(keep, newer[levels - 1]);
#pragma unroll
    for (int s = 0; s < levels; ++s) {
      if constexpr (care == Care::columns) exchange_ends(s, arriving[s]);
#pragma unroll
      for (int v = 0; v < points; ++v) {
        older[s][v] = newer[s][v];
        newer[s][v] = arriving[s][v];
      }
    }
  }

  /// Adds a staged source to a lane's points of a row.
  /// @param staged  shared address of the lane's first point of the source ring
  __device__ __forceinline__ void add_staged_source(Real (&result)[points], unsigned staged,
                                                    int y) {
    unsigned const from = staged + (y & (T::source_rows - 1)) * T::row_bytes;
#pragma unroll
    for (int q = 0; q < points / unit; ++q) {
      Vector<Real> const share = read_shared<Real>(from + q * 16);
#pragma unroll
      for (int v = 0; v < unit; ++v) result[q * unit + v] += share.v[v];
    }
  }
  /// Adds the source to a lane's points of a row. Positions outside the source are clamped; their
  /// values are never used.
  __device__ __forceinline__ void add_source(Real (&result)[points], Work<Real> const& work, int x,
                                             int y) {
    Real const* const row = work.source.row(work.source_y.clamp(y));
#pragma unroll
    for (int q = 0; q < points / unit; ++q) {
      int const chunk_x =
          min(max(x + q * unit, work.source_chunk_x.lower), work.source_chunk_x.upper - unit);
      auto const share = *reinterpret_cast<Vector<Real> const*>(row + chunk_x);
#pragma unroll
      for (int v = 0; v < unit; ++v) result[q * unit + v] += share.v[v];
    }
  }
};

/// The kernel: a block processes its share of the strips, piece by piece.
///
/// A warp owns K levels. Its lanes hold P adjacent points of their last two rows in registers.
/// Shared memory holds the rings between the warps, the input ring and the output ring.
template <class Rule, class S, bool has_source, bool has_change>
__global__ void __launch_bounds__(S::threads, S::blocks)
    advance(Rule const rule, Work<typename Rule::Real> const work) {
  using Real = typename Rule::Real;
  using T = Tile<Real, S>;
  using Moves = Transfers<Rule, S, has_change>;
  constexpr int unit = T::unit;

  extern __shared__ int4 shared[];
  int const lane = threadIdx.x % 32;
  // Broadcast, so the compiler knows that the warp's index is uniform.
  int const warp = __shfl_sync(~0u, threadIdx.x / 32, 0);
  unsigned const rings = shared_address(shared);
  CompactChange<Real> change;

  int const block = static_cast<int>(blockIdx.x);
  int const blocks = static_cast<int>(gridDim.x);
  std::int64_t const end = share_begin(work.strips.cost(), block + 1, blocks);
  for (std::int64_t at = share_begin(work.strips.cost(), block, blocks); at < end;) {
    auto const [strip, rows, piece_end] = work.strips.piece(at, end);
    at = piece_end;
    if (rows.lower == rows.upper) continue;

    // x of the strip's first column, in its left margin.
    int const x0 = work.first_x + strip * T::useful - T::margin;
    // Points that no written point depends on are treated as free.
    Range const near_x{max(x0, work.region_x.lower - S::steps),
                       min(x0 + S::width, work.region_x.upper + S::steps)};
    Range const own_x{max(x0 + T::margin, work.region_x.lower),
                      min(x0 + T::margin + T::useful, work.region_x.upper)};
    // Fixed columns that no written point depends on need no check.
    bool const columns_are_free =
        work.free_x.lower <= near_x.lower && near_x.upper <= work.free_x.upper;
    bool const simple = columns_are_free && own_x.lower % unit == 0 && own_x.upper % unit == 0;
    int const y0 = work.region_y.lower + rows.lower;
    int const y1 = work.region_y.lower + rows.upper;
    // A piece needs t rows before and after its own, and the pipeline needs a batch per warp.
    int const batches = (y1 - y0 + 2 * S::steps + S::rows - 1) / S::rows;
    // Rows outside the reach of the piece are treated as free.
    Range const free_y{work.free_y.lower <= y0 - S::steps ? INT_MIN : work.free_y.lower,
                       work.free_y.upper >= y1 + S::steps ? INT_MAX : work.free_y.upper};

    int const x = x0 + lane * S::points;
    unsigned free_points = 0;
#pragma unroll
    for (int v = 0; v < S::points; ++v) free_points |= unsigned{work.free_x.contains(x + v)} << v;

    // The thread's part in loading and storing rows of this strip.
    Moves moves;
    moves.warp = warp;
    moves.first_row = y0 - S::steps + warp;
    moves.rows = Range{y0, y1};
    moves.x = x0 + lane * unit;
    moves.ring = rings + lane * 16 + warp * T::row_bytes;
    moves.load_to = 0;
    moves.loaded = moves.stored = moves.partial = 0;
#pragma unroll
    for (int i = 0; i < T::per_lane; ++i) {
      Range const chunk{moves.x + i * 32 * unit, moves.x + i * 32 * unit + unit};
      if (work.in_chunk_x.lower <= chunk.lower && chunk.upper <= work.in_chunk_x.upper) {
        moves.loaded |= 1u << i;
      }
      if (own_x.lower <= chunk.lower && chunk.upper <= own_x.upper) {
        moves.stored |= 1u << i;
      } else if (own_x.lower < chunk.upper && chunk.lower < own_x.upper) {
        moves.partial |= 1u << i;
      }
    }

    // The bulk copy engine stores all complete chunks of a row by one copy.
    moves.whole = Range{(own_x.lower + unit - 1) & -unit, own_x.upper & -unit};

    Levels<Rule, S> state;
    state.clear();

    // Proceeds to the next batch of the input ring.
    auto advance_load = [&](unsigned& at) {
      at = at == (T::input_batches - 1) * T::batch_bytes ? 0 : at + T::batch_bytes;
    };
    unsigned const source_ring = rings + T::source_offset(has_change);
    auto load_row = [&](int number, int row, bool wanted) __attribute__((always_inline)) {
      moves.load(work, number, row, wanted);
      if constexpr (has_source && S::stages_source) {
        moves.load_source(work, source_ring + lane * 16, number, row, wanted);
      }
    };
      // Fill the input ring except its last batch.
#pragma unroll
    for (int number = 0; number < S::batches_ahead; ++number) {
#pragma unroll
      for (int row = 0; row < Moves::rows_per_warp; ++row) load_row(number, row, true);
      advance_load(moves.load_to);
      finish_copies<S::batches_ahead - 1>();
    }
    __syncthreads();

    unsigned const own = rings + lane * S::points * sizeof(Real);
    unsigned const between =
        own + (T::input_batches + 2 * (warp - 1)) * T::batch_bytes;  // the ring before this warp
    unsigned input = 0;  // offset of the batch of the input ring that is read
    // Each warp is one batch and its own levels behind the previous warp.
    int y = y0 - S::steps - warp * (S::rows + S::levels);
#pragma unroll 1
    for (int n = 0; n < batches + S::warps; ++n) {
      // Rings of two batches alternate between writing and reading.
      unsigned const from = warp == 0 ? own + input : between + (n + 1 & 1) * T::batch_bytes;
      unsigned const to = between + (2 + (n & 1)) * T::batch_bytes;
      // The last warp also stores the level before the last, from which the change is computed.
      bool const keeps = has_change && warp == S::warps - 1;
      // The batch that is stored during this iteration.
      int const batch_y = y0 - 2 * S::steps + (n - S::warps) * S::rows;
      int const out_y = batch_y + warp;
      bool const forwards = work.forwards.touches(batch_y, batch_y + S::rows);
      unsigned const out_from = moves.ring + Moves::output_batch(n + 1);
      state.read_next(from);
      if (Moves::stores_in_bulk) moves.start_stores(work, out_y, out_from);

      // A batch of four rows. The level of care is a compile-time constant.
      auto advance_rows = [&](auto care_tag) __attribute__((always_inline)) {
        constexpr Care care = decltype(care_tag)::value;
        constexpr bool may_forward = Moves::forwards_with_any_care || care == Care::everything;
#pragma unroll
        for (int j = 0; j < S::rows; ++j) {
          Real row[S::points];
          if (j + 1 < S::rows) read_row(row, from + (j + 1) * T::row_bytes);
          int const taken = j - Moves::first_put + Moves::taken_before;
          if (!Moves::stores_in_bulk && 0 <= taken && taken < Moves::rows_per_warp) {
            moves.take(taken, out_from + taken * S::warps * T::row_bytes);
          }
          state.template advance_row<care, has_source, has_change>(
              rule, work, x, y + j, j % 4 < 2, free_points, keeps,
              to + j * T::row_bytes + 2 * T::batch_bytes,
              source_ring + lane * S::points * sizeof(Real));
          write_row(to + j * T::row_bytes, state.incoming);
#pragma unroll
          for (int v = 0; v < S::points; ++v) state.next[v] = row[v];
          int const ahead = n + S::batches_ahead;
          if (j < Moves::rows_per_warp) load_row(ahead, j, ahead < batches);
          if constexpr (has_change) {
            moves.template add_change<care>(work, out_y, j, out_from, change);
          }
          int const r = j - Moves::first_put;
          if (r < 0) continue;
          int const y_here = out_y + r * S::warps;
          if (!Moves::stores_in_bulk) moves.template put<may_forward>(work, y_here, r, forwards);
          if (care != Care::none) moves.put_partial(work, y_here, r, out_from);
        }
      };
      // Select the loop with the fewest checks that this batch allows.
      bool const rows_are_free = y - S::levels >= free_y.lower && y + S::rows - 1 <= free_y.upper;
      if (forwards && !Moves::forwards_with_any_care) {
        advance_rows(std::integral_constant<Care, Care::everything>{});
      } else if (simple && rows_are_free) {
        advance_rows(std::integral_constant<Care, Care::none>{});
      } else if (rows_are_free && !has_source) {
        advance_rows(std::integral_constant<Care, Care::columns>{});
      } else {
        advance_rows(std::integral_constant<Care, Care::everything>{});
      }
      // The next batch: proceed in y and in the rings.
      y += S::rows;
      advance_load(moves.load_to);
      advance_load(input);
      finish_copies<S::batches_ahead - 1>();
      // The copy engine must have read the rows before they are overwritten.
      if (Moves::stores_in_bulk) {
        wait_for_bulk_stores();
        if (warp == S::warps - 1) show_to_bulk_stores();
      }
      __syncthreads();
    }
  }
  if constexpr (has_change) add_to<S::threads>(work.change, change.share());
}

/// Returns the points of a box along an axis in 32 bits.
inline Range range_of(LocalBox const& box, int axis) {
  return cuda::range_of(box.lower[axis], box.upper[axis]);
}

/// Returns the range from the first chunk to the end of the last chunk that contain points of `x`.
template <class Real>
Range chunks_of(Range x) {
  constexpr int unit = Vector<Real>::width;
  return {x.lower & -unit, (x.upper + unit - 1) & -unit};
}

/// Returns plane z of a field.
template <class T>
Rows<T> rows_of(FieldView<T> const& field, std::int64_t z) {
  return {field.origin + z * field.stride_z, field.stride_y};
}

/// Converts a pass to the kernel's arguments. Strips begin at a sector of 32 bytes.
template <class Real>
Work<Real> work_of(Pass<Real> const& pass) {
  std::int64_t const z = pass.region.lower.z;
  Work<Real> work{};
  work.in = rows_of(pass.in, z);
  work.out = rows_of(pass.out, z);
  work.in_y = range_of(pass.in.box, 1);
  work.in_chunk_x = chunks_of<Real>(range_of(pass.in.box, 0));
  if (pass.source) {
    work.source = rows_of(pass.source, z);
    work.source_y = range_of(pass.source.box, 1);
    work.source_chunk_x = chunks_of<Real>(range_of(pass.source.box, 0));
  }
  work.region_x = range_of(pass.region, 0);
  work.region_y = range_of(pass.region, 1);
  bool const frozen = pass.free.empty() || !range_of(pass.free, 2).contains(static_cast<int>(z));
  work.free_x = frozen ? Range{0, 0} : range_of(pass.free, 0);
  work.free_y = frozen ? Range{0, 0} : range_of(pass.free, 1);
  work.change = pass.change;
  work.forwards = forwards_of(pass, 1);
  constexpr int sector = 32 / sizeof(Real);
  work.first_x = work.region_x.lower & -sector;
  return work;
}

/// Relative cost of a row of a strip. It is higher if some columns are not free.
constexpr int cost_inside = 4;
constexpr int cost_at_edge = 5;

/// Divides the region into strips and launches the kernel with as many blocks as are resident.
template <class Rule, class S, bool has_source, bool has_change>
void launch_as(Queue& queue, Rule const& rule, Pass<typename Rule::Real> const& pass) {
  using T = Tile<typename Rule::Real, S>;
  constexpr auto kernel = advance<Rule, S, has_source, has_change>;
  constexpr std::size_t shared_bytes = T::bytes(has_source, has_change);
  int const slots = resident_blocks(queue, kernel, {S::threads, shared_bytes});

  auto work = work_of(pass);
  std::int64_t const width = std::int64_t{work.region_x.upper} - work.first_x;
  bool const has_edges = work.free_x.lower > work.region_x.lower - S::steps ||
                         work.free_x.upper < work.region_x.upper + S::steps;
  work.strips.count = static_cast<int>((width + T::useful - 1) / T::useful);
  work.strips.between = cost_inside;
  work.strips.first = work.strips.last = has_edges ? cost_at_edge : cost_inside;
  work.strips.planes = work.region_y.upper - work.region_y.lower;
  // Rows that a piece processes without storing them.
  work.strips.lost = 2 * S::steps + S::rows * S::warps;
  // No more blocks than rows.
  std::int64_t const rows = std::int64_t{work.strips.count} * work.strips.planes;
  auto const blocks = static_cast<unsigned>(std::min<std::int64_t>(slots, rows));
  kernel<<<blocks, S::threads, shared_bytes, make_current(queue)>>>(rule, work);
  check_launch();
}

/// Launches the kernel that is specialised for the pass.
template <class Rule, class S>
void launch(Queue& queue, Rule const& rule, Pass<typename Rule::Real> const& pass) {
  if (pass.region.empty()) return;
  specialised(pass, [&](auto has_source, auto has_change) {
    launch_as<Rule, S, has_source.value, has_change.value>(queue, rule, pass);
  });
}

/// Returns true if the device has enough shared memory. A source and measuring the change need the
/// most.
template <class Rule, class S>
bool runs_on(int device) {
  constexpr auto kernel = advance<Rule, S, true, true>;
  constexpr std::size_t shared_bytes = Tile<typename Rule::Real, S>::bytes(true, true);
  return can_run(device, reinterpret_cast<void const*>(kernel), {S::threads, shared_bytes}, 0);
}

/// Returns the variant of this shape. Its name has the steps and the width of a strip.
template <class Rule, class S>
Variant<Rule> variant_of() {
  std::string const name =
      "temporal-2d t" + std::to_string(S::steps) + " w" + std::to_string(S::width);
  return {name, S::steps, launch<Rule, S>, "", true, runs_on<Rule, S>};
}

/// A list of shapes to compile the kernel for.
template <class... Shapes>
struct ShapeList {};

/// Returns the variants of all shapes of a list.
template <class Rule, class... Shapes>
std::vector<Variant<Rule>> variants_of(ShapeList<Shapes...>) {
  return {variant_of<Rule, Shapes>()...};
}

}  // namespace isotherm::cuda::temporal_2d
