#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/device/device_attribute.hpp"
#include "kernels/core/cuda/lane.hpp"
#include "kernels/core/cuda/range.hpp"
#include "kernels/sweep/cuda/change.cuh"
#include "kernels/sweep/cuda/ptx.cuh"
#include "kernels/sweep/cuda/resident/persistent_2d.hpp"
#include "kernels/sweep/cuda/star.cuh"
#include "kernels/updates/rules.hpp"

// A persistent kernel: steps of a two-dimensional grid that is held in registers.
//
//   the grid, cut into tiles of      a tile with its halo, 128 x 8 R points
//   one block each                        32 lanes of 4 points
//   +-------+-------+-------+        +---------------------------+
//   |       |       |       |        | . . . . . halo . . . . . .| warp 0: R rows
//   |       |       |       |        | . +-------------------+ . |
//   +-------+-------+-------+        | . |                   | . | warp 1
//   |       |       |       |        | . |   owned points    | . |  ...
//   |       |       |       |        | . +-------------------+ . |
//   +-------+-------+-------+        | . . . . . . . . . . . . . | warp 7
//                                    +---------------------------+
//
// Every block performs `depth` steps on all points of its tile. After each step, one more ring of
// halo points is invalid. Then the block writes its owned points within `depth` of its edge to
// memory (L2 cache) and publishes this by a flag. It waits for the flags of its eight neighbours
// and reads its halo again. Two copies of these edge points (rims) suffice. A block that writes a
// copy for the second time has seen all neighbours publish the other copy. They publish it only
// after having read the first one.
//
// Within a step, x neighbours come by shuffles and y neighbours from registers. Only the first and
// last row of a warp pass through shared memory. These rows are computed first, so they are written
// long before the barrier. Cost per point and step: 1 shuffle (2 in float64) and no memory traffic;
// per exchange approximately 2 (width + height) depth points are written and read.

namespace isotherm::cuda::persistent_2d {

/// Warps of a block, each of which has R rows of the tile.
constexpr int warps = 8;
constexpr int threads = 32 * warps;
/// Adjacent points of a row that a lane holds.
constexpr int per_lane = 4;
/// Columns of a tile, including its halo.
constexpr int tile_width = 32 * per_lane;
/// Mask of all columns of a lane.
constexpr unsigned all_columns = (1u << per_lane) - 1;
static_assert(warps <= 32 && threads >= 9, "one warp's lanes wait for eight neighbours");
static_assert(per_lane == 4, "quads are moved by float4 and double2");

/// The kernel's arguments: the grid and its division into tiles. Points are numbered from the
/// grid's first one.
template <class Real>
struct Grid {
  Real* field;                         ///< the grid's first point
  Real const* source;                  ///< the source at that point; null: none
  std::int64_t field_row, source_row;  ///< elements from row to row
  int nx, ny;                          ///< numbers of points
  bool periodic_x, periodic_y;
  /// Points that may change; all others are fixed.
  Range free_x, free_y;
  int blocks_x, blocks_y;  ///< numbers of tiles
  int depth;               ///< steps between exchanges, a multiple of per_lane
  std::int64_t steps;      ///< steps to perform
  Real* rims;       ///< two copies of the grid, of which only the edge points of tiles are used
  int rims_row;     ///< elements, a multiple of per_lane
  unsigned* flags;  ///< number of times that each block has published, initially zero
  /// Steps whose change is measured.
  MeasuredSteps measured;
};

/// Returns the points of part `i` of an axis that is divided into `parts`. All parts begin at
/// multiples of `unit`.
__host__ __device__ inline Range part_of(int points, int unit, int parts, int i) {
  int const units = (points + unit - 1) / unit;
  int const lower = static_cast<int>(static_cast<std::int64_t>(units) * i / parts) * unit;
  int const upper = static_cast<int>(static_cast<std::int64_t>(units) * (i + 1) / parts) * unit;
  return {lower, upper < points ? upper : points};
}

/// Maps `i` to a point of the grid, across a periodic face if necessary. Returns -1 if there is no
/// such point.
__device__ inline int wrapped(int i, int points, bool periodic) {
  if (periodic) {
    if (i < 0) i += points;
    if (i >= points) i -= points;
  }
  return i >= 0 && i < points ? i : -1;
}

/// Returns `i` hidden from the compiler: values that depend on it are computed at their use,
/// instead of being kept in registers.
__device__ __forceinline__ int hidden(int i) {
  forget(i);
  return i;
}

/// Loads four adjacent points.
template <class Real>
__device__ __forceinline__ void load_quad(Real (&to)[per_lane], Real const* from) {
  if constexpr (sizeof(Real) == 4) {
    float4 const q = *reinterpret_cast<float4 const*>(from);
    to[0] = q.x, to[1] = q.y, to[2] = q.z, to[3] = q.w;
  } else {
    double2 const a = *reinterpret_cast<double2 const*>(from);
    double2 const b = *reinterpret_cast<double2 const*>(from + 2);
    to[0] = a.x, to[1] = a.y, to[2] = b.x, to[3] = b.y;
  }
}

/// Stores four adjacent points.
template <class Real>
__device__ __forceinline__ void store_quad(Real* to, Real const (&from)[per_lane]) {
  if constexpr (sizeof(Real) == 4) {
    *reinterpret_cast<float4*>(to) = float4{from[0], from[1], from[2], from[3]};
  } else {
    *reinterpret_cast<double2*>(to) = double2{from[0], from[1]};
    *reinterpret_cast<double2*>(to + 2) = double2{from[2], from[3]};
  }
}

/// The first and last rows of all warps in shared memory, for two alternating steps. A quad of
/// float64 is stored as two halves, which avoids bank conflicts. Slots 0 and warps + 1 belong to no
/// warp; they remain zero.
template <class Real>
struct EdgeRows {
  static constexpr int halves = sizeof(Real) / 4;
  static constexpr int half = per_lane / halves;
  alignas(16) Real rows[2][warps + 2][2][halves][32 * half];

