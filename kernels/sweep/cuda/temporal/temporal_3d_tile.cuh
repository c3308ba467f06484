#pragma once

#include <algorithm>
#include <climits>
#include <cstdint>

#include "kernels/core/cuda/range.hpp"
#include "kernels/sweep/cuda/forwards.cuh"
#include "kernels/sweep/cuda/resident/neighbour_barrier.cuh"
#include "kernels/sweep/reduce.hpp"

// The geometry of temporal_3d.cuh: a block's tile, and the position and properties of a thread's
// points in it.

namespace isotherm::cuda::temporal_3d {

/// Dimensions of a block's tile.
template <int Steps, int Warps, int Rows, int Ring, int Unroll, int Cluster = 1>
struct Shape {
  static constexpr int steps = Steps;
  static constexpr int warps = Warps;
  static constexpr int rows = Rows;        ///< per thread
  static constexpr int ring = Ring;        ///< input planes in shared memory
  static constexpr int unroll = Unroll;    ///< planes per loop iteration; more need more registers
  static constexpr int cluster = Cluster;  ///< blocks, adjacent in y, that share their edge rows
  static constexpr int threads = 32 * Warps;
  static constexpr int height = Warps * Rows;  ///< rows of a block's tile
  static constexpr int ahead = Ring - 2;       ///< planes whose loads run ahead of their use
  /// The same shape with one plane per loop iteration.
  using Rolled = Shape<Steps, Warps, Rows, Ring, 1, Cluster>;
  static_assert(Steps >= 2, "edge rows are those of the levels between the first and the last");
  static_assert(Warps >= 2 && threads <= 1024, "a warp at each border of a block of threads");
  static_assert(Rows >= 2, "a thread's first and last rows are two");
  static_assert(ahead >= 2, "a plane is loaded while the previous one arrives");
  static_assert(Cluster >= 1 && Cluster <= 8, "8 blocks is the portable size of a cluster");
};

/// A box with 32-bit indices.
struct Box3 {
  Range x, y, z;
};

/// The kernel's arguments: a Pass with 32-bit indices, and its division into tiles.
template <class Real>
struct Work {
  /// Local point (0, 0, 0) of each field; `source` may be null.
  Real const* in;
  Real* out;
  Real const* source;
  /// Elements from row to row and from plane to plane.
  std::int64_t in_row, in_plane, out_row, out_plane, source_row, source_plane;
  /// Points of the input, points that are written, points that may change, points of the source.
  Box3 exists, region, free, source_exists;
  Change* change;        ///< null: not measured
  Forwards forwards;     ///< along z
  int first_x, first_y;  ///< origin of the first tile, including its margin
  int tiles_x, tiles_y;
  /// Elements from a point of `out` to its remaining residual, for rules that sum up.
  std::int64_t to_rest = 0;
};

/// Sizes that depend on the precision, in points and in bytes of shared memory.
///
/// Shared memory contains the ring of input planes, then the edge rows of the other levels, then
/// the barriers.
template <class Real, class S>
struct Tile {
  static constexpr int vector = Vector<Real>::width;  ///< points of a thread per row
  static constexpr int width = 32 * vector;           ///< columns of a tile
  /// Columns at each end of a tile that are read but not stored, in whole vectors.
  static constexpr int margin_x = (S::steps + vector - 1) / vector * vector;
  static constexpr int useful_x = width - 2 * margin_x;
  static constexpr int useful_y = S::cluster * S::height - 2 * S::steps;  ///< of a cluster
  static constexpr int row_bytes = 32 * sizeof(Vector<Real>);
  /// A plane of a block's tile; in clusters with a row of each adjacent block.
  static constexpr int plane_bytes = (S::height + (S::cluster > 1 ? 2 : 0)) * row_bytes;
  /// One row before and one after the ring only absorb the edge reads of the outermost warps.
  static constexpr int ring_bytes = S::ring * plane_bytes + 2 * row_bytes;
  static constexpr int edge_levels = S::steps - 1;
  /// Two edge rows per warp, and one of each adjacent block.
  static constexpr int edge_plane_bytes = (2 * S::warps + 2) * row_bytes;
  static constexpr int edge_bytes = 2 * edge_levels * edge_plane_bytes;
  using Barrier = NeighbourBarrier<S::warps, S::cluster, edge_levels * row_bytes>;
  static constexpr int shared_bytes =
      ring_bytes + edge_bytes + (Barrier::shared_bytes + 15) / 16 * 16;
  static_assert(useful_x > 0 && useful_y > 0, "margins leave nothing of the tile");
  static_assert(useful_x * sizeof(Real) % 32 == 0, "the stores of a tile begin at a sector");
  static_assert((ring_bytes + edge_bytes) % 8 == 0, "barriers are aligned");
};

/// The checks that a warp needs while it advances a plane. The loop is compiled for each mode, so
/// common modes need few checks.
enum class Mode {
  interior,  ///< all its points exist and are free, and all that it stores lies in the region
  ends,   ///< as interior, but columns at the ends of a lane may be fixed, and rows may not exist
  edges,  ///< any columns and rows
  any     ///< also any planes: fixed planes, missing ones, and ones that are forwarded
};

/// A group of adjacent bits of a word.
struct BitField {
  int first, count;
  /// Returns the bit behind the group.
  [[nodiscard]] constexpr int end() const { return first + count; }
};

/// Properties of a thread's rows and columns, packed into one register.
class Masks {
 public:
  static constexpr int max_rows = 5, max_columns = 4;
  static constexpr BitField loaded_row{0, max_rows};
  static constexpr BitField loaded_shared_row{loaded_row.end(), 1};
  static constexpr BitField stored_row{loaded_shared_row.end(), max_rows};
  static constexpr BitField free_row{stored_row.end(), max_rows};
  static constexpr BitField stored_column{free_row.end(), max_columns};
  static constexpr BitField free_column{stored_column.end(), max_columns};
  static_assert(free_column.end() <= 32);

