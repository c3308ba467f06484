#pragma once

// Temporal blocking in 3D: several steps of a rule in one pass over memory.
//
// A block streams along z. Its tile is 512 bytes wide (128 float32 or 64 float64 points, 16 bytes
// per lane) and warps x rows high. The blocks of a cluster are adjacent in y:
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
// Level l is the field after l steps. While input plane z arrives, level l is computed at plane z -
// l from planes of level l - 1 around z - l:
//
//     level 0   before, here: ring of input planes in shared memory, filled by asynchronous copies
//     level l   before (z - l - 2), here (z - l - 1): registers; above (z - l): just computed
//     x neighbours: shuffles    y neighbours: registers, a warp's edge rows through shared memory
//
// A warp synchronises once per plane, and only with its neighbours. Warps may drift apart by a
// plane each and thereby hide each other's latencies.
//
// There are as many blocks as can be resident, and each gets planes of equal cost (TileTask), so
// the slowest block determines the time. Tiles at the edges must therefore not take longer than
// others. The loop is compiled in four copies (Mode) that differ in their checks; the common ones
// contain no check that they do not need.
//
// Cost for t = 4, 12 x 3, cluster of 2, float32: the useful share is (1 - 8/128)(1 - 8/72) = 0.83.
// A pass moves at most 4 (1 / 0.83 + 1) = 8.8 bytes per point, since halos mostly hit L2. This is
// 2.2 bytes per step; a copy-bound sweep moves 3.6 times as many. An update needs six
// floating-point operations, approximately 10.4 instructions, and 12 bytes of shared memory. In
// float64 it needs 17 instructions and 24 bytes of shared memory, and a pass moves twice the bytes.
//
// Three properties are decisive for speed. The inner loop spills no registers; a spill goes to L2,
// since shared memory occupies the first-level cache. Loops have less than 24 KB of code. Stores
// begin at a sector.
//
// Streaming along one axis, with all levels on the chip, is the 3.5D blocking of A. Nguyen, N.
// Satish, J. Chhugani, C. Kim and P. Dubey, 3.5-D blocking optimization for stencil computations on
// modern CPUs and GPUs, SC 2010.

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
#include "kernels/sweep/cuda/resident/resident_blocks.cuh"
#include "kernels/sweep/cuda/shares.hpp"
#include "kernels/sweep/cuda/specialise.cuh"
#include "kernels/sweep/cuda/star.cuh"
#include "kernels/sweep/cuda/temporal/temporal_3d_tile.cuh"
#include "kernels/sweep/cuda/variant.hpp"

namespace isotherm::cuda::temporal_3d {

/// Dynamic shared memory of a block; Tile describes its parts.
extern __shared__ __align__(128) char shared[];

/// Returns the vector at a byte offset of shared memory.
template <class Real>
__device__ __forceinline__ Vector<Real>& shared_vector(int offset) {
  return *reinterpret_cast<Vector<Real>*>(shared + offset);
}

/// The ring of input planes in shared memory. The members are offsets of a thread's first vector in
/// three of its planes.
/// @tparam S  a Shape: the dimensions of a block's tile
template <class Real, class S>
struct Ring {
  using T = Tile<Real, S>;
  static constexpr int begin = T::row_bytes;  ///< behind the row that absorbs edge reads
  static constexpr int bytes = S::ring * T::plane_bytes;

  int above;   ///< of plane z
  int here;    ///< of plane z - 1
  int before;  ///< of plane z - 2

  /// Positions the thread at the first plane.
  __device__ __forceinline__ Ring(int warp, int lane) {
    int const own = warp * S::rows * T::row_bytes + lane * 16;
    // Plane z is loaded first; the two planes before it are the last ones of the ring.
    above = begin + own;
    here = begin + own + (S::ring - 1) * T::plane_bytes;
    before = here - T::plane_bytes;
  }