  /// Writes a lane's points of a warp's first (which = 0) or last (1) row.
  __device__ __forceinline__ void write(int parity, int slot, int which, int lane,
                                        Real const (&row)[per_lane]) {
#pragma unroll
    for (int h = 0; h < halves; ++h) {
      Real* const to = &rows[parity][slot][which][h][lane * half];
      if constexpr (sizeof(Real) == 4) {
        *reinterpret_cast<float4*>(to) = float4{row[0], row[1], row[2], row[3]};
      } else {
        *reinterpret_cast<double2*>(to) = double2{row[2 * h], row[2 * h + 1]};
      }
    }
  }
  /// Reads a lane's points of a warp's first (which = 0) or last (1) row.
  __device__ __forceinline__ void read(int parity, int slot, int which, int lane,
                                       Real (&row)[per_lane]) const {
#pragma unroll
    for (int h = 0; h < halves; ++h) {
      Real const* const from = &rows[parity][slot][which][h][lane * half];
      if constexpr (sizeof(Real) == 4) {
        float4 const q = *reinterpret_cast<float4 const*>(from);
        row[0] = q.x, row[1] = q.y, row[2] = q.z, row[3] = q.w;
      } else {
        double2 const q = *reinterpret_cast<double2 const*>(from);
        row[2 * h] = q.x, row[2 * h + 1] = q.y;
      }
    }
  }
};

/// A lane's points of a tile: per_lane points of each of R rows, in registers.
template <class Rule, int R, bool has_source>
struct Patch {
  using Real = typename Rule::Real;
  static_assert(R >= 3, "a warp's first and last rows have one between them");
  static_assert(R <= 32, "rows that are free are bits of a word");

  Real values[R][per_lane];
  /// Position of the thread in the block.
  int lane, warp;
  Range own_x, own_y;  ///< owned points of the block
  int x, y;            ///< the first point; it may lie outside the grid
  int grid_x;          ///< the first point mapped into the grid; meaningless if it does not exist
  unsigned exists, owns, rim;  ///< columns: bit v for point v
  /// Columns whose points may change: bit v for point v.
  unsigned free;
  unsigned free_rows;  ///< bit r for row r
  bool aligned;        ///< the four columns are also an aligned quad in memory
  /// The change of the owned points since the last take_change().
  CompactChange<Real> change;

