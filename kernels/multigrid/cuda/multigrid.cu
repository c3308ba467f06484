#include <type_traits>

#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/each_point.cuh"
#include "kernels/multigrid/cuda/multigrid.hpp"
#include "kernels/multigrid/cuda/upright.hpp"
#include "kernels/multigrid/instances.hpp"
#include "kernels/sweep/cuda/change.cuh"

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

Launch launch_over(LocalBox const& box) {
  constexpr std::int64_t most_blocks = 65535;       // in y and z
  constexpr std::int64_t enough_blocks = 132 * 32;  // to fill any device some times over
  Extent3 n = box.extent();
  n.x = box.upper.x - first_x(box);
  dim3 const block = n.y == 1 ? dim3(block_threads) : dim3(64, block_threads / 64);
  std::int64_t const columns = tiles(n.x, block.x) * tiles(n.y, block.y);
  std::int64_t const pieces = std::clamp<std::int64_t>(tiles(enough_blocks, columns), 1, n.z);
  return {dim3(static_cast<unsigned>(tiles(n.x, block.x)),
               static_cast<unsigned>(std::min(tiles(n.y, block.y), most_blocks)),
               static_cast<unsigned>(std::min(pieces, most_blocks))),
          block};
}

/// Calls work(i, j, k_begin, k_end) for this thread's columns of points of `box`.
template <class Work>
__device__ __forceinline__ void for_my_columns(LocalBox const& box, Work const& work) {
  std::int64_t const i = first_x(box) + std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < box.lower.x || i >= box.upper.x) return;
  std::int64_t const planes = box.upper.z - box.lower.z;
  std::int64_t const begin = box.lower.z + planes * blockIdx.z / gridDim.z;
  std::int64_t const end = box.lower.z + planes * (blockIdx.z + 1) / gridDim.z;
  for (std::int64_t j = box.lower.y + std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
       j < box.upper.y; j += std::int64_t{gridDim.y} * blockDim.y) {
    work(i, j, begin, end);
  }
}

/// @tparam corrects  the pass has a correction
template <bool corrects, class Real, class From, class To>
__global__ void __launch_bounds__(block_threads)
    residual_kernel(AxisWeights<Real> w, ResidualPass<From, To> pass) {
  ThreadChange change;
  auto const scale = static_cast<Real>(pass.scale);
  auto const shift = static_cast<Real>(pass.shift);
  auto const factor = static_cast<Real>(pass.correction_scale);
  bool const along_z = w.z != Real{0};
  for_my_columns(pass.box, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t end) {
    From const* at = &pass.u(i, j, k);
    To const* by = corrects ? &pass.correction(i, j, k) : nullptr;
    auto const read = [&](int di, int dj, int dk) {
      Real value = at[di + dj * pass.u.stride_y + dk * pass.u.stride_z];
      if constexpr (corrects) {
        value +=
            factor * static_cast<Real>(
                         by[di + dj * pass.correction.stride_y + dk * pass.correction.stride_z]);
        // As it will be stored.
        value = static_cast<Real>(static_cast<From>(value));
      }
      return value;
    };
    // Of planes beyond the column only those that exist: next to it, where they count.
    Real below = along_z ? read(0, 0, -1) : Real{0};
    Real u = read(0, 0, 0);
    for (; k < end; ++k, at += pass.u.stride_z) {
      Real const above = along_z || k + 1 < end ? read(0, 0, 1) : Real{0};
      Real residual = pass.source ? static_cast<Real>(pass.source(i, j, k)) : Real{0};
      if (shift != Real{0}) residual -= shift * u;
      auto const add = [&](Real weight, Real before, Real after) {
        residual += weight * ((before - u) + (after - u));
      };
      if (w.x != Real{0}) add(w.x, read(-1, 0, 0), read(1, 0, 0));
      if (w.y != Real{0}) add(w.y, read(0, -1, 0), read(0, 1, 0));
      if (along_z) add(w.z, below, above);
      if (pass.out) pass.out(i, j, k) = static_cast<To>(scale * residual);
      if (pass.change != nullptr) change.add(0.0, static_cast<double>(residual));
      if constexpr (corrects) {
        pass.corrected(i, j, k) = static_cast<From>(u);
        by += pass.correction.stride_z;
      }
      below = u;
      u = above;
    }
  });
  if (pass.change != nullptr) add_to<block_threads>(pass.change, change);
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
template <class Real>
__global__ void __launch_bounds__(block_threads)
    restriction_kernel(FieldView<Real const> fine, FieldView<Real> coarse, LocalBox box,
                       AxisStencils<RestrictionStencil<Real>> stencils, Real factor) {
  constexpr int most = RestrictionStencil<Real>::most;
  for_my_columns(box, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t end) {
    RestrictionStencil<Real> const x = stencils.x[i - box.lower.x];
    RestrictionStencil<Real> const y = stencils.y[j - box.lower.y];
    Real const* const column = fine.origin + x.first + y.first * fine.stride_y;
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
        if (c >= known) {
          Real const* const plane = column + (first + c) * fine.stride_z;
          Real sum = 0;
#pragma unroll
          for (int b = 0; b < most; ++b) {
            if (b >= y.count) break;
            Real row = 0;
#pragma unroll
            for (int a = 0; a < most; ++a) {
              if (a < x.count) row += x.weights[a] * plane[a + b * fine.stride_y];
            }
            sum += y.weights[b] * row;
          }
          sums[c] = sum;
        }
        value += z.weights[c] * sums[c];
      }
      known = z.count > known ? z.count : known;
      coarse(i, j, k) = factor * value;
    }
  });
}

