#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "kernels/sweep/cpu/sweep.hpp"

// Temporal blocking on the CPU: several steps in one pass over memory, by a wavefront.
//
// A thread processes one tile of the region at a time. It streams through the tile along the last
// axis, a few planes (a front) at a time. Level s, the field after s steps, follows one plane
// behind level s − 1. Only those planes of the intermediate levels are kept that later levels still
// need. The tile is chosen such that they fit the second-level cache. Tiles overlap (redundant
// computation): level s is computed steps − s points beyond the tile.
//
//      plane:     z−3   z−2   z−1    z    z+1   z+2
//      level 0           r     r     r     r     r    from memory
//      level 1     r     r     r     w     w          ring of four planes
//      level 2           w     w                      to memory (steps = 2)
//
// Within a front the levels advance row by row, each one row behind the previous level. A row of a
// two-plane front reads four planes. Two of them were written just before and are in the
// first-level cache.
//
// Memory traffic per point and step in bytes: (read + write + the write-allocate's read) / steps.
//
// This is the 3.5D blocking of A. Nguyen, N. Satish, J. Chhugani, C. Kim and P. Dubey, 3.5-D
// blocking optimization for stencil computations on modern CPUs and GPUs, SC 2010, with a tile for
// each thread.

namespace isotherm::cpu {

/// Number of planes of a front.
constexpr std::int64_t front_planes = 2;
/// Planes of a level that are kept: those of a front and one on each side.
constexpr std::int64_t ring_planes = front_planes + 2;
static_assert((ring_planes & (ring_planes - 1)) == 0, "a plane's slot is taken by masking");

/// Returns how many points of the intermediate levels one thread may keep: half of its second-level
/// cache.
template <class Real>
std::int64_t kept_points() {
  return second_level_cache_bytes() / 2 / static_cast<std::int64_t>(sizeof(Real));
}

/// Maximum number of points of a tile's row.
constexpr std::int64_t longest_row(int dimension) { return dimension == 3 ? 512 : 2048; }

/// The intermediate levels of one tile, in rings of planes. A thread reuses its Wavefront for many
/// tiles.
template <class Rule>
class Wavefront {
 public:
  using Real = typename Rule::Real;
  static constexpr bool streams_z = Rule::dimension == 3;

  /// @pre `scratch` has room for the calling thread.
  Wavefront(Scratch& scratch, Rule const& rule, Pass<Real> const& pass, int steps)
      : scratch_(&scratch), rule_(rule), pass_(pass), steps_(steps) {}

  /// Performs all steps on `tile`, a part of the region, and writes it to pass.out.
  void sweep(LocalBox const& tile) {
    prepare(tile);
    // The levels before the last begin up to steps − 1 planes before the tile; step() skips planes
    // outside a level's box.
    std::int64_t const margin = steps_ - 1;
    std::int64_t const first = streams_z ? tile.lower.z : tile.lower.y;
    std::int64_t const last = streams_z ? tile.upper.z : tile.upper.y;
    for (std::int64_t front = first - margin; front < last + margin; front += front_planes) {
      if constexpr (streams_z) {
        for (std::int64_t j = tile.lower.y - margin; j < tile.upper.y + margin; ++j) {
          step_rows(j, front);
        }
      } else {
        step_rows(front);
      }
    }
  }

  /// Returns the maximum norm of the last step's change over all tiles of this thread.
  [[nodiscard]] double largest() const { return largest_; }
  /// Returns the sum of squares of the last step's change over all tiles of this thread.
  [[nodiscard]] double sum_of_squares() const { return sum_; }

 private:
  /// Determines the points of each level and the layout of the rings. A ring's rows begin at
  /// multiples of a block, so they are aligned like the field's rows.
  void prepare(LocalBox const& tile) {
    constexpr std::int64_t block = row_block<Real>;
    points_.clear();
    for (int level = 1; level <= steps_; ++level) points_.push_back(needed_points(level, tile));
    LocalBox const& widest = points_.front();
    first_x_ = round_down(widest.lower.x, block);
    first_y_ = widest.lower.y;
    pitch_ = round_down(widest.upper.x - 1, block) + block - first_x_;
    plane_ = pitch_ * (streams_z ? widest.extent().y : 1);
    rings_ = scratch_->of_thread<Real>(omp_get_thread_num(), Scratch::Place::rings,
                                       ring_planes * plane_ * (steps_ - 1));
    output_.emplace(*scratch_, tile, pass_.region.point_count());
  }

