#pragma once

#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/launch.hpp"
#include "kernels/sweep/cuda/change.cuh"
#include "kernels/sweep/cuda/star.cuh"
#include "kernels/sweep/cuda/vector.cuh"
#include "kernels/sweep/sweep.hpp"

// One step per pass in 3D with staging in shared memory (2.5D blocking). A block marches in +z with
// a ring of four planes of its tile. While plane z is computed, planes z + 2 and z + 3 are being
// copied.
//
//        32 vectors of 16 bytes in x, and one more at either end
//      ┌──┬──────────────────────────────┬──┐
//      │  │ halo row                     │  │
//      ├──┼──────────────────────────────┼──┤   ring slots (z mod 4):
//      │  │ warp 0, rows 0 and 1         │  │     z      centre, x and y neighbours
//      │  │ warp 1, rows 2 and 3         │  │     z + 1  upper z neighbour
//      │  │   …                          │  │     z + 2  arriving
//      │  │ warp 7, rows 14 and 15       │  │     z + 3  arriving
//      ├──┼──────────────────────────────┼──┤   z − 1 is kept in registers
//      │  │ halo row                     │  │
//      └──┴──────────────────────────────┴──┘
//
// Memory traffic per point: one read and one write. The halo rows and columns make 18·34 / (16·32)
// = 1.20 reads of L2, most of which hit. Floating-point operations: 6 (Jacobi) or 7 (FTCS).
//
// The march with a tile in shared memory follows P. Micikevicius, 3D finite difference computation
// on GPUs using CUDA, GPGPU-2 (2009).