  /// Returns the offset in the ring's next plane.
  __device__ __forceinline__ static int after(int plane) {
    int const next = plane + T::plane_bytes;
    return next >= bytes + begin ? next - bytes : next;
  }
  /// Returns the thread's vector of row r of a plane. Rows -1 and S::rows belong to neighbouring
  /// threads.
  __device__ __forceinline__ static Vector<Real>& row(int plane, int r) {
    return shared_vector<Real>(plane + r * T::row_bytes);
  }
  /// Proceeds to the next plane: the slots move by one around the ring.
  __device__ __forceinline__ void next_plane() {
    before = here;
    here = above;
    above = after(above);
  }
};

/// The first and last rows of all warps in shared memory. They exist for all levels between the
/// first and the last, and separately for planes of even and odd number. A warp's two rows are
/// stored between the rows of its neighbours.
template <class Real, class S>
struct EdgeRows {
  using T = Tile<Real, S>;
  using Vector = cuda::Vector<Real>;

  int fresh;  ///< of planes z - level: offset of the last row of the warp below
  int here;   ///< of planes z - 1 - level
  /// The adjacent row of the neighbouring block in the cluster, relative to the thread's first row;
  /// 0 if there is none.
  int shared_row;
  unsigned remote = 0;  ///< added to `fresh`, it gives the address in that block

  /// Positions the thread at the first plane, and finds the neighbouring block in the cluster.
  __device__ __forceinline__ EdgeRows(int rank, int warp, int lane) {
    // One half of the buffer is for even planes, the other for odd ones.
    constexpr int half = T::edge_levels * T::edge_plane_bytes;
    fresh = T::ring_bytes + 2 * warp * T::row_bytes + lane * 16;
    here = fresh + half;
    shared_row = S::cluster == 1                                 ? 0
                 : warp == 0 && rank > 0                         ? -1
                 : warp == S::warps - 1 && rank < S::cluster - 1 ? S::rows
                                                                 : 0;
    if constexpr (S::cluster > 1) {
      if (shared_row != 0) {
        int const towards = shared_row < 0 ? -1 : 1;
        int const to_row = shared_row < 0 ? 2 * S::warps + 1 : 0;
        remote = Cluster<S::cluster>::address_in(rank + towards, shared_address(shared)) +
                 (to_row - 2 * warp) * T::row_bytes;
      }
    }
  }

  /// Reads the row below the warp's first row.
  __device__ __forceinline__ Vector south_of_warp(int level) const {
    return shared_vector<Real>(here + of_level(level));
  }
  /// Reads the row above the warp's last row.
  __device__ __forceinline__ Vector north_of_warp(int level) const {
    return shared_vector<Real>(here + of_level(level) + 3 * T::row_bytes);
  }

  /// Writes the warp's first and last row of a level's newest plane.
  __device__ __forceinline__ void write(int level, Vector const& first, Vector const& last) const {
    shared_vector<Real>(fresh + of_level(level) + T::row_bytes) = first;
    shared_vector<Real>(fresh + of_level(level) + 2 * T::row_bytes) = last;
  }

  /// Sends the row at the border of two blocks to the other block of the cluster as well.
  __device__ __forceinline__ void send_border(int level, int warp, typename T::Barrier const& to,
                                              Vector const& first, Vector const& last) const {
    if constexpr (S::cluster > 1) {
      if (remote == 0) return;
      Vector border;
#pragma unroll
      for (int v = 0; v < T::vector; ++v) border.v[v] = warp == 0 ? first.v[v] : last.v[v];
      send(remote + fresh + of_level(level), to.remote(), border);
    }
  }

  /// Proceeds to the next plane: the two halves of the buffer exchange their roles.
  __device__ __forceinline__ void next_plane() {
    int const edges = fresh;
    fresh = here;
    here = edges;
  }

 private:
  /// Returns the offset of a level's edge rows, for the levels 1 … steps − 1.
  __device__ __forceinline__ static int of_level(int level) {
    return (level - 1) * T::edge_plane_bytes;
  }
};

/// A thread: its position in the block, and its views of shared memory.
template <class Real, class S>
struct Thread {
  using T = Tile<Real, S>;

  /// Position in the warp, in the block and in the cluster.
  int lane, warp, rank;
  typename T::Barrier barrier;
  unsigned shared_base;     ///< shared address of the block's dynamic memory
  Ring<Real, S> ring;       ///< the thread's vectors of the input planes
  EdgeRows<Real, S> edges;  ///< the rows that its warp exchanges with others

  __device__ __forceinline__ Thread(int the_lane, int the_warp)
      : lane(the_lane),
        warp(the_warp),
        rank(Cluster<S::cluster>::rank()),
        barrier(shared + T::ring_bytes + T::edge_bytes, warp),
        shared_base(shared_address(shared)),
        ring(warp, lane),
        edges(rank, warp, lane) {}