  /// Returns the points at which `level` is computed: those that later levels of the tile depend
  /// on.
  ///
  /// Dependencies end one point beyond the free points, since all other points keep their values.
  /// Points of the tile itself are always included, because they must be copied through to the
  /// output.
  [[nodiscard]] LocalBox needed_points(int level, LocalBox const& tile) const {
    std::int64_t const by = steps_ - level;
    LocalBox points = intersection(tile.grown({by, by, streams_z ? by : 0}), pass_.in.box);
    for (int axis = 0; axis < Rule::dimension; ++axis) {
      std::int64_t const lower = std::min(pass_.free.lower[axis] - 1, tile.lower[axis]);
      std::int64_t const upper = std::max(pass_.free.upper[axis] + 1, tile.upper[axis]);
      points.lower[axis] = std::max(points.lower[axis], lower);
      points.upper[axis] = std::min(points.upper[axis], upper);
    }
    return points;
  }
  /// Returns the points at which a level is computed; the levels are 1 … steps.
  [[nodiscard]] LocalBox const& points(int level) const {
    return points_[static_cast<std::size_t>(level - 1)];
  }

  /// Returns row (j, k) of a level, as a pointer to i = 0. Level 0 is the pass's input; levels 1 …
  /// steps − 1 are in rings.
  Real const* row(int level, std::int64_t j, std::int64_t k) {
    return level == 0 ? &pass_.in(0, j, k) : ring_row(level, j, k);
  }
  /// Returns row (j, k) of an intermediate level in its ring.
  Real* ring_row(int level, std::int64_t j, std::int64_t k) {
    // Masking also works for negative indices.
    std::int64_t const slot = (streams_z ? k : j) & (ring_planes - 1);
    std::int64_t const across = streams_z ? j - first_y_ : 0;
    std::int64_t const plane = ring_planes * (level - 1) + slot;
    return rings_ + plane * plane_ + across * pitch_ - first_x_;
  }

  /// 3D: advances one row of the front's planes on every level. Each level is one row and one plane
  /// behind the previous one.
  void step_rows(std::int64_t j, std::int64_t front) {
    for (int level = 1; level <= steps_; ++level, --j, --front) {
      for (std::int64_t k = front; k < front + front_planes; ++k) step(level, j, k);
    }
  }
  /// 2D: advances the front's rows on every level. Each level is one row behind the previous one.
  void step_rows(std::int64_t front) {
    for (int level = 1; level <= steps_; ++level, --front) {
      for (std::int64_t j = front; j < front + front_planes; ++j) step(level, j, 0);
    }
  }

  /// Computes row (j, k) of a level from the rows of the previous one, if the row belongs to the
  /// level's points.
  void step(int level, std::int64_t j, std::int64_t k) {
    LocalBox const& box = points(level);
    // At the ends of a tile, fronts extend beyond the level's points.
    if (j < box.lower.y || j >= box.upper.y || k < box.lower.z || k >= box.upper.z) return;
    Rows<Real> rows{row(level - 1, j, k), row(level - 1, j - 1, k), row(level - 1, j + 1, k),
                    nullptr, nullptr};
    if constexpr (streams_z) {
      rows.below = row(level - 1, j, k - 1);
      rows.above = row(level - 1, j, k + 1);
    }
    if (level < steps_) {
      step_row(rule_.of_step(level - 1), rows, pass_, box, j, k, ring_row(level, j, k));
    } else {
      step_last(rows, box, j, k);
    }
  }

  /// Computes a row of the last level, which goes to pass.out, and measures its change.
  void step_last(Rows<Real> const& rows, LocalBox const& tile, std::int64_t j, std::int64_t k) {
    Real* const row = &pass_.out(0, j, k);
    Real* const after = output_->begin(row);
    Span const span = step_row(rule_.of_step(steps_ - 1), rows, pass_, tile, j, k, after);
    if (pass_.change != nullptr) add_change(rows.centre, after, span, largest_, sum_);
    output_->end(row);
  }