namespace isotherm::cuda {

/// Dimensions of a block's tile, in points.
template <class Real>
struct Tile3D {
  static constexpr int warps = 8;
  static constexpr int rows_per_thread = 2;
  static constexpr int rows = warps * rows_per_thread;
  static constexpr int ring = 4;  ///< staged planes
  static_assert((ring & (ring - 1)) == 0, "a plane's slot is taken by masking");
  static constexpr int width = Vector<Real>::width;
  static constexpr int points_x = 32 * width;         ///< columns that a block writes
  static constexpr int pitch = points_x + 2 * width;  ///< elements of a staged row
  static constexpr int plane = pitch * (rows + 2);    ///< elements of a staged plane
};

/// Division of the region into tiles, each of which marches through a chunk of planes.
struct Tiling3D {
  std::int64_t first_x;  ///< aligned, at or below region.lower.x
  std::int64_t tiles_x;
  std::int64_t tiles_y;
  std::int64_t planes;  ///< of a chunk
};

/// Reads a vector of points from an aligned address.
template <class Real>
__device__ __forceinline__ Vector<Real> vector_at(Real const* at) {
  return *reinterpret_cast<Vector<Real> const*>(at);
}

/// Performs one step of a vector of points that begins at `point`. Elements of `after` whose points
/// are not free keep their values.
/// @param centre_at  the points in the staged plane
template <bool has_source, bool has_change, class Rule, class Real = typename Rule::Real>
__device__ __forceinline__ void step_points(Rule const& rule, Pass<Real> const& pass,
                                            Real const* centre_at, Vector<Real> const& below,
                                            Vector<Real> const& above, Index3 point,
                                            bool const (&free_x)[Tile3D<Real>::width],
                                            Vector<Real>& after, ThreadChange& change) {
  using Tile = Tile3D<Real>;
  Vector<Real> const centre = vector_at(centre_at);
  Vector<Real> const south = vector_at(centre_at - Tile::pitch);
  Vector<Real> const north = vector_at(centre_at + Tile::pitch);
  Real const west = centre_at[-1];
  Real const east = centre_at[Tile::width];
  auto const step = rule.of_step(0);
#pragma unroll
  for (int n = 0; n < Tile::width; ++n) {
    auto const beside = [south = south.v[n], north = north.v[n], below = below.v[n],
                         above = above.v[n]](int dj, int dk) {
      if (dk != 0) return dk < 0 ? below : above;
      return dj < 0 ? south : north;
    };
    Real value = step(Star{centre.v, n, west, east, beside});
    if (free_x[n]) {
      if constexpr (has_source) {
        value = step.plus(value, pass.source(point.x + n, point.y, point.z));
      }
      if constexpr (has_change) change.add(centre.v[n], value);
      after.v[n] = value;
    }
  }
}

/// The kernel. Blocks have 32 × 8 threads; a thread computes two rows of one vector per plane. It
/// holds its points of plane z − 1 in registers and reads all other neighbours from shared memory.
template <class Rule, bool has_source, bool has_change>
__global__ void __launch_bounds__(256)
    sweep_tile_3d(Rule rule, Pass<typename Rule::Real> pass, Tiling3D tiling) {
  using Real = typename Rule::Real;
  using Tile = Tile3D<Real>;
  constexpr int width = Tile::width;
  __shared__ alignas(16) Real shared[Tile::ring * Tile::plane];

  std::int64_t const tile = blockIdx.x;
  // Blocks are numbered along x, then along y, then along the chunks.
  std::int64_t const tile_row = tile / tiling.tiles_x;
  std::int64_t const chunk = tile_row / tiling.tiles_y;
  std::int64_t const x0 = tiling.first_x + (tile - tile_row * tiling.tiles_x) * Tile::points_x;
  std::int64_t const y0 = pass.region.lower.y + (tile_row - chunk * tiling.tiles_y) * Tile::rows;
  std::int64_t const z0 = pass.region.lower.z + chunk * tiling.planes;
  std::int64_t const z1 =
      z0 + tiling.planes < pass.region.upper.z ? z0 + tiling.planes : pass.region.upper.z;
  int const lane = threadIdx.x;
  int const warp = threadIdx.y;
  std::int64_t const i = x0 + lane * width;

  // Slot of plane z in the ring, which begins with plane z0 − 1.
  auto const slot = [&](std::int64_t z) {
    return shared + static_cast<int>((z - z0 + 1) & (Tile::ring - 1)) * Tile::plane;
  };
  // Starts copying plane z. A group is committed even if empty, so counting groups is uniform.
  auto const stage = [&](std::int64_t z) {
    if (z <= z1) {
      for (int row = warp; row < Tile::rows + 2; row += Tile::warps) {
        stage_row(pass.in, x0, y0 + row - 1, z, lane, slot(z) + row * Tile::pitch);
      }
    }
    __pipeline_commit();
  };
  // A column changes only if it is free and belongs to the region.
  bool free_x[width];
  bool any_free_x = false;
  for (int n = 0; n < width; ++n) {
    free_x[n] = i + n >= pass.free.lower.x && i + n < pass.free.upper.x &&
                i + n >= pass.region.lower.x && i + n < pass.region.upper.x;
    any_free_x = any_free_x || free_x[n];
  }

  // Fill the ring; only plane z0 − 1 must have arrived before the loop.
  stage(z0 - 1);
  stage(z0);
  stage(z0 + 1);
  stage(z0 + 2);
  __pipeline_wait_prior(3);
  __syncthreads();
  // Position of the thread's first vector in a plane; row 0 and vector 0 are halo.
  int const first_row = warp * Tile::rows_per_thread + 1;
  int const mine = first_row * Tile::pitch + (lane + 1) * width;
  Vector<Real> below[Tile::rows_per_thread];
  for (int r = 0; r < Tile::rows_per_thread; ++r) {
    below[r] = vector_at(slot(z0 - 1) + mine + r * Tile::pitch);
  }
  ThreadChange change;
  for (std::int64_t z = z0; z < z1; ++z) {
    __pipeline_wait_prior(1);
    __syncthreads();  // plane z + 1 has arrived, and plane z − 1 is no longer read
    stage(z + 3);
    bool const free_z = z >= pass.free.lower.z && z < pass.free.upper.z;
#pragma unroll
    for (int r = 0; r < Tile::rows_per_thread; ++r) {
      std::int64_t const j = y0 + first_row - 1 + r;
      // The last tile in y may be incomplete.
      if (j >= pass.region.upper.y) break;
      Real const* const centre_at = slot(z) + mine + r * Tile::pitch;
      Vector<Real> const centre = vector_at(centre_at);
      Vector<Real> const above = vector_at(slot(z + 1) + mine + r * Tile::pitch);
      Vector<Real> after = centre;
      if (any_free_x && free_z && j >= pass.free.lower.y && j < pass.free.upper.y) {
        step_points<has_source, has_change>(rule, pass, centre_at, below[r], above, {i, j, z},
                                            free_x, after, change);
      }
      store(&pass.out(0, j, z), i, after, pass.region.lower.x, pass.region.upper.x);
      below[r] = centre;
    }
  }
  if constexpr (has_change) {
    __syncthreads();
    add_to<32 * Tile::warps>(pass.change, change);
  }
}

/// Launches the kernel with chunks of 16 to 256 planes: enough blocks to fill a device, but few
/// planes that two chunks read.
template <class Rule, bool has_source, bool has_change>
void launch_tile_3d(Queue& queue, Rule const& rule, Pass<typename Rule::Real> const& pass) {
  using Tile = Tile3D<typename Rule::Real>;
  constexpr std::int64_t enough_blocks = 4096;
  Extent3 const n = pass.region.extent();
  Tiling3D tiling{};
  tiling.first_x = align_down<Tile::width>(pass.region.lower.x);
  tiling.tiles_x = tiles(pass.region.upper.x - tiling.first_x, Tile::points_x);
  tiling.tiles_y = tiles(n.y, Tile::rows);
  tiling.planes =
      std::clamp<std::int64_t>(n.z * tiling.tiles_x * tiling.tiles_y / enough_blocks, 16, 256);
  std::int64_t const blocks = tiling.tiles_x * tiling.tiles_y * tiles(n.z, tiling.planes);
  sweep_tile_3d<Rule, has_source, has_change>
      <<<static_cast<unsigned>(blocks), dim3(32, Tile::warps), 0, make_current(queue)>>>(rule, pass,
                                                                                         tiling);
  check_launch();
}

}  // namespace isotherm::cuda