  /// Proceeds to the next plane, in all views of shared memory.
  __device__ __forceinline__ void next_plane() {
    ring.next_plane();
    edges.next_plane();
    barrier.next_plane();
  }
};

/// A thread's points of one level: those of the last two planes before a third arrives.
template <class Real, class S>
struct Level {
  Vector<Real> before[S::rows];  ///< plane z - 2 - level
  Vector<Real> here[S::rows];    ///< plane z - 1 - level
};

/// Streams a thread along z through a piece of a tile, whose planes the block writes.
///
/// If the rule sums up the values of its steps (SummedRelax), a running sum accompanies each plane
/// from level to level. The sum is stored instead of the values.
template <class Rule, class S, bool has_source, bool has_change>
struct Stream {
  using Real = typename Rule::Real;
  using T = Tile<Real, S>;
  using Vector = cuda::Vector<Real>;
  static constexpr int steps = S::steps;
  static constexpr int rows = S::rows;
  static constexpr int vector = T::vector;
  static constexpr bool sums = sums_up<Rule>;

  Rule const& rule;
  Work<Real> const& work;
  TileTask const& task;  ///< in shared memory, so reading it repeatedly needs no register
  Thread<Real, S>& thread;
  CompactChange<Real>& change;
  int const planes;  ///< number of planes that the block writes
  /// Position and properties of the thread's points.
  Points<Real, S> points;
  Real const* in;  ///< the thread's first point in the next plane to load
  Real* out;       ///< the thread's first point in the next plane to store
  int stored;      ///< planes stored; z = z_lower + steps + stored, so it is negative at first
  Level<Real, S> levels[steps];
  Vector sum[rows];             ///< of the plane that enters the next level, if the rule sums up
  Vector waiting[steps][rows];  ///< sums of planes that enter the next level one plane later

  __device__ __forceinline__ Stream(Rule const& the_rule, Work<Real> const& the_work,
                                    TileTask const& the_task, Thread<Real, S>& the_thread,
                                    CompactChange<Real>& the_change, int planes_to_write)
      : rule(the_rule),
        work(the_work),
        task(the_task),
        thread(the_thread),
        change(the_change),
        planes(planes_to_write),
        points(work, task.tile, thread.rank, thread.warp, thread.lane, thread.edges.shared_row),
        in(work.in + points.x + points.y * work.in_row + first_z() * work.in_plane),
        out(work.out + points.x + points.y * work.out_row + (first_z() - steps) * work.out_plane),
        stored(-2 * steps) {}

  /// Advances all planes of the piece, each time by the loop with the fewest checks.
  __device__ __forceinline__ void sweep() {
    // With a source this saves no registers, and measured slower.
    if constexpr (S::cluster > 1 && !has_source) thread.barrier.know_uniform();
    load_first_planes();
    while (stored < planes) {
      // As many planes as the quick loops can process without checks in z.
      int const turns = min(quick_planes<S>(work, task.planes, stored),
                            planes_before_forward(work, task.planes.lower, stored)) /
                        S::unroll;
      Mode const mode = turns > 0 ? points.mode_of_warp() : Mode::any;
      if (mode == Mode::interior) {
        advance_turns<Mode::interior>(turns);
      } else if (mode == Mode::ends) {
        advance_turns<Mode::ends>(turns);
      } else if (mode == Mode::edges) {
        advance_turns<Mode::edges>(turns);
      } else {
        advance<Mode::any>();
      }
    }
  }

 private:
  /// Returns the first plane that the piece depends on.
  __device__ __forceinline__ int first_z() const { return task.planes.lower - steps; }

  /// Starts loading the first planes and zeroes the levels.
  __device__ __forceinline__ void load_first_planes() {
    int load_to = thread.ring.above;
    int const z_first = first_z();
#pragma unroll
    for (int i = 0; i < S::ahead; ++i) {
      start_load<Mode::any>(load_to, z_first + i);
      load_to = Ring<Real, S>::after(load_to);
    }
#pragma unroll
    for (int level = 0; level < steps; ++level) {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        levels[level].before[r] = levels[level].here[r] = Vector{};
        if constexpr (sums) waiting[level][r] = Vector{};
      }
    }
    // All but the last copies, so the first plane has arrived.
    copy_wait<S::ahead - 1>();
    __syncthreads();  // the first plane has arrived, also that of neighbouring warps
  }

