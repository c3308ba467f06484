#include <type_traits>

#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/columns.cuh"
#include "kernels/multigrid/cuda/residual.hpp"
#include "kernels/multigrid/cuda/upright.hpp"
#include "kernels/multigrid/instances.hpp"
#include "kernels/sweep/cuda/change.cuh"

namespace isotherm::cuda {

namespace {

/// Computes the residual at a point from the values around it.
template <class Real>
struct PointResidual {
  AxisWeights<Real> w;
  Real shift;

  /// Returns the residual.
  /// @param beside  beside(di, dj) returns the neighbours in the point's plane; it is called only
  ///   for axes with a nonzero weight
  template <class Beside>
  __device__ __forceinline__ Real operator()(Real source, Real below, Real u, Real above,
                                             Beside const& beside) const {
    Real residual = source;
    // The order of operations is that of the CPU backend.
    if (shift != Real{0}) residual -= shift * u;
    auto const add = [&](Real weight, Real before, Real after) {
      residual += weight * ((before - u) + (after - u));
    };
    if (w.x != Real{0}) add(w.x, beside(-1, 0), beside(1, 0));
    if (w.y != Real{0}) add(w.y, beside(0, -1), beside(0, 1));
    if (w.z != Real{0}) add(w.z, below, above);
    return residual;
  }
};

/// The kernel without a correction. A thread marches up a column of points, of which it holds three
/// values in registers. Neighbours along x and y come from the caches.
template <class Real, class From, class To>
__global__ void __launch_bounds__(block_threads)
    residual_kernel(AxisWeights<Real> w, ResidualPass<From, To> pass) {
  ThreadChange change;
  auto const scale = static_cast<Real>(pass.scale);
  PointResidual<Real> const residual_of{w, static_cast<Real>(pass.shift)};
  // Without a weight along z, planes beyond the column may not exist and are not read.
  bool const along_z = w.z != Real{0};
  for_my_columns(pass.box, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t end) {
    From const* at = &pass.u(i, j, k);
    auto const read = [&](int di, int dj, int dk) {
      return static_cast<Real>(at[di + dj * pass.u.stride_y + dk * pass.u.stride_z]);
    };
    // Beyond the column only the adjacent planes exist, and only if their weight is not zero. Three
    // values of the column move through registers, so each is loaded once.
    Real below = along_z ? read(0, 0, -1) : Real{0};
    Real u = read(0, 0, 0);
    for (; k < end; ++k, at += pass.u.stride_z) {
      Real const above = along_z || k + 1 < end ? read(0, 0, 1) : Real{0};
      Real const source = pass.source ? static_cast<Real>(pass.source(i, j, k)) : Real{0};
      Real const residual =
          residual_of(source, below, u, above, [&](int di, int dj) { return read(di, dj, 0); });
      if (pass.out) pass.out(i, j, k) = static_cast<To>(scale * residual);
      if (pass.change != nullptr) change.add(0.0, static_cast<double>(residual));
      below = u;
      u = above;
    }
  });
  // All threads arrive here, including those without columns, as the reduction needs the whole
  // block.
  if (pass.change != nullptr) add_to<block_threads>(pass.change, change);
}

/// A column of values that are corrected while a block marches from plane to plane.
template <class Real, class From, class To>
struct CorrectedColumn {
  /// Addresses of the value of the next plane to be loaded, and of its correction.
  From const* u;
  To const* by;
  bool exists;  ///< whether the residual reads the column
  int slot;     ///< position in the tile

  /// A loaded value and its correction. They are added later, when the loads have completed.
  struct Parts {
    From before{};
    To by{};

    /// Returns the sum, rounded to the precision in which it will be stored.
    __device__ __forceinline__ Real corrected(Real factor) const {
      Real const sum = static_cast<Real>(before) + factor * static_cast<Real>(by);
      return static_cast<Real>(static_cast<From>(sum));
    }
  };

  /// Starts loading the value of the next plane, if it is wanted.
  __device__ __forceinline__ Parts next(ResidualPass<From, To> const& pass, bool wanted) {
    Parts const parts = exists && wanted ? Parts{*u, *by} : Parts{};
    u += pass.u.stride_z;
    by += pass.correction.stride_z;
    return parts;
  }
};

/// The columns of a block's threads, and the columns around them (the rim). Some threads process a
/// column of the rim in addition to their own.
template <int tile_x, int tile_y>
struct ResidualTile {
  /// A row of the tile with the columns on both sides.
  static constexpr int pitch = tile_x + 2;
  /// Values of a plane of the tile in shared memory.
  static constexpr int slots = pitch * (tile_y + 2);
  static constexpr int threads = tile_x * tile_y;