  /// Sets bit i of a group.
  __device__ void set(BitField part, int i, bool value) {
    bits_ |= unsigned(value) << (part.first + i);
  }
  /// Returns bit i of a group.
  __device__ bool has(BitField part, int i = 0) const { return bits_ >> (part.first + i) & 1; }
  /// Returns all bits of a group.
  __device__ unsigned get(BitField part) const {
    return bits_ >> part.first & ((1u << part.count) - 1);
  }
  /// Prevents the compiler from extracting the bits before the loop, which would spill some of
  /// them.
  __device__ void keep_together() { forget(bits_); }

 private:
  unsigned bits_ = 0;
};

/// Returns the points along one axis that determine `region` after `steps` steps. The dependency
/// ends at the first point that is not free.
__host__ __device__ inline Range needed(Range region, Range free, int steps) {
  return {std::min(region.lower, std::max(region.lower - steps, free.lower - 1)),
          std::max(region.upper, std::min(region.upper + steps, free.upper + 1))};
}

/// The position of a thread's points, and which of them are loaded, changed and stored.
template <class Real, class S>
struct Points {
  using T = Tile<Real, S>;
  static constexpr int rows = S::rows;
  static constexpr int vector = T::vector;
  static_assert(rows <= Masks::max_rows && vector <= Masks::max_columns);
  static constexpr unsigned all_rows = (1u << rows) - 1;
  static constexpr unsigned all_columns = (1u << vector) - 1;
  static constexpr unsigned end_columns = 1u | 1u << (vector - 1);

  int x, y;  ///< of the first point
  Masks masks;