  /// Starts loading the next plane, z_load, unless no written plane depends on it.
  template <Mode mode>
  __device__ __forceinline__ void start_load(int to, int z_load) {
    constexpr bool all_exist = mode == Mode::interior;
    // No written plane depends on planes that would be loaded later.
    if (stored + S::ahead < planes && (mode != Mode::any || work.exists.z.contains(z_load))) {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        if (all_exist || points.masks.has(Masks::loaded_row, r)) load_row(to, r);
      }
      if (S::cluster > 1 && points.masks.has(Masks::loaded_shared_row)) {
        load_row(to, thread.edges.shared_row);
      }
    }
    copy_commit();
    in += work.in_plane;
  }
  /// Starts loading the thread's vector of row r.
  __device__ __forceinline__ void load_row(int to, int r) const {
    copy_async(thread.shared_base + to + r * T::row_bytes, in + r * work.in_row);
  }

  /// Advances `turns` times S::unroll planes.
  template <Mode mode>
  __device__ __forceinline__ void advance_turns(int turns) {
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
      for (int i = 0; i < S::unroll; ++i) advance<mode>();
    }
  }

  /// Receives input plane z and advances every level by one plane.
  template <Mode mode>
  __device__ __forceinline__ void advance() {
    points.masks.keep_together();
    Range const written = task.planes;
    int const z = written.lower + steps + stored;
    [[maybe_unused]] Vector share[rows], next_share[rows];
    if constexpr (has_source) load_source(z - 1, next_share);
    // The next plane must have arrived; younger copies may be pending.
    copy_wait<S::ahead - 2>();
    Vector above[rows];
#pragma unroll
    for (int level = 0; level < steps; ++level) {
      int const z_here = z - 1 - level;
      if constexpr (has_source) {
#pragma unroll
        for (int r = 0; r < rows; ++r) share[r] = next_share[r];
        if (level < steps - 1 && adds_source(level + 1)) load_source(z_here - 1, next_share);
      }
      advance_level<mode>(level, z_here, written, share, above);
      // Level 0 has read the oldest plane of the ring. When the neighbouring warps arrive, they
      // have read it as well, and its slot is free for the next load.
      if (level == 0) {
        thread.barrier.wait(thread.lane);
        start_load<mode>(thread.ring.before, z + S::ahead);
      }
    }
    if constexpr (sums) {
      if (stored >= 0) store_plane<mode>(written.lower + stored, sum);
      if (!has_source && stored >= 0) store_rest<mode>(above);
    } else {
      if (stored >= 0) store_plane<mode>(written.lower + stored, above);
    }
    out += work.out_plane;
    ++stored;
    thread.next_plane();
  }

  /// Returns true if a level adds the source. A summing rule adds it only at level 0, which
  /// computes the initial residual.
  static constexpr bool adds_source(int level) { return !sums || level == 0; }

  /// Loads the source at the points of one level. This happens one level ahead, to hide the
  /// latency.
  __device__ __forceinline__ void load_source(int z_here, Vector (&values)[rows]) const {
    bool const column =
        points.x + vector > work.source_exists.x.lower && points.x < work.source_exists.x.upper;
    bool const plane = column && work.source_exists.z.contains(z_here);
    Real const* const first =
        work.source + points.x + points.y * work.source_row + z_here * work.source_plane;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      values[r] = Vector{};
      if (plane && work.source_exists.y.contains(points.y + r)) {
        values[r] = *reinterpret_cast<Vector const*>(first + r * work.source_row);
      }
    }
  }

  /// A row that is being updated, with its neighbours in its plane.
  struct Row {
    /// The thread's vectors of the row below and of this row.
    Vector south, centre;
    Real west, east;

    /// Gets the neighbours along x of the vector's ends from the adjacent lanes.
    __device__ __forceinline__ void exchange_ends() {
      west = __shfl_up_sync(~0u, centre.v[vector - 1], 1);
      east = __shfl_down_sync(~0u, centre.v[0], 1);
    }
  };

  /// Advances plane `z_here` of a level by one step. The plane above it arrives in `above`, which
  /// then receives the result. Level 0 reads the ring.
  template <Mode mode>
  __device__ __forceinline__ void advance_level(int level, int z_here, Range written,
                                                Vector const (&share)[rows],
                                                Vector (&above)[rows]) {
    using Planes = Ring<Real, S>;
    // A constant after unrolling over the levels.
    bool const from_ring = level == 0;
    bool const plane_free = mode != Mode::any || work.free.z.contains(z_here);
    // Only planes that this block writes contribute to the change, so no plane is counted twice.
    bool const plane_counts = has_change && level == steps - 1 && written.contains(z_here);
    Row row;
    row.south = from_ring ? Planes::row(thread.ring.here, -1) : thread.edges.south_of_warp(level);
    Vector const beyond =
        from_ring ? Planes::row(thread.ring.here, rows) : thread.edges.north_of_warp(level);
    row.centre = from_ring ? Planes::row(thread.ring.here, 0) : levels[level].here[0];
    row.exchange_ends();
    // Early, so the neighbours need not wait for them in the next plane.
    if (!from_ring) publish_edges(level, above);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if (from_ring) above[r] = Planes::row(thread.ring.above, r);
      Vector const below = from_ring ? Planes::row(thread.ring.before, r) : levels[level].before[r];
      int const up = r < rows - 1 ? r + 1 : r;
      Vector const north =
          r == rows - 1 ? beyond
                        : (from_ring ? Planes::row(thread.ring.here, up) : levels[level].here[up]);
      // The shuffles of the next row are issued before this row is computed.
      Row next{row.centre, north, Real(0), Real(0)};
      if (r < rows - 1) next.exchange_ends();
      Vector const after = step<mode>(level, row, north, below, above[r], share[r], plane_free, r);
      if constexpr (has_change) {
        if (level == steps - 1) add_change<mode>(row.centre, after, plane_free, plane_counts, r);
      }
      if constexpr (sums) add_to_sum(level, row.centre, below, after, r);
      // The planes of this level move down by one.
      if (!from_ring) levels[level].before[r] = row.centre;
      if (!from_ring) levels[level].here[r] = above[r];
      above[r] = after;
      // The row above becomes the current one.
      row = next;
    }
  }

  /// Adds a level's values to the running sum. Level 0 begins the sum of the plane below its own,
  /// which level 1 processes next. The other levels pass their sum on one plane later.
  __device__ __forceinline__ void add_to_sum(int level, Vector const& centre, Vector const& below,
                                             Vector const& after, int r) {
#pragma unroll
    for (int v = 0; v < vector; ++v) {
      Real& running = sum[r].v[v];
      if (level == 0) {
        running = rule.counts[0] * below.v[v];
        continue;
      }
      Real const with_this = multiply_add(rule.counts[level], centre.v[v], running);
      if (level < steps - 1) {
        running = waiting[level][r].v[v];
        waiting[level][r].v[v] = with_this;
      } else {
        running = has_source ? multiply_add(rule.counts[steps], after.v[v], with_this) : with_this;
      }
    }
  }

  /// Publishes the edge rows of a level's newest plane to the neighbouring warps.
  __device__ __forceinline__ void publish_edges(int level, Vector const (&newest)[rows]) const {
    thread.edges.write(level, newest[0], newest[rows - 1]);
    thread.edges.send_border(level, thread.warp, thread.barrier, newest[0], newest[rows - 1]);
    if (level == steps - 1) thread.barrier.arrive(thread.lane);
  }

  /// Returns a row after one more step.
  template <Mode mode>
  __device__ __forceinline__ Vector step(int level, Row const& row, Vector const& north,
                                         Vector const& below, Vector const& above,
                                         Vector const& share, bool plane_free, int r) const {
    // The level is a constant here, so the factor of a WeightedRelax is a constant operand.
    auto const at_level = rule.of_step(level);
    Vector after;
#pragma unroll
    for (int v = 0; v < vector; ++v) {
      auto const beside = [&](int dj, int dk) {
        if (dk != 0) return dk < 0 ? below.v[v] : above.v[v];
        return dj < 0 ? row.south.v[v] : north.v[v];
      };
      Real result = at_level(Star{row.centre.v, v, row.west, row.east, beside});
      if constexpr (has_source) {
        if (adds_source(level)) result = at_level.plus(result, share.v[v]);
      }
      // Fixed points keep their values. In Mode::interior the selection vanishes.
      after.v[v] = points.template free_at<mode>(plane_free, r, v) ? result : row.centre.v[v];
    }
    return after;
  }

  /// Adds the change of a row's points that are stored and free.
  template <Mode mode>
  __device__ __forceinline__ void add_change(Vector const& before, Vector const& after,
                                             bool plane_free, bool plane_counts, int r) {
    Real changes[vector];
#pragma unroll
    for (int v = 0; v < vector; ++v) {
      bool const counts =
          mode == Mode::interior || (points.masks.has(Masks::stored_column, v) &&
                                     points.template free_at<mode>(plane_free, r, v));
      changes[v] = counts ? after.v[v] - before.v[v] : Real(0);
    }
    change.add(changes, plane_counts && points.masks.has(Masks::stored_row, r));
  }

  /// Stores plane z of the last level, and forwards it if required.
  template <Mode mode>
  __device__ __forceinline__ void store_plane(int z, Vector const (&values)[rows]) const {
    // Planes that are forwarded are processed in Mode::any only.
    std::int64_t const forward = mode == Mode::any ? work.forwards.offset(z) : std::int64_t{0};
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if (!points.masks.has(Masks::stored_row, r)) continue;
      Real* const to = out + r * work.out_row;
      store<mode>(to, values[r]);
      if (mode == Mode::any && forward != 0) store<mode>(to + forward, values[r]);
    }
  }
  /// Stores the values of the last level, in addition to the sum.
  template <Mode mode>
  __device__ __forceinline__ void store_rest(Vector const (&values)[rows]) const {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if (points.masks.has(Masks::stored_row, r)) {
        store<mode>(out + work.to_rest + r * work.out_row, values[r]);
      }
    }
  }
  /// Stores a vector, or those of its points that belong to the region.
  template <Mode mode>
  __device__ __forceinline__ void store(Real* to, Vector const& values) const {
    constexpr bool whole = mode == Mode::interior || mode == Mode::ends;
    if (whole || points.masks.get(Masks::stored_column) == Points<Real, S>::all_columns) {
      *reinterpret_cast<Vector*>(to) = values;
    } else {
#pragma unroll
      for (int v = 0; v < vector; ++v) {
        if (points.masks.has(Masks::stored_column, v)) to[v] = values.v[v];
      }
    }
  }
};