  Scratch* scratch_;
  Rule rule_;
  Pass<Real> pass_;
  int steps_;
  std::vector<LocalBox> points_;  ///< boxes of the levels 1 … steps
  /// Point at which a plane of a ring begins; in 2D a plane is a row, and first_y_ is not used.
  std::int64_t first_x_ = 0;
  std::int64_t first_y_ = 0;
  std::int64_t pitch_ = 0;  ///< elements from one row of a ring to the next
  std::int64_t plane_ = 0;  ///< elements from one plane of a ring to the next
  /// The rings of the levels 1 … steps − 1, one behind the other.
  Real* rings_ = nullptr;
  std::optional<OutputRow<Real>> output_;
  /// Norms of the last step's change.
  double largest_ = 0.0;
  double sum_ = 0.0;
};

/// Splits `count` into parts of nearly equal length. Returns the length, rounded up to a multiple
/// of `unit`. It is smaller than `longest` + `unit`.
inline std::int64_t part_length(std::int64_t count, std::int64_t longest, std::int64_t unit = 1) {
  std::int64_t const parts = std::max<std::int64_t>(1, (count + longest - 1) / longest);
  return round_down((count + parts - 1) / parts + unit - 1, unit);
}

/// Returns the number of points of a tile on each axis.
///
/// Rows have a few kilobytes; their number is limited by the points that can be kept. A tile
/// extends along the whole last axis, unless too few tiles for all threads would remain. Rows are
/// long because memory is read faster in longer pieces. They are cut at cache lines.
/// @param n  numbers of points of the region
/// @param kept  points of intermediate levels that a thread may keep; see kept_points()
inline Extent3 wavefront_tile(Extent3 n, int dimension, std::int64_t steps, std::int64_t kept,
                              std::int64_t threads) {
  constexpr std::int64_t line = row_block<float>;
  std::int64_t const across = std::max<std::int64_t>(kept / (ring_planes * steps), line);
  Extent3 tile{part_length(n.x, std::min(across, longest_row(dimension)), line), n.y, n.z};
  if (dimension == 3) {
    tile.y = part_length(n.y, std::max<std::int64_t>(across / tile.x, 4 * steps));
  }
  auto const parts = [](std::int64_t count, std::int64_t length) {
    return (count + length - 1) / length;
  };
  std::int64_t const tiles = parts(n.x, tile.x) * (dimension == 3 ? parts(n.y, tile.y) : 1);
  std::int64_t& along = dimension == 3 ? tile.z : tile.y;
  // About four tiles per thread balance the load. A tile has at least 8 · steps planes, which
  // limits the redundant computation at its ends.
  std::int64_t const chunks = std::max<std::int64_t>(1, (4 * threads + tiles - 1) / tiles);
  along = std::max<std::int64_t>((along + chunks - 1) / chunks,
                                 std::min<std::int64_t>(along, 8 * steps));
  return tile;
}

/// Returns the tile with the given number, x fastest, cut off at the region's end.
inline LocalBox tile_of(LocalBox const& region, Extent3 tile, std::int64_t number) {
  Extent3 const n = region.extent();
  std::int64_t const across = (n.x + tile.x - 1) / tile.x;
  std::int64_t const along = (n.y + tile.y - 1) / tile.y;
  Index3 const lower =
      region.lower + Index3{number % across * tile.x, number / across % along * tile.y,
                            number / (across * along) * tile.z};
  return intersection(LocalBox{lower, lower + tile}, region);
}

/// Returns the number of tiles that cover `n` points.
inline std::int64_t tile_count(Extent3 n, Extent3 tile) {
  return ((n.x + tile.x - 1) / tile.x) * ((n.y + tile.y - 1) / tile.y) *
         ((n.z + tile.z - 1) / tile.z);
}

/// Performs `steps` steps on pass.region in one pass over memory: the plans "wavefront-N".
///
/// Threads process whole tiles, which are independent. The result does not depend on which thread
/// processes a tile. The sum of squares of the change is accumulated in no fixed order.
template <class Rule>
void sweep_wavefront(Scratch& scratch, Rule const& rule, Pass<typename Rule::Real> const& pass,
                     int steps) {
  using Real = typename Rule::Real;
  Extent3 const tile = wavefront_tile(pass.region.extent(), Rule::dimension, steps,
                                      kept_points<Real>(), cpu_threads());
  std::int64_t const tiles = tile_count(pass.region.extent(), tile);
  double largest = 0;
  double sum = 0;
  scratch.make_room_for(cpu_threads());
  bool const runs_in_parallel =
      tiles > 1 && pass.region.point_count() * steps >= smallest_parallel_work;
#pragma omp parallel reduction(max : largest) reduction(+ : sum) if (runs_in_parallel)
  {
    Wavefront<Rule> wavefront(scratch, rule, pass, steps);
#pragma omp for schedule(dynamic)
    for (std::int64_t number = 0; number < tiles; ++number) {
      wavefront.sweep(tile_of(pass.region, tile, number));
    }
    end_streams();
    largest = wavefront.largest();
    sum = wavefront.sum_of_squares();
  }
  add_to(pass.change, largest, sum);
}

}  // namespace isotherm::cpu