  /// Determines the lane's position in the grid and the properties of its rows and columns.
  __device__ __forceinline__ void place(Grid<Real> const& grid) {
    lane = threadIdx.x % 32;
    warp = threadIdx.x / 32;
    // Blocks are numbered row by row of the division.
    int const block_x = blockIdx.x % grid.blocks_x;
    int const block_y = blockIdx.x / grid.blocks_x;
    own_x = part_of(grid.nx, per_lane, grid.blocks_x, block_x);
    own_y = part_of(grid.ny, 1, grid.blocks_y, block_y);
    // The tile begins with `depth` points of halo on each side.
    x = own_x.lower - grid.depth + lane * per_lane;
    y = own_y.lower - grid.depth + warp * R;
    grid_x = wrapped(x, grid.nx, grid.periodic_x);
    exists = owns = rim = free = free_rows = 0;
#pragma unroll
    for (int v = 0; v < per_lane; ++v) {
      int const at = column(grid, v);
      if (at < 0) continue;
      exists |= 1u << v;
      if (grid.free_x.contains(at)) free |= 1u << v;
      if (!own_x.contains(x + v)) continue;
      owns |= 1u << v;
      // The rim: owned points that a neighbour's halo contains.
      if (x + v < own_x.lower + grid.depth || x + v >= own_x.upper - grid.depth) rim |= 1u << v;
    }
    // Across a periodic face, a quad may consist of points from both ends of a row.
    aligned = exists == all_columns && grid_x % per_lane == 0 && grid_x + per_lane <= grid.nx;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      int const at = row(grid, r);
      if (at >= 0 && grid.free_y.contains(at)) free_rows |= 1u << r;
    }
  }