/// The kernel: a block processes the pieces of its TileTask.
///
/// A thread owns a vector of points in each of `rows` rows and streams along z. It holds the last
/// two planes of the levels 1 … steps − 1 in registers. Shared memory holds the ring of input
/// planes and the edge rows of the warps.
template <class Rule, class S, bool has_source, bool has_change>
__global__ void __launch_bounds__(S::threads, 1)
    sweep(Rule const rule, Work<typename Rule::Real> const work) {
  using Real = typename Rule::Real;
  int const lane = threadIdx.x % 32;
  // Broadcast, so the compiler knows that the warp's index is uniform.
  int const warp = __shfl_sync(~0u, threadIdx.x / 32, 0);
  __shared__ TileTask task;
  Thread<Real, S> thread(lane, warp);
  CompactChange<Real> change;
  thread.barrier.arrive_first(lane);

  // One thread determines the pieces for the block.
  if (threadIdx.x == 0) {
    task.open(work.tiles_x * work.tiles_y, work.region.z, lost_planes<S>,
              static_cast<int>(blockIdx.x) / S::cluster, static_cast<int>(gridDim.x) / S::cluster);
  }
#pragma unroll 1
  for (;;) {
    __syncthreads();  // no thread needs the last piece any more
    if (threadIdx.x == 0) task.next();
    __syncthreads();
    // Number of planes that the block writes.
    int const planes = task.planes.upper - task.planes.lower;
    if (planes == 0) break;
    Stream<Rule, S, has_source, has_change>(rule, work, task, thread, change, planes).sweep();
  }

  // Data from other blocks and the last copies must have arrived before the block's shared memory
  // is released.
  copy_wait<0>();
  thread.barrier.wait(lane);
  if constexpr (has_change) {
    __syncthreads();  // the ring of planes is free for the reduction
    static_assert(Tile<Real, S>::shared_bytes >= S::warps * sizeof(ThreadChange));
    add_to<S::threads>(work.change, change.share(), warp, lane,
                       reinterpret_cast<ThreadChange*>(shared));
  }
}