  /// @param shared_row  row of the adjacent block next to this thread, relative to the thread's
  ///   first row; 0 if there is none
  __device__ __forceinline__ Points(Work<Real> const& work, int tile, int rank, int warp, int lane,
                                    int shared_row) {
    int const tile_x = tile % work.tiles_x;
    int const tile_y = tile / work.tiles_x;
    int const lower_x = work.first_x + tile_x * T::useful_x;
    int const lower_y = work.first_y + tile_y * T::useful_y;
    x = lower_x + lane * vector;
    y = lower_y + rank * S::height + warp * rows;
    Range const stored_x =
        stored_part<T::width, T::margin_x>(tile_x, work.tiles_x, lower_x, work.region.x);
    Range const stored_y =
        stored_part<S::cluster * S::height, S::steps>(tile_y, work.tiles_y, lower_y, work.region.y);
    // Points that cannot influence any written point are treated as free.
    Range const near_x = needed(stored_x, work.free.x, reach);
    Range const near_y = needed(stored_y, work.free.y, reach);
#pragma unroll
    for (int v = 0; v < vector; ++v) {
      masks.set(Masks::free_column, v, !near_x.contains(x + v) || work.free.x.contains(x + v));
      masks.set(Masks::stored_column, v, stored_x.contains(x + v));
    }
    bool const column_exists = x + vector > work.exists.x.lower && x < work.exists.x.upper;
    bool const column_stored = masks.get(Masks::stored_column) != 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      masks.set(Masks::free_row, r, !near_y.contains(y + r) || work.free.y.contains(y + r));
      masks.set(Masks::loaded_row, r, column_exists && work.exists.y.contains(y + r));
      masks.set(Masks::stored_row, r, column_stored && stored_y.contains(y + r));
    }
    // Both blocks load the input row at their common border.
    masks.set(Masks::loaded_shared_row, 0,
              shared_row != 0 && column_exists && work.exists.y.contains(y + shared_row));
  }

  /// Returns the warp's mode. It is recomputed on each call, which saves a register in the loop.
  __device__ __forceinline__ Mode mode_of_warp() const {
    unsigned const free_columns = masks.get(Masks::free_column);
    unsigned const stored_columns = masks.get(Masks::stored_column);
    bool const stores_whole = stored_columns == 0 || stored_columns == all_columns;
    bool const rows_free = masks.get(Masks::free_row) == all_rows;
    bool const rows_loaded = masks.get(Masks::loaded_row) == all_rows;
    bool const ends_free = (free_columns | end_columns) == all_columns;
    if (__any_sync(~0u, !ends_free || !rows_free || !stores_whole)) return Mode::edges;
    if (__any_sync(~0u, free_columns != all_columns || !rows_loaded)) return Mode::ends;
    return Mode::interior;
  }

  /// Returns true if point v of row r is free, given whether its plane is.
  template <Mode mode>
  __device__ __forceinline__ bool free_at(bool plane_free, int r, int v) const {
    if (mode == Mode::interior) return true;
    bool const at_end = v == 0 || v == vector - 1;
    bool const column_free = (mode == Mode::ends && !at_end) || masks.has(Masks::free_column, v);
    if (mode == Mode::ends) return column_free;
    return plane_free && column_free && masks.has(Masks::free_row, r);
  }

 private:
  /// Steps by which a value can spread before the last step reads it.
  static constexpr int reach = S::steps - 1;

  /// Returns the points of a tile along one axis that it stores. The outermost tiles have no margin
  /// on their outer side.
  template <int width, int margin>
  __device__ __forceinline__ static Range stored_part(int tile, int tiles, int lower,
                                                      Range const& region) {
    Range stored;
    stored.lower = tile == 0 ? region.lower : lower + margin;
    stored.upper = tile == tiles - 1 ? region.upper : min(lower + width - margin, region.upper);
    return stored;
  }
};

/// Returns how many planes can be advanced from now on without checks in z. Meanwhile no level is
/// at a fixed plane that influences a stored one, and all planes to be loaded exist. `stored` is
/// that of Stream.
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

/// Returns how many planes can be advanced from now on before one is stored that is forwarded.
/// @param lower  the first plane that the block writes
/// @param stored  that of Stream
template <class Real>
__device__ int planes_before_forward(Work<Real> const& work, int lower, int stored) {
  // The next plane to store, after -stored planes that are not stored.
  int const next = lower + max(stored, 0);
  if (next < work.forwards.lower_end) return max(-stored, 0);
  return min(work.forwards.upper_begin, INT_MAX / 2) - lower - stored;
}

/// Cost for a block to change to another tile, in planes: it advances 2 * steps planes without
/// storing one, and waits for the first plane to arrive.
template <class S>
constexpr int lost_planes = 2 * S::steps + 2;

}  // namespace isotherm::cuda::temporal_3d
