#pragma once

#include <algorithm>
#include <vector>

#include "kernels/cpu/sweep.hpp"

// Several steps in one pass over memory. A thread takes a tile of the region and streams along the
// last axis; level s (the field after s steps) follows one plane behind level s − 1. Of the levels
// in between only three planes each are kept, and the tile is chosen so that these fit the
// second-level cache. Tiles overlap: level s is computed steps − s points past the tile.
//
//      plane:     z−3   z−2   z−1    z    z+1
//      level 0     ·     ·     r     r     r      from memory
//      level 1     ·     r     r     w            ring of three planes
//      level 2     ·     w                        to memory (steps = 2)
//
// Bytes a point and step from memory: (read + write + the write's own read) / steps.

namespace isotherm::cpu {

/// Points of the levels in between that one thread keeps; about half of a second-level cache.
template <class Real>
constexpr std::int64_t kept_points = (std::int64_t{1} << 20) /
                                     static_cast<std::int64_t>(sizeof(Real));

/// The levels between memory and memory for one tile.
template <class Rule>
class Wavefront {
 public:
  using Real = typename Rule::Real;
  static constexpr bool streams_z = Rule::dimension == 3;

  Wavefront(Rule const& rule, Pass<Real> const& pass, int steps)
      : rule_(rule), pass_(pass), steps_(steps) {}

  /// All steps on `tile`, a part of the region.
  void sweep(LocalBox const& tile) {
    prepare(tile);
    std::int64_t const first = streams_z ? tile.lower.z : tile.lower.y;
    std::int64_t const last = streams_z ? tile.upper.z : tile.upper.y;
    for (std::int64_t front = first - (steps_ - 1); front < last + steps_ - 1; ++front) {
      for (int level = 1; level <= steps_; ++level) step_plane(level, front - (level - 1), tile);
    }
  }

  [[nodiscard]] double largest() const { return largest_; }
  [[nodiscard]] double sum_of_squares() const { return sum_; }

 private:
  void prepare(LocalBox const& tile) {
    LocalBox const widest = points(1, tile);
    first_x_ = widest.lower.x;
    first_y_ = widest.lower.y;
    pitch_ = widest.extent().x;
    plane_ = pitch_ * (streams_z ? widest.extent().y : 1);
    auto const needed = static_cast<std::size_t>(3 * plane_ * std::int64_t{steps_ - 1});
    if (rings_.size() < needed) rings_.resize(needed);
  }

  /// Where level `level` is computed: what the later levels of the tile need of it.
  [[nodiscard]] LocalBox points(int level, LocalBox const& tile) const {
    std::int64_t const by = steps_ - level;
    return intersection(tile.grown({by, by, streams_z ? by : 0}), pass_.in.box);
  }

  /// The point at i = 0 of a row of a level that lies in memory (0, steps) or in its ring.
  Real const* row(int level, std::int64_t j, std::int64_t k) {
    return level == 0 ? &pass_.in(0, j, k) : ring_row(level, j, k);
  }
  Real* ring_row(int level, std::int64_t j, std::int64_t k) {
    std::int64_t const along = streams_z ? k : j;
    std::int64_t const slot = (along % 3 + 3) % 3;
    std::int64_t const across = streams_z ? j - first_y_ : 0;
    std::int64_t const plane = std::int64_t{3} * (level - 1) + slot;
    return rings_.data() + plane * plane_ + across * pitch_ - first_x_;
  }

  void step_plane(int level, std::int64_t along, LocalBox const& tile) {
    LocalBox plane = points(level, tile);
    (streams_z ? plane.lower.z : plane.lower.y) =
        std::max(streams_z ? plane.lower.z : plane.lower.y, along);
    (streams_z ? plane.upper.z : plane.upper.y) =
        std::min(streams_z ? plane.upper.z : plane.upper.y, along + 1);
    if (plane.empty()) return;
    for (std::int64_t k = plane.lower.z; k < plane.upper.z; ++k) {
      for (std::int64_t j = plane.lower.y; j < plane.upper.y; ++j) step(level, plane, j, k);
    }
  }