/// Returns a box in 32 bits.
inline Box3 box_of(LocalBox const& box) {
  return {range_of(box.lower.x, box.upper.x), range_of(box.lower.y, box.upper.y),
          range_of(box.lower.z, box.upper.z)};
}

/// Minimum number of planes per block: with fewer, a block would mostly fill and drain its
/// pipeline.
constexpr int fewest_planes = 4;

/// Returns the number of tiles of `width` points, `useful` points apart, that cover a range.
inline int tiles_over(Range range, int width, int useful) {
  int const rest = range.upper - range.lower - width;
  return rest <= 0 ? 1 : 1 + (rest + useful - 1) / useful;
}

/// Converts a pass to the kernel's arguments, and divides the points that the region depends on
/// into tiles.
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
  // A tile's stores begin at a sector: half a sector would have to be read from memory first.
  constexpr int sector = 32 / sizeof(Real);
  work.first_x = ((x.lower + T::margin_x) & ~(sector - 1)) - T::margin_x;
  Range const y = needed(work.region.y, work.free.y, S::steps);
  work.first_y = y.lower;
  work.tiles_x = tiles_over({work.first_x, x.upper}, T::width, T::useful_x);
  work.tiles_y = tiles_over(y, S::cluster * S::height, T::useful_y);
  return work;
}