  /// Returns the column at offset (dx, dy) from the block's first one, positioned one plane below.
  template <class Real, class From, class To>
  __device__ static CorrectedColumn<Real, From, To> column(ResidualPass<From, To> const& pass,
                                                           LocalBox const& looked_at, Index3 first,
                                                           int dx, int dy) {
    Index3 const p = first + Index3{dx, dy, -1};
    bool const exists = p.x >= looked_at.lower.x && p.x < looked_at.upper.x &&
                        p.y >= looked_at.lower.y && p.y < looked_at.upper.y;
    return {&pass.u(p.x, p.y, p.z), &pass.correction(p.x, p.y, p.z), exists,
            dx + 1 + (dy + 1) * pitch};
  }

  /// Position of the additional column of a thread: first come those on the left and right, then
  /// those below and above.
  struct Rim {
    int x, y;
    bool exists;
  };
  /// Returns the additional column of a thread.
  /// @param along_x  whether the residual reads neighbours along x; likewise along_y
  __device__ static Rim rim_of(int thread, bool along_x, bool along_y) {
    // The first 2 · tile_y threads process the columns on the left and right.
    if (thread < 2 * tile_y) return {thread < tile_y ? -1 : tile_x, thread % tile_y, along_x};
    int const n = thread - 2 * tile_y;
    return {n % tile_x, n < tile_x ? -1 : tile_y, along_y && n < 2 * tile_x};
  }
};

/// The kernel with a fused correction. A block marches along z. It corrects the values of its part
/// of a plane and of the surrounding columns once. It holds them in shared memory, for two planes
/// alternately. A thread holds its column's values below, at and above the plane in registers.
template <class Tile, class Real, class From, class To>
__global__ void __launch_bounds__(Tile::threads, 4)
    corrected_residual_kernel(AxisWeights<Real> w, ResidualPass<From, To> pass) {
  // Corrected values of this plane and the next one. A single barrier per plane separates reads of
  // the one from writes of the other.
  __shared__ Real tiles[2][Tile::slots];
  ThreadChange change;
  auto const scale = static_cast<Real>(pass.scale);
  auto const factor = static_cast<Real>(pass.correction_scale);
  PointResidual<Real> const residual_of{w, static_cast<Real>(pass.shift)};
  LocalBox const box = pass.box;
  LocalBox const looked_at = read_by(box, w);
  bool const along_z = w.z != Real{0};
  // Blocks with the same x and y share the planes evenly.
  std::int64_t const planes = box.upper.z - box.lower.z;
  std::int64_t const begin = box.lower.z + planes * blockIdx.z / gridDim.z;
  std::int64_t const count = box.lower.z + planes * (blockIdx.z + 1) / gridDim.z - begin;
  std::int64_t const last = count - 1 + along_z;  // the last plane that is read
  int const x = threadIdx.x;
  int const y = threadIdx.y;
  auto const beside = Tile::rim_of(x + blockDim.x * y, w.x != Real{0}, w.y != Real{0});

  for (std::int64_t row = box.lower.y + std::int64_t{blockIdx.y} * blockDim.y; row < box.upper.y;
       row += std::int64_t{gridDim.y} * blockDim.y) {
    Index3 const first{first_x(box) + std::int64_t{blockIdx.x} * blockDim.x, row, begin};
    Index3 const p = first + Index3{x, y, 0};
    // Threads outside the box still load and correct values that others need.
    bool const inside = p.x >= box.lower.x && p.x < box.upper.x && p.y < box.upper.y;
    bool const has_source = pass.source && inside;
    From const* source_at = &pass.source(p.x, p.y, p.z);
    To* out_at = &pass.out(p.x, p.y, p.z);
    From* corrected_at = &pass.corrected(p.x, p.y, p.z);
    auto mine = Tile::template column<Real>(pass, looked_at, first, x, y);
    auto rim = Tile::template column<Real>(pass, looked_at, first, beside.x, beside.y);
    Real below = mine.next(pass, along_z).corrected(factor);
    Real u = mine.next(pass, true).corrected(factor);
    // Columns of the rim start one plane below; their values there are not needed.
    (void)rim.next(pass, false);
    Real const rim_first = rim.next(pass, beside.exists).corrected(factor);
    // Values are loaded one plane ahead.
    auto next = mine.next(pass, 1 <= last);
    auto rim_next = rim.next(pass, beside.exists && 1 < count);
    From source_next = has_source ? *source_at : From{};
    __syncthreads();  // the tiles of the last rows are no longer needed
    // The first plane; the loop adds the next plane while it reads this one.
    tiles[0][mine.slot] = u;
    if (beside.exists) tiles[0][rim.slot] = rim_first;
    __syncthreads();
    for (std::int64_t n = 0; n < count; ++n) {
      Real const above = next.corrected(factor);
      Real const rim_above = rim_next.corrected(factor);
      auto const source = static_cast<Real>(source_next);
      next = mine.next(pass, n + 2 <= last);
      rim_next = rim.next(pass, beside.exists && n + 2 < count);
      source_at += pass.source.stride_z;
      source_next = has_source && n + 1 < count ? *source_at : From{};
      if (inside) {
        Real const* const here = tiles[n % 2] + mine.slot;
        Real const residual = residual_of(
            source, below, u, above, [&](int di, int dj) { return here[di + dj * Tile::pitch]; });
        if (pass.out) *out_at = static_cast<To>(scale * residual);
        if (pass.change != nullptr) change.add(0.0, static_cast<double>(residual));
        // Each block stores the corrected values of its own points only.
        *corrected_at = static_cast<From>(u);
      }
      out_at += pass.out.stride_z;
      corrected_at += pass.corrected.stride_z;
      tiles[(n + 1) % 2][mine.slot] = above;
      if (beside.exists) tiles[(n + 1) % 2][rim.slot] = rim_above;
      below = u;
      u = above;
      __syncthreads();
    }
  }
  if (pass.change != nullptr) add_to<Tile::threads>(pass.change, change);
}

/// The kernel that adds a correction to a thread's columns of points, four planes at a time.
template <class From, class To>
__global__ void correction_kernel(FieldView<From const> correction, FieldView<To> u, LocalBox box,
                                  double scale) {
  // The wider of both precisions.
  using Real = std::common_type_t<From, To>;
  auto const factor = static_cast<Real>(scale);
  for_my_columns(box, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t end) {
    constexpr int at_once = 4;  // loads that need not wait for stores
    for (; k + at_once <= end; k += at_once) {
      To before[at_once];
      From by[at_once];
#pragma unroll
      for (int n = 0; n < at_once; ++n) {
        before[n] = u(i, j, k + n);
        by[n] = correction(i, j, k + n);
      }
#pragma unroll
      for (int n = 0; n < at_once; ++n) {
        u(i, j, k + n) =
            static_cast<To>(static_cast<Real>(before[n]) + factor * static_cast<Real>(by[n]));
      }
    }
    for (; k < end; ++k) {
      To& to = u(i, j, k);
      to = static_cast<To>(static_cast<Real>(to) + factor * static_cast<Real>(correction(i, j, k)));
    }
  });
}

}  // namespace