  /// Returns true if all points of the tile and its halo are free. Points outside the grid are not
  /// free. Points beyond the halo influence no owned point and are ignored.
  __device__ __forceinline__ bool steps_freely(Grid<Real> const& grid) const {
    // A tile may be larger than its part of the grid with halo.
    bool const matters = x < own_x.upper + grid.depth;
    bool const mine_are_free = (!matters || free == all_columns ||
                                (exists != all_columns && grid.periodic_x && free == exists));
    bool rows_are_free = true;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      rows_are_free =
          rows_are_free && (y + r >= own_y.upper + grid.depth || (free_rows >> r & 1) != 0);
    }
    return mine_are_free && rows_are_free;
  }

  /// Maps column v of the patch (or row r) into the grid. Returns -1 if it lies outside the grid or
  /// the halo.
  __device__ __forceinline__ int column(Grid<Real> const& grid, int v) const {
    return x + v < own_x.upper + grid.depth ? wrapped(x + v, grid.nx, grid.periodic_x) : -1;
  }
  __device__ __forceinline__ int row(Grid<Real> const& grid, int r) const {
    return y + r < own_y.upper + grid.depth ? wrapped(y + r, grid.ny, grid.periodic_y) : -1;
  }

  /// Loads the columns `wanted` of a row of the grid.
  __device__ __forceinline__ void load_points(Grid<Real> const& grid, Real const* row,
                                              unsigned wanted, Real (&quad)[per_lane]) const {
    if (wanted == all_columns && aligned) {
      load_quad(quad, row + grid_x);
    } else if (wanted != 0) {
#pragma unroll
      for (int v = 0; v < per_lane; ++v) {
        if ((wanted >> v & 1) != 0) quad[v] = row[column(grid, v)];
      }
    }
  }

  /// Stores the columns `wanted` of a row of the grid.
  __device__ __forceinline__ void store_points(Real* row, unsigned wanted,
                                               Real const (&quad)[per_lane]) const {
    if (wanted == all_columns) {
      store_quad(row + x, quad);
    } else if (wanted != 0) {
#pragma unroll
      for (int v = 0; v < per_lane; ++v) {
        if ((wanted >> v & 1) != 0) row[x + v] = quad[v];
      }
    }
  }

  /// Loads the patch with its halo. Points outside the grid are zero.
  __device__ __forceinline__ void load(Grid<Real> const& grid) {
#pragma unroll
    for (int r = 0; r < R; ++r) {
      int const j = row(grid, r);
#pragma unroll
      for (int v = 0; v < per_lane; ++v) values[r][v] = Real(0);
      if (j >= 0) load_points(grid, grid.field + j * grid.field_row, exists, values[r]);
    }
  }

  /// Stores the owned points.
  __device__ __forceinline__ void store(Grid<Real> const& grid) const {
    int const first = hidden(y);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (!own_y.contains(first + r)) continue;
      store_points(grid.field + (first + r) * grid.field_row, owns, values[r]);
    }
  }

  /// Stores the owned points within `depth` of the tile's edge.
  __device__ __forceinline__ void store_rim(Grid<Real> const& grid, Real* rims) const {
    int const first = hidden(y);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      int const j = first + r;
      if (!own_y.contains(j)) continue;
      // Rows near the lower and upper edge are stored completely; of the others, only the ends.
      bool const whole = j < own_y.lower + grid.depth || j >= own_y.upper - grid.depth;
      store_points(rims + j * grid.rims_row, whole ? owns : rim, values[r]);
    }
  }

  /// Loads the halo points, which neighbours own.
  __device__ __forceinline__ void load_halo(Grid<Real> const& grid, Real const* rims) {
    int const first = hidden(y);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      int const j =
          first + r < own_y.upper + grid.depth ? wrapped(first + r, grid.ny, grid.periodic_y) : -1;
      if (j < 0) continue;
      // In owned rows only the columns of the halo are read.
      unsigned const wanted = own_y.contains(first + r) ? exists & ~owns : exists;
      load_points(grid, rims + j * grid.rims_row, wanted, values[r]);
    }
  }

  /// Writes the warp's first and last row for the neighbouring warps.
  __device__ __forceinline__ void publish_edges(EdgeRows<Real>& edges, int parity) const {
    edges.write(parity, warp + 1, 0, lane, values[0]);
    edges.write(parity, warp + 1, 1, lane, values[R - 1]);
  }

  /// Computes one step of row r from the rows around it.
  /// @tparam masked  some points may not be free
  template <bool masked, bool has_change>
  __device__ __forceinline__ void step_row(Rule const& rule, Grid<Real> const& grid, int r,
                                           Real const (&below)[per_lane],
                                           Real const (&here)[per_lane],
                                           Real const (&above)[per_lane], Real (&after)[per_lane]) {
    // The first and the last lane get meaningless neighbours, which only invalidate halo points.
    Real const left = __shfl_up_sync(~0u, here[per_lane - 1], 1);
    Real const right = __shfl_down_sync(~0u, here[0], 1);
    Real share[per_lane] = {};
    [[maybe_unused]] Real changes[per_lane];
    if constexpr (has_source) {
      int const j = wrapped(hidden(y) + r, grid.ny, grid.periodic_y);
      // The source is read from memory (L2) in each step: there are no registers for it.
      if (j >= 0) load_points(grid, grid.source + j * grid.source_row, exists, share);
    }
#pragma unroll
    for (int v = 0; v < per_lane; ++v) {
      auto const beside = [&](int dj, int) { return dj < 0 ? below[v] : above[v]; };
      Real result = rule(Star{here, v, left, right, beside});
      if constexpr (has_source) result += share[v];
      if constexpr (masked) {
        bool const is_free = (free_rows >> r & 1) != 0 && (free >> v & 1) != 0;
        result = is_free ? result : here[v];
      }
      if constexpr (has_change) {  // a fixed point changes by 0
        bool const counts = (owns >> v & 1) != 0 && own_y.contains(y + r);
        changes[v] = counts ? result - here[v] : Real(0);
      }
      after[v] = result;
    }
    if constexpr (has_change) change.add(changes, true);
  }

  /// Returns the change measured since the last call, and resets it.
  __device__ ThreadChange take_change() {
    ThreadChange const share = change.share();
    change = {};
    return share;
  }

  /// Performs one step of all rows. Reads the warps' edge rows of `parity` and writes those of the
  /// other parity.
  template <bool masked, bool has_change>
  __device__ __forceinline__ void step(Rule const& rule, Grid<Real> const& grid,
                                       EdgeRows<Real>& edges, int parity) {
    Real outside[per_lane];
    Real first[per_lane];
    Real last[per_lane];
    // The edge rows first: other warps need them for the next step.
    edges.read(parity, warp, 1, lane, outside);
    step_row<masked, has_change>(rule, grid, 0, outside, values[0], values[1], first);
    edges.read(parity, warp + 2, 0, lane, outside);
    step_row<masked, has_change>(rule, grid, R - 1, values[R - 2], values[R - 1], outside, last);
    edges.write(parity ^ 1, warp + 1, 0, lane, first);
    edges.write(parity ^ 1, warp + 1, 1, lane, last);
    // The inner rows from bottom to top. `below` is the old value of the row before, which is
    // overwritten.
    Real below[per_lane];
#pragma unroll
    for (int v = 0; v < per_lane; ++v) below[v] = values[0][v];
#pragma unroll
    for (int r = 1; r < R - 1; ++r) {
      Real after[per_lane];
      step_row<masked, has_change>(rule, grid, r, below, values[r], values[r + 1], after);
#pragma unroll
      for (int v = 0; v < per_lane; ++v) {
        below[v] = values[r][v];
        values[r][v] = after[v];
      }
    }
#pragma unroll
    for (int v = 0; v < per_lane; ++v) {
      values[0][v] = first[v];
      values[R - 1][v] = last[v];
    }
  }
};