/// Launches the kernel with as many clusters as are resident, or fewer for small regions.
template <class Rule, class S, bool has_source, bool has_change>
void start(Queue& queue, Rule const& rule, Work<typename Rule::Real> const& work) {
  constexpr auto kernel = sweep<Rule, S, has_source, has_change>;
  constexpr int shared_bytes = Tile<typename Rule::Real, S>::shared_bytes;
  int const at_a_time =
      resident_blocks(queue, kernel, {S::threads, shared_bytes, S::cluster}) / S::cluster;
  std::int64_t const tiles = std::int64_t{work.tiles_x} * work.tiles_y;
  require(tiles <= INT_MAX, "a pass of more than 2^31 tiles");
  // Small regions have fewer clusters than the device could run.
  std::int64_t const planes = tiles * (work.region.z.upper - work.region.z.lower);
  auto const clusters =
      static_cast<unsigned>(std::clamp<std::int64_t>(planes / fewest_planes, 1, at_a_time));
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(clusters * S::cluster);
  config.blockDim = dim3(S::threads);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = make_current(queue);
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {S::cluster, 1, 1};
  config.attrs = &cluster;
  // Without the attribute the kernel also runs on devices without clusters.
  config.numAttrs = S::cluster > 1 ? 1 : 0;
  check(cudaLaunchKernelEx(&config, kernel, rule, work));
}

/// Launches the kernel for a pass. With a source the loop is not unrolled, for lack of registers.
template <class Rule, class S>
void launch(Queue& queue, Rule const& rule, Pass<typename Rule::Real> const& pass) {
  if (pass.region.empty()) return;
  specialised(pass, [&](auto has_source, auto has_change) {
    using Fitting = std::conditional_t<has_source.value, typename S::Rolled, S>;
    start<Rule, Fitting, has_source.value, has_change.value>(
        queue, rule, work_of<typename Rule::Real, Fitting>(pass));
  });
}

/// Returns true if the device has enough shared memory, and clusters if the shape needs them.
template <class Rule, class S>
bool runs_on(int device) {
  constexpr auto kernel = sweep<Rule, S, false, false>;
  constexpr int shared_bytes = Tile<typename Rule::Real, S>::shared_bytes;
  return can_run(device, reinterpret_cast<void const*>(kernel),
                 {S::threads, shared_bytes, S::cluster}, sizeof(TileTask));
}

/// Returns the variant of this shape. Its name has the steps, warps, rows per thread and blocks per
/// cluster.
template <class Rule, class S>
Variant<Rule> variant_of() {
  std::string name = "temporal-3d t" + std::to_string(S::steps) + " " + std::to_string(S::warps) +
                     "x" + std::to_string(S::rows);
  if (S::cluster > 1) name += " c" + std::to_string(S::cluster);
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

}  // namespace isotherm::cuda::temporal_3d
