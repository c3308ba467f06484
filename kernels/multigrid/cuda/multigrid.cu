#include <type_traits>

#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/each_point.cuh"
#include "kernels/multigrid/cuda/multigrid.hpp"
#include "kernels/multigrid/cuda/upright.hpp"
#include "kernels/multigrid/instances.hpp"
#include "kernels/sweep/cuda/change.cuh"
#include "kernels/sweep/cuda/vector.cuh"

namespace isotherm::cuda {

namespace {

/// Threads of a block. A block goes through a piece of its column of planes, so that what planes
/// share is read once, and few blocks have norms to add.
constexpr int block_threads = 256;

struct Launch {
  dim3 grid;
  dim3 block;
};

/// Where blocks begin in x, at or before the box: at a multiple of a warp, so that its loads begin
/// where rows are aligned.
__host__ __device__ inline std::int64_t first_x(LocalBox const& box) {
  return box.lower.x & ~std::int64_t{31};
}

/// @param points  of a thread, in x
Launch launch_over(LocalBox const& box, dim3 block, int points = 1) {
  constexpr std::int64_t most_blocks = 65535;       // in y and z
  constexpr std::int64_t enough_blocks = 132 * 32;  // to fill any device some times over
  std::int64_t const in_x = tiles(box.upper.x - first_x(box), std::int64_t{block.x} * points);
  std::int64_t const in_y = tiles(box.upper.y - box.lower.y, block.y);
  std::int64_t const planes = box.upper.z - box.lower.z;
  std::int64_t const pieces =
      std::clamp<std::int64_t>(tiles(enough_blocks, in_x * in_y), 1, planes);
  return {dim3(static_cast<unsigned>(in_x), static_cast<unsigned>(std::min(in_y, most_blocks)),
               static_cast<unsigned>(std::min(pieces, most_blocks))),
          block};
}
/// A block for threads with a column each: all in one row where there is one.
Launch launch_over(LocalBox const& box) {
  bool const one_row = box.upper.y - box.lower.y == 1;
  return launch_over(box, one_row ? dim3(block_threads) : dim3(64, block_threads / 64));
}

/// Calls work(i, j, k_begin, k_end) for this thread's columns of points of `box`: of `points`
/// columns side by side some of which lie in the box.
template <int points = 1, class Work>
__device__ __forceinline__ void for_my_columns(LocalBox const& box, Work const& work) {
  std::int64_t const i =
      first_x(box) + (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * points;
  if (i + points <= box.lower.x || i >= box.upper.x) return;
  std::int64_t const planes = box.upper.z - box.lower.z;
  std::int64_t const begin = box.lower.z + planes * blockIdx.z / gridDim.z;
  std::int64_t const end = box.lower.z + planes * (blockIdx.z + 1) / gridDim.z;
  for (std::int64_t j = box.lower.y + std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
       j < box.upper.y; j += std::int64_t{gridDim.y} * blockDim.y) {
    work(i, j, begin, end);
  }
}

/// What is left of the source at a point, given what lies around it.
template <class Real>
struct PointResidual {
  AxisWeights<Real> w;
  Real shift;

  /// `beside(di, dj)` gives the values beside the point in its plane; it is not asked for those on
  /// axes without a weight.
  template <class Beside>
  __device__ __forceinline__ Real operator()(Real source, Real below, Real u, Real above,
                                             Beside const& beside) const {
    Real residual = source;
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

template <class Real, class From, class To>
__global__ void __launch_bounds__(block_threads)
    residual_kernel(AxisWeights<Real> w, ResidualPass<From, To> pass) {
  ThreadChange change;
  auto const scale = static_cast<Real>(pass.scale);
  PointResidual<Real> const residual_of{w, static_cast<Real>(pass.shift)};
  bool const along_z = w.z != Real{0};
  for_my_columns(pass.box, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t end) {
    From const* at = &pass.u(i, j, k);
    auto const read = [&](int di, int dj, int dk) {
      return static_cast<Real>(at[di + dj * pass.u.stride_y + dk * pass.u.stride_z]);
    };
    // Of planes beyond the column only those that exist: next to it, where they count.
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
  if (pass.change != nullptr) add_to<block_threads>(pass.change, change);
}

/// The same of a field that is corrected on the way: a block corrects the values of its part of a
/// plane and those beside it once, and keeps them in shared memory, of two planes in turn.
template <int tile_x, int tile_y, class Real, class From, class To>
__global__ void __launch_bounds__(tile_x* tile_y, 4)
    corrected_residual_kernel(AxisWeights<Real> w, ResidualPass<From, To> pass) {
  constexpr int pitch = tile_x + 2;
  __shared__ Real tiles[2][pitch * (tile_y + 2)];
  ThreadChange change;
  auto const scale = static_cast<Real>(pass.scale);
  auto const factor = static_cast<Real>(pass.correction_scale);
  PointResidual<Real> const residual_of{w, static_cast<Real>(pass.shift)};
  LocalBox const box = pass.box;
  bool const along_x = w.x != Real{0};
  bool const along_y = w.y != Real{0};
  bool const along_z = w.z != Real{0};
  std::int64_t const first = first_x(box) + std::int64_t{blockIdx.x} * tile_x;
  std::int64_t const planes = box.upper.z - box.lower.z;
  std::int64_t const begin = box.lower.z + planes * blockIdx.z / gridDim.z;
  std::int64_t const end = box.lower.z + planes * (blockIdx.z + 1) / gridDim.z;

  // A thread's own column, and for some one beside the tile.
  int const x = threadIdx.x;
  int const y = threadIdx.y;
  int const number = x + tile_x * y;
  int const along_row = number - 2 * tile_y;
  bool const at_side = number < 2 * tile_y;
  int const rim_x = at_side ? (number < tile_y ? -1 : tile_x) : along_row % tile_x;
  int const rim_y = at_side ? number % tile_y : (along_row < tile_x ? -1 : tile_y);
  bool const has_rim = at_side ? along_x : along_y && along_row < 2 * tile_x;

  for (std::int64_t row = box.lower.y + std::int64_t{blockIdx.y} * tile_y; row < box.upper.y;
       row += std::int64_t{gridDim.y} * tile_y) {
    // Of a column: its first values, and whether they exist.
    struct Column {
      From const* u;
      To const* by;
      bool exists;
      int slot;
    };
    auto const column = [&](int dx, int dy) {
      std::int64_t const i = first + dx;
      std::int64_t const j = row + dy;
      bool const exists = i >= box.lower.x - along_x && i < box.upper.x + along_x &&
                          j >= box.lower.y - along_y && j < box.upper.y + along_y;
      return Column{&pass.u(i, j, begin), &pass.correction(i, j, begin), exists,
                    dx + 1 + (dy + 1) * pitch};
    };
    struct Parts {
      From before{};
      To by{};
    };
    auto const read = [&](Column const& of, std::int64_t plane, bool wanted) {
      if (!of.exists || !wanted) return Parts{};
      return Parts{of.u[plane * pass.u.stride_z], of.by[plane * pass.correction.stride_z]};
    };
    // As it will be stored.
    auto const corrected = [&](Parts const& of) {
      Real const sum = static_cast<Real>(of.before) + factor * static_cast<Real>(of.by);
      return static_cast<Real>(static_cast<From>(sum));
    };
    Column const mine = column(x, y);
    Column const rim = column(rim_x, rim_y);
    bool const inside =
        first + x >= box.lower.x && first + x < box.upper.x && row + y < box.upper.y;
    std::int64_t const count = end - begin;
    std::int64_t const last = count - 1 + along_z;  // plane that is looked at
    auto const source_at = [&](std::int64_t n) {
      bool const exists = pass.source && inside && n < count;
      return exists ? pass.source(first + x, row + y, begin + n) : From{};
    };
    Real below = corrected(read(mine, -1, along_z));
    Real u = corrected(read(mine, 0, true));
    Parts next = read(mine, 1, 1 <= last);
    Parts rim_next = read(rim, 1, has_rim && 1 < count);
    From source_next = source_at(0);
    __syncthreads();  // nobody needs the last rows' tiles any more
    tiles[0][mine.slot] = u;
    if (has_rim) tiles[0][rim.slot] = corrected(read(rim, 0, true));
    __syncthreads();
    for (std::int64_t n = 0; n < count; ++n) {
      Parts const above_parts = next;
      Parts const rim_parts = rim_next;
      auto const source = static_cast<Real>(source_next);
      // Asked for a plane before they are needed.
      next = read(mine, n + 2, n + 2 <= last);
      rim_next = read(rim, n + 2, has_rim && n + 2 < count);
      source_next = source_at(n + 1);
      Real const above = corrected(above_parts);
      if (inside) {
        std::int64_t const k = begin + n;
        Real const* const here = tiles[n % 2] + mine.slot;
        Real const residual = residual_of(source, below, u, above,
                                          [&](int di, int dj) { return here[di + dj * pitch]; });
        if (pass.out) pass.out(first + x, row + y, k) = static_cast<To>(scale * residual);
        if (pass.change != nullptr) change.add(0.0, static_cast<double>(residual));
        pass.corrected(first + x, row + y, k) = static_cast<From>(u);
      }
      tiles[(n + 1) % 2][mine.slot] = above;
      if (has_rim) tiles[(n + 1) % 2][rim.slot] = corrected(rim_parts);
      below = u;
      u = above;
      __syncthreads();
    }
  }
  if (pass.change != nullptr) add_to<tile_x * tile_y>(pass.change, change);
}

template <class From, class To>
__global__ void correction_kernel(FieldView<From const> correction, FieldView<To> u, LocalBox box,
                                  double scale) {
  using Real = std::common_type_t<From, To>;
  auto const factor = static_cast<Real>(scale);
  for_my_columns(box, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t end) {
    constexpr int at_once = 4;  // loads that do not wait for stores
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

/// The fine planes that a coarse point gathers from are summed up along x and y once, and kept for
/// the next coarse plane as far as that needs them too.
/// @tparam most  points of a stencil; those that it lacks are its last one, and count nothing, so
///               that nothing stands between the loads
template <int most, class Real>
__global__ void __launch_bounds__(block_threads)
    restriction_kernel(FieldView<Real const> fine, FieldView<Real> coarse, LocalBox box,
                       AxisStencils<RestrictionStencil<Real>> stencils, Real factor) {
  for_my_columns(box, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t end) {
    RestrictionStencil<Real> const& x = stencils.x[i - box.lower.x];
    RestrictionStencil<Real> const& y = stencils.y[j - box.lower.y];
    Real const* const column = fine.origin + x.first + y.first * fine.stride_y;
    Real along_x[most], along_y[most];
    int in_row[most];
    std::int64_t rows[most];
#pragma unroll
    for (int n = 0; n < most; ++n) {
      along_x[n] = n < x.count ? x.weights[n] : Real{0};
      along_y[n] = n < y.count ? factor * y.weights[n] : Real{0};
      in_row[n] = n < x.count ? n : x.count - 1;
      rows[n] = (n < y.count ? n : y.count - 1) * fine.stride_y;
    }
    auto const in_plane = [&](std::int64_t plane) {
      Real const* const at = column + plane * fine.stride_z;
      Real values[most][most];
#pragma unroll
      for (int b = 0; b < most; ++b) {
#pragma unroll
        for (int a = 0; a < most; ++a) values[b][a] = at[rows[b] + in_row[a]];
      }
      Real sum = 0;
#pragma unroll
      for (int b = 0; b < most; ++b) {
        Real row = 0;
#pragma unroll
        for (int a = 0; a < most; ++a) row += along_x[a] * values[b][a];
        sum += along_y[b] * row;
      }
      return sum;
    };
    Real sums[most] = {};  // of the planes from `first` on
    std::int64_t first = stencils.z[k - box.lower.z].first;
    int known = 0;
    for (; k < end; ++k) {
      RestrictionStencil<Real> const& z = stencils.z[k - box.lower.z];
      for (; first < z.first; ++first) {
#pragma unroll
        for (int c = 0; c + 1 < most; ++c) sums[c] = sums[c + 1];
        known = known > 0 ? known - 1 : 0;
      }
      Real value = 0;
#pragma unroll
      for (int c = 0; c < most; ++c) {
        if (c >= z.count) break;
        if (c >= known) sums[c] = in_plane(first + c);
        value += z.weights[c] * sums[c];
      }
      known = z.count > known ? z.count : known;
      coarse(i, j, k) = value;
    }
  });
}

/// Likewise the two coarse planes between which fine ones lie; a thread has a vector of columns.
template <class Real>
__global__ void __launch_bounds__(block_threads)
    interpolation_kernel(FieldView<Real const> coarse, FieldView<Real> fine, LocalBox box,
                         AxisStencils<InterpolationStencil<Real>> stencils, bool add) {
  constexpr int width = Vector<Real>::width;
  for_my_columns<width>(box, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t end) {
    InterpolationStencil<Real> const y = stencils.y[j - box.lower.y];
    Real const* const column = coarse.origin + y.lower * coarse.stride_y;
    std::int64_t const row = y.share != Real{0} ? coarse.stride_y : 0;
    // Columns outside of the box are those of its end.
    Real const* columns[width];
    int next[width];
    Real share[width];
#pragma unroll
    for (int v = 0; v < width; ++v) {
      std::int64_t const x = min(max(i + v, box.lower.x), box.upper.x - 1);
      InterpolationStencil<Real> const stencil = stencils.x[x - box.lower.x];
      columns[v] = column + stencil.lower;
      share[v] = stencil.share;
      next[v] = stencil.share != Real{0} ? 1 : 0;
    }
    auto const in_plane = [&](std::int64_t plane) {
      Vector<Real> values;
      std::int64_t const offset = plane * coarse.stride_z;
#pragma unroll
      for (int v = 0; v < width; ++v) {
        Real const* const at = columns[v] + offset;
        Real const* const beside = at + row;
        Real const lower = at[0] + share[v] * (at[next[v]] - at[0]);
        Real const upper = beside[0] + share[v] * (beside[next[v]] - beside[0]);
        values.v[v] = lower + y.share * (upper - lower);
      }
      return values;
    };
    std::int64_t known = INT64_MIN;  // the plane of `lower`; that of `upper` is the next
    Vector<Real> lower{};
    Vector<Real> upper{};
    bool upper_known = false;
    for (; k < end; ++k) {
      Real* const to = &fine(0, j, k);
      Vector<Real> values{};
      if (add) values = *reinterpret_cast<Vector<Real> const*>(to + i);
      InterpolationStencil<Real> const z = stencils.z[k - box.lower.z];
      if (z.lower != known) {
        lower = upper_known && z.lower == known + 1 ? upper : in_plane(z.lower);
        known = z.lower;
        upper_known = false;
      }
      if (z.share != Real{0} && !upper_known) {
        upper = in_plane(z.lower + 1);
        upper_known = true;
      }
#pragma unroll
      for (int v = 0; v < width; ++v) {
        values.v[v] += lower.v[v] + z.share * (upper.v[v] - lower.v[v]);
      }
      store(to, i, values, box.lower.x, box.upper.x);
    }
  });
}

template <class Real>
__global__ void dense_kernel(Real const* matrix, FieldView<Real const> from, FieldView<Real> to,
                             LocalBox box) {
  __shared__ Real values[most_dense_points];
  Extent3 const n = box.extent();
  int const count = static_cast<int>(box.point_count());
  int const row = threadIdx.x;
  Index3 const at{box.lower.x + row % n.x, box.lower.y + row / n.x % n.y,
                  box.lower.z + row / (n.x * n.y)};
  if (row < count) values[row] = from(at.x, at.y, at.z);
  __syncthreads();
  if (row >= count) return;
  Real sum = 0;
  for (int column = 0; column < count; ++column) {
    sum += matrix[row * count + column] * values[column];
  }
  to(at.x, at.y, at.z) = sum;
}

}  // namespace

template <class Real, class From, class To>
void evaluate_residual(Queue& queue, AxisWeights<Real> const& weights,
                       ResidualPass<From, To> const& pass) {
  if (lies_flat(pass.box)) {
    return cuda::evaluate_residual(queue, AxisWeights<Real>{weights.x, weights.z, weights.y},
                                   upright(pass));
  }
  bool const one_row = pass.box.upper.y - pass.box.lower.y == 1 && weights.y == Real{0};
  auto kernel = residual_kernel<Real, From, To>;
  Launch over = launch_over(pass.box);
  if (pass.correction) {
    constexpr int wide = block_threads;
    kernel = one_row ? corrected_residual_kernel<wide, 1, Real, From, To>
                     : corrected_residual_kernel<32, wide / 32, Real, From, To>;
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

template <class Real>
void restrict_to(Queue& queue, FieldView<Real const> fine, FieldView<Real> coarse, LocalBox box,
                 AxisStencils<RestrictionStencil<Real>> const& stencils, Real factor) {
  if (lies_flat(box)) {
    return cuda::restrict_to(queue, upright(fine), upright(coarse), upright(box), upright(stencils),
                             factor);
  }
  Launch const over = launch_over(box);
  auto const kernel =
      stencils.widest <= 3 ? restriction_kernel<3, Real> : restriction_kernel<4, Real>;
  kernel<<<over.grid, over.block, 0, make_current(queue)>>>(fine, coarse, box, stencils, factor);
  check_launch();
}

template <class Real>
void interpolate_to(Queue& queue, FieldView<Real const> coarse, FieldView<Real> fine, LocalBox box,
                    AxisStencils<InterpolationStencil<Real>> const& stencils, Interpolated mode) {
  if (lies_flat(box)) {
    return cuda::interpolate_to(queue, upright(coarse), upright(fine), upright(box),
                                upright(stencils), mode);
  }
  bool const one_row = box.upper.y - box.lower.y == 1;
  Launch const over = launch_over(box, one_row ? dim3(block_threads) : dim3(32, block_threads / 32),
                                  Vector<Real>::width);
  interpolation_kernel<<<over.grid, over.block, 0, make_current(queue)>>>(
      coarse, fine, box, stencils, mode == Interpolated::add);
  check_launch();
}

template <class Real>
void apply_dense(Queue& queue, Real const* matrix, FieldView<Real const> from, FieldView<Real> to,
                 LocalBox box) {
  dense_kernel<<<1, static_cast<unsigned>(most_dense_points), 0, make_current(queue)>>>(
      matrix, from, to, box);
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

#define ISOTHERM_INSTANTIATE(Real)                                                             \
  template void restrict_to(Queue&, FieldView<Real const>, FieldView<Real>, LocalBox,          \
                            AxisStencils<RestrictionStencil<Real>> const&, Real);              \
  template void interpolate_to(Queue&, FieldView<Real const>, FieldView<Real>, LocalBox,       \
                               AxisStencils<InterpolationStencil<Real>> const&, Interpolated); \
  template void apply_dense(Queue&, Real const*, FieldView<Real const>, FieldView<Real>, LocalBox);
ISOTHERM_INSTANTIATE(float)
ISOTHERM_INSTANTIATE(double)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm::cuda