/// Waits until the (at most eight) neighbouring blocks have published `count` times. All threads of
/// the block must call it.
template <class Real>
__device__ __forceinline__ void wait_for_neighbours(Grid<Real> const& grid, unsigned count) {
  // Nine threads for the 3 × 3 blocks around this one, without itself. They poll in parallel.
  if (threadIdx.x < 9 && threadIdx.x != 4) {
    int const i = wrapped(static_cast<int>(blockIdx.x % grid.blocks_x + threadIdx.x % 3) - 1,
                          grid.blocks_x, grid.periodic_x);
    int const j = wrapped(static_cast<int>(blockIdx.x / grid.blocks_x + threadIdx.x / 3) - 1,
                          grid.blocks_y, grid.periodic_y);
    if (i >= 0 && j >= 0) {
      while (load_acquire(grid.flags + j * grid.blocks_x + i) < count) {
      }
    }
  }
  __syncthreads();
}

/// Publishes all earlier stores of the block to other blocks. All threads of the block must call
/// it.
__device__ __forceinline__ void publish(unsigned* flags, unsigned count) {
  __syncthreads();
  if (threadIdx.x == 0) store_release(flags + blockIdx.x, count);
}

/// The kernel: loads the grid, performs all steps and stores the grid.
///
/// A thread holds 4 · R points of the tile in registers. Shared memory holds the edge rows of the
/// warps and partial norms. All blocks must be resident, since they wait for their neighbours.
template <class Rule, int R, bool has_source>
__global__ void __launch_bounds__(threads, 1)
    advance(Rule const rule, Grid<typename Rule::Real> const grid) {
  using Real = typename Rule::Real;
  __shared__ EdgeRows<Real> edges;
  // Zeroes the slots that no warp writes.
  for (int i = threadIdx.x; i < static_cast<int>(sizeof(edges) / 4); i += threads) {
    reinterpret_cast<int*>(&edges)[i] = 0;
  }
  __syncthreads();

  Patch<Rule, R, has_source> patch;
  patch.place(grid);
  patch.load(grid);
  patch.publish_edges(edges, 0);
  // The first publication tells the neighbours that this block has loaded its points.
  unsigned published = 1;
  publish(grid.flags, published);
  __syncthreads();

  // If all points of the block are free, the loop needs no masks.
  bool const all_free = __syncthreads_and(patch.steps_freely(grid));

  // Partial norms of the warps, for two measured steps alternately.
  __shared__ ThreadChange warps[2][threads / 32];
  int parity = 0;
  std::int64_t done = 0;
  int known = 0;  // number of steps that have been measured
  int until_exchange = grid.depth;
  while (done < grid.steps) {
    // Run without measurement up to the next measured step, exchange or end.
    std::int64_t const stop = known < grid.measured.count
                                  ? grid.measured.first + known * grid.measured.every - 1
                                  : grid.steps;
    // Steps without measurement, in a loop of their own: they need no code for norms.
    int const count = static_cast<int>(min(stop - done, static_cast<std::int64_t>(until_exchange)));
    if (!has_source && all_free) {
#pragma unroll 1
      for (int i = 0; i < count; ++i, parity ^= 1) {
        patch.template step<false, false>(rule, grid, edges, parity);
        __syncthreads();
      }
    } else {
#pragma unroll 1
      for (int i = 0; i < count; ++i, parity ^= 1) {
        patch.template step<true, false>(rule, grid, edges, parity);
        __syncthreads();
      }
    }
    done += count;
    until_exchange -= count;
    if (until_exchange > 0 && done < grid.steps) {  // the next step is a measured one
      if (!has_source && all_free) {
        patch.template step<false, true>(rule, grid, edges, parity);
      } else {
        patch.template step<true, true>(rule, grid, edges, parity);
      }
      parity ^= 1;
      // With two alternating buffers, the barrier in add_to() suffices for the sum and for the edge
      // rows.
      add_to<threads>(grid.measured.changes + known, patch.take_change(), patch.warp, patch.lane,
                      warps[known % 2]);
      ++known;
      ++done;
      --until_exchange;
    }
    // An exchange is due only if the halo is used up and steps remain.
    if (until_exchange > 0 || done == grid.steps) continue;
    // Exchange: publish the own rim, wait for the neighbours, read the halo.
    Real* const rims =
        grid.rims + (published & 1) * static_cast<std::int64_t>(grid.rims_row) * grid.ny;
    patch.store_rim(grid, rims);
    publish(grid.flags, ++published);
    wait_for_neighbours(grid, published);
    patch.load_halo(grid, rims);
    patch.publish_edges(edges, parity);
    __syncthreads();
    until_exchange = grid.depth;
  }
  wait_for_neighbours(grid, 1);  // all blocks have loaded the points that are overwritten now
  patch.store(grid);
}

