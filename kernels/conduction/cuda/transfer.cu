#include "kernels/conduction/cuda/transfer.hpp"
#include "kernels/conduction/point_transfer.hpp"
#include "kernels/core/cuda/points.cuh"

namespace isotherm::cuda {

namespace {

/// Returns true if all axes are coarsened without tables, which is the common case. Kernels that
/// are compiled for it have fewer branches.
template <class Real>
bool is_even(HeterogeneousTransfer<Real> const& by) {
  return by.coarsened_x && by.coarsened_y && by.coarsened_z && !by.table_x && !by.table_y &&
         !by.table_z;
}
/// Sets the members that is_even() checks to constants, so the compiler removes their branches.
template <class Real>
__device__ void assume_even(HeterogeneousTransfer<Real>& by) {
  by.coarsened_x = by.coarsened_y = by.coarsened_z = true;
  by.table_x = by.table_y = by.table_z = {};
}

/// The restriction kernel. A thread marches along z through a column of coarse points. `last` holds
/// the restricted plane of F points in registers, which two coarse points share.
/// @tparam even  is_even() holds
template <bool even, class Real>
__global__ void __launch_bounds__(block_threads, 4)
    restrict_kernel(RestrictResidual<Real> restriction, FieldView<Real> coarse, LocalBox box) {
  if constexpr (even) assume_even(restriction.by);
  for_my_columns(box, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t end) {
    typename RestrictResidual<Real>::Plane last;
    for (; k < end; ++k) coarse(i, j, k) = restriction.above(last, i, j, k);
  });
}

/// Adds the interpolated value to a fine point. For transfers that do not coarsen x.
template <class Real>
struct AddProlongation {
  ProlongateCorrection<Real> prolongation;
  FieldView<Real> fine;

  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    fine(i, j, k) += prolongation(i, j, k);
  }
};

/// Two points adjacent in x.
template <class Real>
struct alignas(2 * sizeof(Real)) Pair {
  Real here;
  Real next;
};

/// The prolongation kernel if x is coarsened. A thread marches along z through two columns: that of
/// a C point and that of the F point behind it. All threads of a warp thus take the same branches.
/// @tparam even  is_even() holds
/// @param columns  indices of coarse points along x, and of fine points along y and z
template <bool even, class Real>
__global__ void __launch_bounds__(block_threads, 4)
    prolongate_kernel_x(ProlongateCorrection<Real> prolongation, FieldView<Real> fine, LocalBox box,
                        LocalBox columns) {
  if constexpr (even) assume_even(prolongation.by);
  HeterogeneousTransfer<Real> const& by = prolongation.by;
  CoarseFineSplitting const splitting = by.splitting_x();
  for_my_columns(columns, [&](std::int64_t c, std::int64_t j, std::int64_t k, std::int64_t end) {
    std::int64_t const cx = c + by.coarse_first.x;
    std::int64_t const x = splitting.fine_of(cx);
    std::int64_t const i = x - by.fine_first.x;
    auto const lies_in = [&](std::int64_t at) { return at >= box.lower.x && at < box.upper.x; };
    bool const adds_here = lies_in(i);
    bool const adds_next = lies_in(i + 1) && splitting.is_f_point(x + 1);
    if (!adds_here && !adds_next) return;
    bool const adds_pair = adds_here && adds_next && i % 2 == 0;  // by one aligned access
    for (; k < end; ++k) {
      Index3 const at{x, j + by.fine_first.y, k + by.fine_first.z};
      // The F point reuses the value of the C point before it.
      Real const here = prolongation.at_column(cx, at);
      Real const next = prolongation.between(by.weights_x(i + 1, j, k), [&](bool before) {
        return before ? here : prolongation.at_column(cx + 1, at);
      });
      Real* const to = &fine(i, j, k);
      if (adds_pair) {
        auto& both = *reinterpret_cast<Pair<Real>*>(to);
        both = {both.here + here, both.next + next};
      } else {
        if (adds_here) to[0] += here;
        if (adds_next) to[1] += next;
      }
    }
  });
}

/// Returns the columns for prolongate_kernel_x(): all coarse points that exist along x.
template <class Real>
LocalBox coarse_columns(HeterogeneousTransfer<Real> const& by, LocalBox const& coarse,
                        LocalBox box) {
  box.lower.x = std::max(coarse.lower.x, -by.coarse_first.x);
  box.upper.x = std::min(coarse.upper.x, by.coarse_points.x - by.coarse_first.x);
  return box;
}

}  // namespace

template <class Real>
void restrict_residual(Queue& queue, HeterogeneousTransfer<Real> const& transfer,
                       FieldView<Real const> fine, FieldView<Real> coarse, LocalBox box) {
  Launch const over = launch_over(box);
  // Points that follow one another along z share a plane, so threads march along z.
  auto const kernel =
      is_even(transfer) ? restrict_kernel<true, Real> : restrict_kernel<false, Real>;
  kernel<<<over.grid, over.block, 0, make_current(queue)>>>(RestrictResidual<Real>{transfer, fine},
                                                            coarse, box);
  check_launch();
}

template <class Real>
void prolongate_correction(Queue& queue, HeterogeneousTransfer<Real> const& transfer,
                           FieldView<Real const> coarse, FieldView<Real> fine, LocalBox box) {
  ProlongateCorrection<Real> const prolongation{transfer, coarse};
  if (transfer.coarsened_x) {
    LocalBox const columns = coarse_columns(transfer, coarse.box, box);
    Launch const over = launch_over(columns);
    auto const kernel =
        is_even(transfer) ? prolongate_kernel_x<true, Real> : prolongate_kernel_x<false, Real>;
    kernel<<<over.grid, over.block, 0, make_current(queue)>>>(prolongation, fine, box, columns);
    check_launch();
  } else {
    run_in_columns(queue, box, AddProlongation<Real>{prolongation, fine});
  }
}

#define ISOTHERM_INSTANTIATE(Real)                                                   \
  template void restrict_residual(Queue&, HeterogeneousTransfer<Real> const&,        \
                                  FieldView<Real const>, FieldView<Real>, LocalBox); \
  template void prolongate_correction(Queue&, HeterogeneousTransfer<Real> const&,    \
                                      FieldView<Real const>, FieldView<Real>, LocalBox);
ISOTHERM_INSTANTIATE(float)
ISOTHERM_INSTANTIATE(double)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm::cuda
