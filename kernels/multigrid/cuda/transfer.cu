#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/columns.cuh"
#include "kernels/multigrid/cuda/transfer.hpp"
#include "kernels/multigrid/cuda/upright.hpp"
#include "kernels/sweep/cuda/vector.cuh"

namespace isotherm::cuda {

namespace {

/// The restriction kernel. A thread marches up a column of coarse points. It sums each fine plane
/// along x and y once, and keeps in registers the sums that the next coarse plane needs as well.
/// @tparam maximum  points of a stencil. Shorter stencils repeat their last point with weight 0, so
///   all loads can be issued without branches.
template <int maximum, class Real>
__global__ void __launch_bounds__(block_threads)
    restriction_kernel(FieldView<Real const> fine, FieldView<Real> coarse, LocalBox box,
                       AxisStencils<RestrictionStencil<Real>> stencils, Real factor) {
  for_my_columns(box, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t end) {
    // The stencils along x and y are those of the column. They are expanded to `maximum` points.
    RestrictionStencil<Real> const& x = stencils.x[i - box.lower.x];
    RestrictionStencil<Real> const& y = stencils.y[j - box.lower.y];
    Real const* const column = fine.origin + x.first + y.first * fine.stride_y;
    Real along_x[maximum], along_y[maximum];
    int in_row[maximum];
    std::int64_t rows[maximum];
#pragma unroll
    for (int n = 0; n < maximum; ++n) {
      along_x[n] = n < x.count ? x.weights[n] : Real{0};
      along_y[n] = n < y.count ? factor * y.weights[n] : Real{0};
      in_row[n] = n < x.count ? n : x.count - 1;
      rows[n] = (n < y.count ? n : y.count - 1) * fine.stride_y;
    }
    auto const in_plane = [&](std::int64_t plane) {
      Real const* const at = column + plane * fine.stride_z;
      // All loads of a plane are issued before the first use.
      Real values[maximum][maximum];
#pragma unroll
      for (int b = 0; b < maximum; ++b) {
#pragma unroll
        for (int a = 0; a < maximum; ++a) values[b][a] = at[rows[b] + in_row[a]];
      }
      Real sum = 0;
#pragma unroll
      for (int b = 0; b < maximum; ++b) {
        Real row = 0;
#pragma unroll
        for (int a = 0; a < maximum; ++a) row += along_x[a] * values[b][a];
        sum += along_y[b] * row;
      }
      return sum;
    };
    Real sums[maximum] = {};  // sums of the fine planes from `first` on
    std::int64_t first = stencils.z[k - box.lower.z].first;
    int known = 0;
    for (; k < end; ++k) {
      RestrictionStencil<Real> const& z = stencils.z[k - box.lower.z];
      // Drop the sums of planes below the current stencil.
      for (; first < z.first; ++first) {
#pragma unroll
        for (int c = 0; c + 1 < maximum; ++c) sums[c] = sums[c + 1];
        known = known > 0 ? known - 1 : 0;
      }
      Real value = 0;
#pragma unroll
      for (int c = 0; c < maximum; ++c) {
        if (c >= z.count) break;
        // Planes that the previous coarse point has summed are not summed again.
        if (c >= known) sums[c] = in_plane(first + c);
        value += z.weights[c] * sums[c];
      }
      known = z.count > known ? z.count : known;
      coarse(i, j, k) = value;
    }
  });
}

/// The prolongation kernel. A thread marches up a vector of columns. It interpolates each coarse
/// plane along x and y once, and holds those below and above the fine plane in registers.
template <class Real>
__global__ void __launch_bounds__(block_threads)
    prolongation_kernel(FieldView<Real const> coarse, FieldView<Real> fine, LocalBox box,
                        AxisStencils<ProlongationStencil<Real>> stencils, bool add) {
  constexpr int width = Vector<Real>::width;
  for_my_columns<width>(box, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t end) {
    ProlongationStencil<Real> const y = stencils.y[j - box.lower.y];
    Real const* const column = coarse.origin + y.lower * coarse.stride_y;
    // If the upper row has no weight, read the lower one twice: it always exists.
    std::int64_t const row = y.share != Real{0} ? coarse.stride_y : 0;
    // Columns outside of the box duplicate the one at its end.
    Real const* columns[width];
    int next[width];
    Real share[width];
#pragma unroll
    for (int v = 0; v < width; ++v) {
      std::int64_t const x = min(max(i + v, box.lower.x), box.upper.x - 1);
      ProlongationStencil<Real> const stencil = stencils.x[x - box.lower.x];
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
    std::int64_t known = INT64_MIN;  // the plane of `lower`; `upper` is the next one
    Vector<Real> lower{};
    Vector<Real> upper{};
    bool upper_known = false;
    for (; k < end; ++k) {
      Real* const to = &fine(0, j, k);
      Vector<Real> values{};
      // Loaded early, to overlap with the interpolation.
      if (add) values = *reinterpret_cast<Vector<Real> const*>(to + i);
      ProlongationStencil<Real> const z = stencils.z[k - box.lower.z];
      if (z.lower != known) {
        // The upper plane of the previous point often is the lower one of this point.
        lower = upper_known && z.lower == known + 1 ? upper : in_plane(z.lower);
        known = z.lower;
        upper_known = false;
      }
      // Without a weight the upper plane may not exist and is not read.
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

}  // namespace

template <class Real>
void restrict_field(Queue& queue, FieldView<Real const> fine, FieldView<Real> coarse, LocalBox box,
                    AxisStencils<RestrictionStencil<Real>> const& stencils, Real factor) {
  if (lies_flat(box)) {
    return cuda::restrict_field(queue, upright(fine), upright(coarse), upright(box),
                                upright(stencils), factor);
  }
  Launch const over = launch_over(box);
  // Stencils of fewer points need fewer loads.
  auto const kernel =
      stencils.widest <= 3 ? restriction_kernel<3, Real> : restriction_kernel<4, Real>;
  kernel<<<over.grid, over.block, 0, make_current(queue)>>>(fine, coarse, box, stencils, factor);
  check_launch();
}

template <class Real>
void prolongate_field(Queue& queue, FieldView<Real const> coarse, FieldView<Real> fine,
                      LocalBox box, AxisStencils<ProlongationStencil<Real>> const& stencils,
                      ProlongationMode mode) {
  if (lies_flat(box)) {
    return cuda::prolongate_field(queue, upright(coarse), upright(fine), upright(box),
                                  upright(stencils), mode);
  }
  bool const one_row = box.upper.y - box.lower.y == 1;
  Launch const over = launch_over(box, one_row ? dim3(block_threads) : dim3(32, block_threads / 32),
                                  Vector<Real>::width);
  prolongation_kernel<<<over.grid, over.block, 0, make_current(queue)>>>(
      coarse, fine, box, stencils, mode == ProlongationMode::add);
  check_launch();
}

#define ISOTHERM_INSTANTIATE(Real)                                                         \
  template void restrict_field(Queue&, FieldView<Real const>, FieldView<Real>, LocalBox,   \
                               AxisStencils<RestrictionStencil<Real>> const&, Real);       \
  template void prolongate_field(Queue&, FieldView<Real const>, FieldView<Real>, LocalBox, \
                                 AxisStencils<ProlongationStencil<Real>> const&,           \
                                 ProlongationMode);
ISOTHERM_INSTANTIATE(float)
ISOTHERM_INSTANTIATE(double)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm::cuda