/// A division of the grid among the blocks.
struct Cut {
  int rows_per_warp;
  int blocks_x, blocks_y, depth;  ///< as in Grid
  double cost;                    ///< estimated cost of a step in cycles
};

/// Returns the division with the lowest cost for at most `multiprocessors` blocks of R rows per
/// warp. Returns none if the grid does not fit.
inline std::optional<Cut> cheapest_cut(int nx, int ny, int rows_per_warp, int multiprocessors,
                                       std::size_t element_bytes) {
  std::optional<Cut> best;
  for (int depth = per_lane; depth <= 16; depth += per_lane) {
    // Owned points per tile: rows, and quads in x.
    int const height = warps * rows_per_warp - 2 * depth;
    int const units = (tile_width - 2 * depth) / per_lane;
    if (height < 1) continue;
    int const units_x = (nx + per_lane - 1) / per_lane;
    int const blocks_x = (units_x + units - 1) / units;
    int const blocks_y = (ny + height - 1) / height;
    // All blocks must be resident at a time, one per multiprocessor.
    if (static_cast<std::int64_t>(blocks_x) * blocks_y > multiprocessors) continue;
    // The halo must lie within the adjacent tiles.
    if (units_x / blocks_x * per_lane - (per_lane - 1) < depth || ny / blocks_y < depth) continue;
    // Estimated cycles: a constant part, a part per row, and the exchange.
    double const row_cost = element_bytes == 8 ? 105.0 : 55.0;
    double const cost = 150.0 + row_cost * rows_per_warp + 3000.0 / depth;
    // More depth means fewer exchanges, but more redundant points.
    if (!best || cost < best->cost) best = Cut{rows_per_warp, blocks_x, blocks_y, depth, cost};
  }
  return best;
}

/// Allocates the rims and flags, and launches the kernel. The launch is cooperative, since blocks
/// wait for each other and must all be resident.
template <class Rule, int R, bool has_source>
void launch(Queue& queue, Rule const& rule, Grid<typename Rule::Real> grid) {
  using Real = typename Rule::Real;
  // Rims and flags are in scratch memory: the work of a queue is in order.
  std::size_t const rims = 2 * sizeof(Real) * grid.rims_row * static_cast<std::size_t>(grid.ny);
  unsigned const blocks = static_cast<unsigned>(grid.blocks_x * grid.blocks_y);
  cudaStream_t const stream = make_current(queue);
  auto* const memory = static_cast<char*>(scratch_memory(queue, rims + blocks * sizeof(unsigned)));
  grid.rims = reinterpret_cast<Real*>(memory);
  grid.flags = reinterpret_cast<unsigned*>(memory + rims);
  // Flags count publications from zero in each launch.
  check(cudaMemsetAsync(grid.flags, 0, blocks * sizeof(unsigned), stream));
  auto rule_argument = rule;
  void* arguments[] = {&rule_argument, &grid};
  check(cudaLaunchCooperativeKernel(reinterpret_cast<void const*>(advance<Rule, R, has_source>),
                                    dim3(blocks), dim3(threads), arguments, 0, stream));
}