template <class Real, class From, class To>
void evaluate_residual(Queue& queue, AxisWeights<Real> const& weights,
                       ResidualPass<From, To> const& pass) {
  // In 2D, march along y instead of z.
  if (lies_flat(pass.box)) {
    return cuda::evaluate_residual(queue, AxisWeights<Real>{weights.x, weights.z, weights.y},
                                   upright(pass));
  }
  // A block covers 256 columns of a single row (also in upright 2D problems), or else 32 × 8.
  bool const one_row = pass.box.upper.y - pass.box.lower.y == 1 && weights.y == Real{0};
  auto kernel = residual_kernel<Real, From, To>;
  Launch over = launch_over(pass.box);
  if (pass.correction) {
    constexpr int wide = block_threads;
    kernel = one_row ? corrected_residual_kernel<ResidualTile<wide, 1>, Real, From, To>
                     : corrected_residual_kernel<ResidualTile<32, wide / 32>, Real, From, To>;
    over = launch_over(pass.box, one_row ? dim3(wide) : dim3(32, wide / 32));
  }
  kernel<<<over.grid, over.block, 0, make_current(queue)>>>(weights, pass);
  check_launch();
}

template <class From, class To>
void add_correction(Queue& queue, FieldView<From const> correction, FieldView<To> u, LocalBox box,
                    double scale) {
  if (lies_flat(box)) {
    return cuda::add_correction(queue, upright(correction), upright(u), upright(box), scale);
  }
  Launch const over = launch_over(box);
  correction_kernel<<<over.grid, over.block, 0, make_current(queue)>>>(correction, u, box, scale);
  check_launch();
}

#define ISOTHERM_INSTANTIATE(Real, From, To) \
  template void evaluate_residual(Queue&, AxisWeights<Real> const&, ResidualPass<From, To> const&);
ISOTHERM_FOR_EACH_RESIDUAL(ISOTHERM_INSTANTIATE)
#undef ISOTHERM_INSTANTIATE

#define ISOTHERM_INSTANTIATE(From, To) \
  template void add_correction(Queue&, FieldView<From const>, FieldView<To>, LocalBox, double);
ISOTHERM_FOR_EACH_CORRECTION(ISOTHERM_INSTANTIATE)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm::cuda
