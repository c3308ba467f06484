#pragma once

#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/lane.hpp"
#include "kernels/core/cuda/launch.hpp"
#include "kernels/core/cuda/range.hpp"
#include "kernels/sweep/sweep.hpp"
#include "kernels/updates/rules.hpp"

// Fused smoothing by tiles: all sweeps of a SummedRelax in one kernel, without communication
// between blocks (overlapped tiling).
//
// A block holds a tile in shared memory, with a margin as deep as the number of sweeps. Each thread
// holds the values and sums of a column of points in registers. Columns run along the last axis,
// which is y in 2D. Half (in 3D a third) of a point's neighbours therefore belong to the same
// thread.
//
// In 2D a tile of 64 × 64 points is read as 72 × 72: 12 bytes per point from memory, and 1.27 times
// the work. In 3D the margin has five times as many points as the tile. This pays for small grids
// only, for which a launch per sweep would cost more.

namespace isotherm::cuda {

/// Dimensions of a tile in points, including its margins.
template <int dimension, int steps>
struct FusedSmoothingTile {
  static constexpr int margin = steps;
  static constexpr int margin_y = dimension == 2 ? 0 : steps;
  static constexpr int x = (dimension == 2 ? 64 : 16) + 2 * margin;  ///< with margins, like y and z
  static constexpr int y = (dimension == 2 ? 1 : 8) + 2 * margin_y;
  static constexpr int z = (dimension == 2 ? 64 : 8) + 2 * margin;
  static constexpr int column = dimension == 2 ? 9 : 8;  ///< points per thread
  static constexpr int columns = z / column;             ///< columns on top of each other
  static constexpr int plane = x * y;
  static constexpr int threads = plane * columns;
  static_assert(z % column == 0 && threads <= 1024);
};

/// Returns which of `points` points in a column that begins at `first` lie in a box.
template <int points>
__device__ inline Range in_column(LocalBox const& box, Index3 first) {
  if (first.x < box.lower.x || first.x >= box.upper.x || first.y < box.lower.y ||
      first.y >= box.upper.y) {
    return {0, 0};
  }
  // Clamped to 0 … points, so the result may be empty.
  auto const at = [&](std::int64_t z) {
    std::int64_t const n = z - first.z;
    return static_cast<int>(n < 0 ? 0 : n > points ? points : n);
  };
  return {at(box.lower.z), at(box.upper.z)};
}

/// The kernel. In 2D, y and z of fields and boxes are exchanged, so columns always run along z.
///
/// Thread (x, y, z) owns the points of one column of the tile. Their values, sums and source are in
/// registers; shared memory holds the values of the whole tile before the current sweep.
/// @param rest  receives the remaining residual if has_source is false
template <class Rule, int steps, bool has_source>
__global__ void __launch_bounds__(FusedSmoothingTile<Rule::dimension, steps>::threads)
    relax_tile(Rule rule, Pass<typename Rule::Real> pass, FieldView<typename Rule::Real> rest,
               int tiles_x, int tiles_y) {
  using Real = typename Rule::Real;
  using Tile = FusedSmoothingTile<Rule::dimension, steps>;
  constexpr int mine = Tile::column;
  __shared__ Real tile[Tile::plane * Tile::z];

  // Blocks are numbered in one dimension, which CUDA limits to 2^31 − 1. Neighbouring tiles overlap
  // by their margins.
  int const tile_y = static_cast<int>(blockIdx.x) / tiles_x;
  int const tile_x = static_cast<int>(blockIdx.x) - tile_y * tiles_x;
  Index3 const first{
      pass.region.lower.x + std::int64_t{tile_x} * (Tile::x - 2 * Tile::margin) - Tile::margin,
      pass.region.lower.y + std::int64_t{tile_y % tiles_y} * (Tile::y - 2 * Tile::margin_y) -
          Tile::margin_y,
      pass.region.lower.z + std::int64_t{tile_y / tiles_y} * (Tile::z - 2 * Tile::margin) -
          Tile::margin};
  // Position of the thread's column in the tile.
  int const x = threadIdx.x;
  int const y = threadIdx.y;
  int const z = threadIdx.z * mine;
  auto const column_of = [&](LocalBox const& box) {
    return in_column<mine>(box, first + Index3{x, y, z});
  };
  auto const at_column = [&](auto const& field) {
    return &field(first.x + x, first.y + y, first.z + z);
  };
  // The outermost points of the tile are only read. Their errors spread inwards by one point per
  // sweep, through the margin.
  constexpr int rim_y = Tile::margin_y > 0 ? 1 : 0;
  Index3 const end = first + Index3{Tile::x, Tile::y, Tile::z};
  LocalBox const inner = LocalBox{first, end}.grown({-1, -rim_y, -1});
  LocalBox const stored =
      LocalBox{first, end}.grown({-Tile::margin, -Tile::margin_y, -Tile::margin});

  // Points outside the field are zero. They influence only points outside the region.
  Real value[mine];
  Real sum[mine];
  Real* const here = tile + x + y * Tile::x + z * Tile::plane;
  Range const exists = column_of(pass.in.box);
  Real const* const in = at_column(pass.in);
#pragma unroll
  for (int n = 0; n < mine; ++n) {
    value[n] = exists.contains(n) ? in[n * pass.in.stride_z] : Real{0};
    sum[n] = rule.counts[0] * value[n];
    here[n * Tile::plane] = value[n];
  }
  Real source[has_source ? mine : 1];
  // With an initial correction, the first step needs the source; the others do not.
  if constexpr (has_source) {
    Range const known = column_of(pass.source.box);
    Real const* const from = at_column(pass.source);
#pragma unroll
    for (int n = 0; n < mine; ++n) {
      source[n] = known.contains(n) ? from[n * pass.source.stride_z] : Real{0};
    }
  }
  // Points of the column that the sweeps change.
  Range const changes = column_of(intersection(pass.free, inner));
  __syncthreads();
#pragma unroll
  for (int step = 0; step < steps; ++step) {
    // The column is updated from bottom to top; `below` is the value before this sweep.
    auto const relax = rule.of_step(step);
    if (changes.lower < changes.upper) {
      // Values of the columns below and above. At the tile's ends no point changes, so the value is
      // not used.
      Real below = here[z > 0 ? -Tile::plane : 0];
      Real const beyond = here[z + mine < Tile::z ? mine * Tile::plane : 0];
#pragma unroll
      for (int n = 0; n < mine; ++n) {
        Real const old = value[n];
        Real const above = n + 1 < mine ? value[n + 1 < mine ? n + 1 : n] : beyond;
        Real after = relax([&](int di, int dj, int dk) {
          int const along = Rule::dimension == 2 ? dj : dk;
          int const across = Rule::dimension == 2 ? 0 : dj;
          if (along != 0) return along < 0 ? below : above;
          return di == 0 && across == 0 ? old : here[di + across * Tile::x + n * Tile::plane];
        });
        if constexpr (has_source) {
          if (step == 0) after = relax.plus(after, source[n]);
        }
        if (changes.contains(n)) value[n] = after;
        below = old;
      }
    }
#pragma unroll
    for (int n = 0; n < mine; ++n) {
      sum[n] = multiply_add(rule.counts[step + 1], value[n], sum[n]);
    }
    if (step + 1 == steps) break;
    __syncthreads();
    // Publish the new values to the other threads of the tile.
#pragma unroll
    for (int n = 0; n < mine; ++n) here[n * Tile::plane] = value[n];
    __syncthreads();
  }
  // Store the sums, which are the correction, and the remaining residual.
  Range const written = column_of(intersection(pass.region, stored));
  Real* const out = at_column(pass.out);
#pragma unroll
  for (int n = 0; n < mine; ++n) {
    if (written.contains(n)) out[n * pass.out.stride_z] = sum[n];
  }
  if constexpr (!has_source) {
    Real* const left = at_column(rest);
#pragma unroll
    for (int n = 0; n < mine; ++n) {
      if (written.contains(n)) left[n * rest.stride_z] = value[n];
    }
  }
}

/// Enqueues the sweeps of a SummedRelax, one block per tile.
/// @param rest  receives the remaining residual if the pass has no source
template <class Rule>
void fused_smoothing_tiles(Queue& queue, Rule const& rule, Pass<typename Rule::Real> const& pass,
                           FieldView<typename Rule::Real> rest) {
  constexpr int steps = Rule::step_count;
  using Tile = FusedSmoothingTile<Rule::dimension, steps>;
  Extent3 const n = pass.region.extent();
  std::int64_t const tiles_x = tiles(n.x, Tile::x - 2 * Tile::margin);
  std::int64_t const tiles_y = tiles(n.y, Tile::y - 2 * Tile::margin_y);
  std::int64_t const blocks = tiles_x * tiles_y * tiles(n.z, Tile::z - 2 * Tile::margin);
  require(blocks <= INT32_MAX, "a relaxation of more than 2^31 tiles");
  auto const kernel = pass.source ? relax_tile<Rule, steps, true> : relax_tile<Rule, steps, false>;
  dim3 const block(Tile::x, Tile::y, Tile::columns);
  kernel<<<static_cast<unsigned>(blocks), block, 0, make_current(queue)>>>(
      rule, pass, rest, static_cast<int>(tiles_x), static_cast<int>(tiles_y));
  check_launch();
}

}  // namespace isotherm::cuda