/// Returns a box's points on an axis, numbered from the grid's first point.
inline Range range_within(LocalBox const& box, LocalBox const& grid, int axis) {
  return range_of(box.lower[axis] - grid.lower[axis], box.upper[axis] - grid.lower[axis]);
}

/// Returns true if the kernel for this number of rows per warp has enough registers to add a
/// source.
template <class Real>
constexpr bool has_registers_for_source(int rows) {
  return rows * sizeof(Real) <= 11 * sizeof(double);
}

/// Launches the kernel with or without a source.
template <class Rule, int R>
void launch_any(Queue& queue, Rule const& rule, Grid<typename Rule::Real> const& grid) {
  if constexpr (has_registers_for_source<typename Rule::Real>(R)) {
    if (grid.source != nullptr) {
      launch<Rule, R, true>(queue, rule, grid);
      return;
    }
  }
  launch<Rule, R, false>(queue, rule, grid);
}

/// Numbers of rows per warp that the kernel is compiled for.
template <class Real>
using RowChoices =
    std::conditional_t<sizeof(Real) == 4, std::integer_sequence<int, 4, 8, 11, 16, 24>,
                       std::integer_sequence<int, 4, 8, 11, 13>>;

/// Returns the division of a grid of `n` points with the lowest cost on the device, or none if it
/// does not fit.
template <class Real, int... Rows>
std::optional<Cut> choose_cut(int device, Extent3 n, bool has_source,
                              std::integer_sequence<int, Rows...>) {
  // Larger grids fit no device; the bound also avoids overflow of 32-bit indices.
  constexpr std::int64_t max_points = 1 << 24;
  if (n.x < 1 || n.y < 1 || n.z != 1 || n.x > max_points / n.y) return std::nullopt;
  int const blocks = multiprocessor_count(device);
  std::optional<Cut> best;
  for (int const rows : {Rows...}) {
    if (has_source && !has_registers_for_source<Real>(rows)) continue;
    auto const cut =
        cheapest_cut(static_cast<int>(n.x), static_cast<int>(n.y), rows, blocks, sizeof(Real));
    if (cut && (!best || cut->cost < best->cost)) best = cut;
  }
  return best;
}

/// Launches the kernel that is compiled for the given number of rows per warp.
template <class Rule, int... Rows>
void launch_cut(Queue& queue, Rule const& rule, Grid<typename Rule::Real> const& grid,
                int rows_per_warp, std::integer_sequence<int, Rows...>) {
  ((Rows == rows_per_warp ? launch_any<Rule, Rows>(queue, rule, grid) : void()), ...);
}

/// Returns the kernel's arguments for a grid that is divided as given by `cut`.
template <class Real>
Grid<Real> make_grid(ResidentGrid<Real> const& whole, Cut const& cut) {
  Extent3 const n = whole.points.extent();
  Index3 const first = whole.points.lower;
  Grid<Real> grid{};
  grid.field = &whole.field(first.x, first.y, first.z);
  grid.field_row = whole.field.stride_y;
  if (whole.source) grid.source = &whole.source(first.x, first.y, first.z);
  grid.source_row = whole.source.stride_y;
  grid.nx = static_cast<int>(n.x);
  grid.ny = static_cast<int>(n.y);
  grid.periodic_x = whole.periodic[0];
  grid.periodic_y = whole.periodic[1];
  bool const frozen = intersection(whole.free, whole.points).empty();
  grid.free_x = frozen ? Range{0, 0} : range_within(whole.free, whole.points, 0);
  grid.free_y = frozen ? Range{0, 0} : range_within(whole.free, whole.points, 1);
  grid.blocks_x = cut.blocks_x;
  grid.blocks_y = cut.blocks_y;
  grid.depth = cut.depth;
  grid.rims_row = (grid.nx + per_lane - 1) / per_lane * per_lane;
  return grid;
}

}  // namespace isotherm::cuda::persistent_2d
