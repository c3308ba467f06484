#pragma once

#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/launch.hpp"
#include "kernels/sweep/cuda/change.cuh"
#include "kernels/sweep/cuda/star.cuh"
#include "kernels/sweep/cuda/vector.cuh"
#include "kernels/sweep/sweep.hpp"

// One step per pass in 2D with staging in shared memory. Each warp marches in +y along its own
// strip, with its own ring of eight rows. Warps therefore never wait for each other.
//
//        32 vectors of 16 bytes in x, and one more at either end
//      ┌──┬────────────────────────────────────────────┬──┐   row y − 1 in registers
//      │  │ row y                                      │  │   centre and x neighbours
//      │  │ row y + 1                                  │  │   upper y neighbour
//      │  │ rows y + 2 … y + 7                         │  │   arriving
//      └──┴────────────────────────────────────────────┴──┘
//
// Memory traffic per point: one read and one write; with the end vectors, 34/32 reads of L2.
// Floating-point operations: 4 (Jacobi) or 5 (FTCS).

namespace isotherm::cuda {

/// Dimensions of a warp's strip and of its ring, in points.
template <class Real>
struct Tile2D {
  static constexpr int warps = 4;  ///< per block; each has its own strip
  static constexpr int ring = 8;   ///< rows of a warp's ring
  static_assert((ring & (ring - 1)) == 0, "a row's slot is taken by masking");
  static constexpr int width = Vector<Real>::width;
  static constexpr int points_x = 32 * width;         ///< columns that a warp writes
  static constexpr int pitch = points_x + 2 * width;  ///< elements of a staged row
};

/// Division of the region into strips, each cut into chunks of rows.
struct Tiling2D {
  std::int64_t first_x;  ///< aligned, at or below region.lower.x
  std::int64_t strips;
  std::int64_t rows;  ///< of a chunk
};

/// The kernel. Blocks have 32 × 4 threads; each warp processes one chunk of a strip. A lane owns a
/// vector of columns and holds its values of rows y − 1, y and y + 1 in registers. Neighbours along
/// x come from the staged row.
template <class Rule, bool has_source, bool has_change>
__global__ void __launch_bounds__(128)
    sweep_tile_2d(Rule rule, Pass<typename Rule::Real> pass, Tiling2D tiling) {
  using Real = typename Rule::Real;
  using Tile = Tile2D<Real>;
  constexpr int width = Tile::width;
  __shared__ alignas(16) Real shared[Tile::warps * Tile::ring * Tile::pitch];

  int const lane = threadIdx.x;
  // Warps are numbered along the strips, then along the chunks.
  std::int64_t const item = static_cast<std::int64_t>(blockIdx.x) * Tile::warps + threadIdx.y;
  std::int64_t const chunk = item / tiling.strips;
  std::int64_t const x0 = tiling.first_x + (item - chunk * tiling.strips) * Tile::points_x;
  std::int64_t const y0 = pass.region.lower.y + chunk * tiling.rows;
  std::int64_t const y1 =
      y0 + tiling.rows < pass.region.upper.y ? y0 + tiling.rows : pass.region.upper.y;
  std::int64_t const z = pass.region.lower.z;
  std::int64_t const i = x0 + lane * width;

  // Slot of row y in the warp's ring, which begins with row y0 − 1.
  auto const slot = [&](std::int64_t y) {
    int const row = static_cast<int>((y - y0 + 1) & (Tile::ring - 1));
    return shared + (threadIdx.y * Tile::ring + row) * Tile::pitch;
  };
  // Starts copying row y. A group is committed even if empty, so counting groups is uniform.
  auto const stage = [&](std::int64_t y) {
    if (y <= y1) stage_row(pass.in, x0, y, z, lane, slot(y));
    __pipeline_commit();
  };
  auto const mine = [&](std::int64_t y) { return slot(y) + (lane + 1) * width; };
  auto const vector_at = [](Real const* at) { return *reinterpret_cast<Vector<Real> const*>(at); };
  // A column changes only if it is free and belongs to the region.
  bool free_x[width];
  bool any_free_x = false;
  for (int n = 0; n < width; ++n) {
    free_x[n] = i + n >= pass.free.lower.x && i + n < pass.free.upper.x &&
                i + n >= pass.region.lower.x && i + n < pass.region.upper.x;
    any_free_x = any_free_x || free_x[n];
  }

  ThreadChange change;
  // Warps beyond the last chunk still join the reduction.
  if (y0 < y1) {
    // Fill the ring but for one slot. Rows y0 − 1 and y0 must arrive before the first step.
    for (int row = -1; row < Tile::ring - 2; ++row) stage(y0 + row);
    __pipeline_wait_prior(Tile::ring - 3);
    __syncwarp();
    Vector<Real> below = vector_at(mine(y0 - 1));
    Vector<Real> centre = vector_at(mine(y0));
    for (std::int64_t y = y0; y < y1; ++y) {
      __pipeline_wait_prior(Tile::ring - 4);
      __syncwarp();  // row y + 1 has arrived, and row y − 1 is no longer read
      stage(y + Tile::ring - 2);
      Vector<Real> const above = vector_at(mine(y + 1));
      Vector<Real> after = centre;
      if (any_free_x && y >= pass.free.lower.y && y < pass.free.upper.y) {
        Real const west = mine(y)[-1];
        Real const east = mine(y)[width];
        auto const step = rule.of_step(0);
#pragma unroll
        for (int n = 0; n < width; ++n) {
          auto const beside = [&](int dj, int) { return dj < 0 ? below.v[n] : above.v[n]; };
          Real value = step(Star{centre.v, n, west, east, beside});
          if (free_x[n]) {
            if constexpr (has_source) value = step.plus(value, pass.source(i + n, y, z));
            if constexpr (has_change) change.add(centre.v[n], value);
            after.v[n] = value;
          }
        }
      }
      store(&pass.out(0, y, z), i, after, pass.region.lower.x, pass.region.upper.x);
      below = centre;
      centre = above;
    }
  }
  if constexpr (has_change) add_to<32 * Tile::warps>(pass.change, change);
}

/// Launches the kernel with chunks of 16 to 256 rows: enough warps to fill a device, but few rows
/// that two chunks read.
template <class Rule, bool has_source, bool has_change>
void launch_tile_2d(Queue& queue, Rule const& rule, Pass<typename Rule::Real> const& pass) {
  using Tile = Tile2D<typename Rule::Real>;
  constexpr std::int64_t enough_warps = 16384;
  Extent3 const n = pass.region.extent();
  Tiling2D tiling{};
  tiling.first_x = align_down<Tile::width>(pass.region.lower.x);
  tiling.strips = tiles(pass.region.upper.x - tiling.first_x, Tile::points_x);
  tiling.rows = std::clamp<std::int64_t>(n.y * tiling.strips / enough_warps, 16, 256);
  std::int64_t const blocks = tiles(tiling.strips * tiles(n.y, tiling.rows), Tile::warps);
  sweep_tile_2d<Rule, has_source, has_change>
      <<<static_cast<unsigned>(blocks), dim3(32, Tile::warps), 0, make_current(queue)>>>(rule, pass,
                                                                                         tiling);
  check_launch();
}

}  // namespace isotherm::cuda