/// Likewise the two coarse planes between which fine ones lie.
template <class Real>
__global__ void __launch_bounds__(block_threads)
    interpolation_kernel(FieldView<Real const> coarse, FieldView<Real> fine, LocalBox box,
                         AxisStencils<InterpolationStencil<Real>> stencils, bool add) {
  for_my_columns(box, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t end) {
    InterpolationStencil<Real> const x = stencils.x[i - box.lower.x];
    InterpolationStencil<Real> const y = stencils.y[j - box.lower.y];
    Real const* const column = coarse.origin + x.lower + y.lower * coarse.stride_y;
    auto const in_plane = [&](std::int64_t plane) {
      Real const* const row = column + plane * coarse.stride_z;
      auto const along_x = [&](Real const* at) {
        return x.share != Real{0} ? at[0] + x.share * (at[1] - at[0]) : at[0];
      };
      Real const lower = along_x(row);
      return y.share != Real{0} ? lower + y.share * (along_x(row + coarse.stride_y) - lower)
                                : lower;
    };
    std::int64_t known = INT64_MIN;  // the plane of `lower`; that of `upper` is the next
    Real lower = 0;
    Real upper = 0;
    bool upper_known = false;
    auto const at_plane = [&](std::int64_t plane) {
      InterpolationStencil<Real> const z = stencils.z[plane - box.lower.z];
      if (z.lower != known) {
        lower = upper_known && z.lower == known + 1 ? upper : in_plane(z.lower);
        known = z.lower;
        upper_known = false;
      }
      if (z.share != Real{0} && !upper_known) {
        upper = in_plane(z.lower + 1);
        upper_known = true;
      }
      return z.share != Real{0} ? lower + z.share * (upper - lower) : lower;
    };
    constexpr int at_once = 4;  // loads that do not wait for stores
    for (; k < end; k += at_once) {
      Real values[at_once];
#pragma unroll
      for (int n = 0; n < at_once; ++n) {
        values[n] = add && k + n < end ? fine(i, j, k + n) : Real{0};
      }
#pragma unroll
      for (int n = 0; n < at_once; ++n) {
        if (k + n < end) values[n] += at_plane(k + n);
      }
#pragma unroll
      for (int n = 0; n < at_once; ++n) {
        if (k + n < end) fine(i, j, k + n) = values[n];
      }
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
  Launch const over = launch_over(pass.box);
  auto const kernel = pass.correction ? residual_kernel<true, Real, From, To>
                                      : residual_kernel<false, Real, From, To>;
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
  restriction_kernel<<<over.grid, over.block, 0, make_current(queue)>>>(fine, coarse, box, stencils,
                                                                        factor);
  check_launch();
}

template <class Real>
void interpolate_to(Queue& queue, FieldView<Real const> coarse, FieldView<Real> fine, LocalBox box,
                    AxisStencils<InterpolationStencil<Real>> const& stencils, Interpolated mode) {
  if (lies_flat(box)) {
    return cuda::interpolate_to(queue, upright(coarse), upright(fine), upright(box),
                                upright(stencils), mode);
  }
  Launch const over = launch_over(box);
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