  void step(int level, LocalBox const& plane, std::int64_t j, std::int64_t k) {
    Rows<Real> rows{row(level - 1, j, k), row(level - 1, j - 1, k), row(level - 1, j + 1, k),
                    nullptr, nullptr};
    if constexpr (streams_z) {
      rows.below = row(level - 1, j, k - 1);
      rows.above = row(level - 1, j, k + 1);
    }
    Real* const after = level == steps_ ? &pass_.out(0, j, k) : ring_row(level, j, k);
    Span const span = step_row(rule_, rows, pass_, plane, j, k, after);
    if (level == steps_ && pass_.change != nullptr) {
      add_change(rows.centre, after, span, largest_, sum_);
    }
  }

  Rule rule_;
  Pass<Real> pass_;
  int steps_;
  std::int64_t first_x_ = 0;
  std::int64_t first_y_ = 0;
  std::int64_t pitch_ = 0;
  std::int64_t plane_ = 0;
  std::vector<Real> rings_;
  double largest_ = 0.0;
  double sum_ = 0.0;
};

/// `count` split into parts of nearly equal length, none longer than `longest`.
inline std::int64_t part_length(std::int64_t count, std::int64_t longest) {
  std::int64_t const parts = std::max<std::int64_t>(1, (count + longest - 1) / longest);
  return (count + parts - 1) / parts;
}

/// The tile's points per axis: rows of a few kilobytes, as many as the kept points allow, streamed
/// along the whole last axis unless that leaves threads without work.
inline Extent3 wavefront_tile(Extent3 n, int dimension, std::int64_t steps, std::int64_t kept,
                              std::int64_t threads) {
  std::int64_t const across = std::max<std::int64_t>(kept / (3 * steps), 64);
  std::int64_t const longest_row = dimension == 3 ? 384 : across;
  Extent3 tile{part_length(n.x, longest_row), n.y, n.z};
  if (dimension == 3) {
    tile.y = part_length(n.y, std::max<std::int64_t>(across / tile.x, 4 * steps));
  }
  auto const parts = [](std::int64_t count, std::int64_t length) {
    return (count + length - 1) / length;
  };
  std::int64_t const tiles = parts(n.x, tile.x) * (dimension == 3 ? parts(n.y, tile.y) : 1);
  std::int64_t& along = dimension == 3 ? tile.z : tile.y;
  std::int64_t const chunks = std::max<std::int64_t>(1, (4 * threads + tiles - 1) / tiles);
  along = std::max<std::int64_t>((along + chunks - 1) / chunks,
                                 std::min<std::int64_t>(along, 8 * steps));
  return tile;
}

/// The `number`th tile of `region`, x fastest, cut off at the region's end.
inline LocalBox tile_of(LocalBox const& region, Extent3 tile, std::int64_t number) {
  Extent3 const n = region.extent();
  std::int64_t const across = (n.x + tile.x - 1) / tile.x;
  std::int64_t const along = (n.y + tile.y - 1) / tile.y;
  Index3 const lower =
      region.lower + Index3{number % across * tile.x, number / across % along * tile.y,
                            number / (across * along) * tile.z};
  return intersection(LocalBox{lower, lower + tile}, region);
}

inline std::int64_t tile_count(Extent3 n, Extent3 tile) {
  return ((n.x + tile.x - 1) / tile.x) * ((n.y + tile.y - 1) / tile.y) *
         ((n.z + tile.z - 1) / tile.z);
}

/// `steps` steps on pass.region in one pass over memory.
template <class Rule>
void sweep_wavefront(Rule const& rule, Pass<typename Rule::Real> const& pass, int steps) {
  using Real = typename Rule::Real;
  Extent3 const tile = wavefront_tile(pass.region.extent(), Rule::dimension, steps,
                                      kept_points<Real>, cpu_threads());
  std::int64_t const tiles = tile_count(pass.region.extent(), tile);
  double largest = 0;
  double sum = 0;
#pragma omp parallel reduction(max : largest) reduction(+ : sum) if (tiles > 1)
  {
    Wavefront<Rule> wavefront(rule, pass, steps);
#pragma omp for schedule(dynamic)
    for (std::int64_t number = 0; number < tiles; ++number) {
      wavefront.sweep(tile_of(pass.region, tile, number));
    }
    largest = wavefront.largest();
    sum = wavefront.sum_of_squares();
  }
  add_to(pass.change, largest, sum);
}

}  // namespace isotherm::cpu
