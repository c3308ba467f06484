#include "kernels/conduction/cuda/transfer.hpp"
#include "kernels/conduction/point_transfer.hpp"
#include "kernels/core/cuda/points.cuh"

namespace isotherm::cuda {

namespace {

/// Returns true if all axes are coarsened without tables, which is the common case. It has kernels
/// of its own.
template <class Real>
bool is_even(HeterogeneousTransfer<Real> const& by) {
  return by.coarsened_x && by.coarsened_y && by.coarsened_z && !by.table_x && !by.table_y &&
         !by.table_z;
}

/// Two points adjacent in x.
template <class Real>
struct alignas(2 * sizeof(Real)) Pair {
  Real here;
  Real next;
};

/// Returns two adjacent values. Rows are padded, so the second one may lie beyond the field.
template <class Real>
__device__ __forceinline__ Pair<Real> pair_at(Real const* first, bool is_aligned) {
  if (is_aligned) return *reinterpret_cast<Pair<Real> const*>(first);
  return {first[0], first[1]};
}

/// Which points of a pair prolongation changes.
struct AddedPair {
  bool here, next;
  bool both;  ///< by one aligned access

  /// @param i  the first point
  __device__ __forceinline__ AddedPair(std::int64_t i, bool adds_here, bool adds_next)
      : here(adds_here), next(adds_next), both(adds_here && adds_next && i % 2 == 0) {}

  /// Adds values to the points. @param to  the first of them
  template <class Real>
  __device__ __forceinline__ void add(Pair<Real> const& values, Real* to) const {
    if (both) {
      auto& pair = *reinterpret_cast<Pair<Real>*>(to);
      pair = {pair.here + values.here, pair.next + values.next};
    } else {
      if (here) to[0] += values.here;
      if (next) to[1] += values.next;
    }
  }
};

/// The restriction kernel. A thread marches along z through a column of coarse points. `last` holds
/// the restricted plane of F points in registers, which two coarse points share.
template <class Real>
__global__ void __launch_bounds__(block_threads, 4)
    restrict_kernel(RestrictResidual<Real> restriction, FieldView<Real> coarse, LocalBox box) {
  for_my_columns(box, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t end) {
    typename RestrictResidual<Real>::Plane last;
    for (; k < end; ++k) coarse(i, j, k) = restriction.above(last, i, j, k);
  });
}

/// Restricts the planes of a fine field to a column of coarse points, like RestrictResidual, if
/// is_even(). What all planes share is computed once. A thread loads the C point with the F point
/// behind it; it has the F point before it from the thread of the previous column. All threads of a
/// warp must take part.
template <class Real>
class EvenColumn {
 public:
  /// @param i         the column; beyond the box the nearest one
  /// @param is_first  the previous thread does not have the previous column
  __device__ __forceinline__ EvenColumn(RestrictResidual<Real> const& restriction, std::int64_t i,
                                        std::int64_t j, bool is_first) {
    HeterogeneousTransfer<Real> const& by = restriction.by;
    FieldView<Real const> const& fine = restriction.fine;
    std::int64_t const cx = i + by.coarse_first.x;
    std::int64_t const x = by.splitting_x().fine_of(cx),
                       y = by.splitting_y().fine_of(j + by.coarse_first.y);
    f_before_ = by.splitting_x().is_f_point(x - 1);
    f_next_ = by.splitting_x().is_f_point(x + 1);
    f_south_ = by.splitting_y().is_f_point(y - 1);
    f_north_ = by.splitting_y().is_f_point(y + 1);
    loads_before_ = f_before_ && is_first;
    Index3 const at{x - by.fine_first.x, y - by.fine_first.y, -by.fine_first.z};
    is_aligned_ = at.x % 2 == 0;
    values_ = &fine(at.x, at.y, at.z);
    weights_x_ = &by.weights_x(at.x, at.y, at.z);
    weights_y_ = &by.weights_y(cx - by.between_first.x, at.y, at.z);
    rows_ = {fine.stride_y, by.weights_x.stride_y, by.weights_y.stride_y};
    planes_ = {fine.stride_z, by.weights_x.stride_z, by.weights_y.stride_z};
  }

  /// Returns the restriction of fine plane `z`, a global index, along x and y.
  [[nodiscard]] __device__ __forceinline__ Real plane(std::int64_t z) const {
    Real const* const values = values_ + z * planes_.values;
    Real const* const weights = weights_x_ + z * planes_.weights_x;
    Real const* const weights_y = weights_y_ + z * planes_.weights_y;
    // Rows beyond the grid are ghost rows. They are loaded, so that no load waits for another, but
    // not added.
    Real const in_south = row(values - rows_.values, weights - rows_.weights_x);
    Real const in_north = row(values + rows_.values, weights + rows_.weights_x);
    Real const to_south = weights_y[-rows_.weights_y], to_north = weights_y[rows_.weights_y];
    Real sum = row(values, weights);
    if (f_south_) sum += interpolation_share(to_south, false) * in_south;
    if (f_north_) sum += interpolation_share(to_north, true) * in_north;
    return sum;
  }

 private:
  /// Restricts a row along x.
  [[nodiscard]] __device__ __forceinline__ Real row(Real const* values, Real const* weights) const {
    Pair<Real> const value = pair_at(values, is_aligned_);
    Pair<Real> const weight = pair_at(weights, is_aligned_);
    Real before = __shfl_up_sync(~0U, value.next, 1);
    Real weight_before = __shfl_up_sync(~0U, weight.next, 1);
    if (loads_before_) {
      before = values[-1];
      weight_before = weights[-1];
    }
    Real sum = value.here;
    if (f_before_) sum += interpolation_share(weight_before, false) * before;
    if (f_next_) sum += interpolation_share(weight.next, true) * value.next;
    return sum;
  }

  struct Strides {
    std::int64_t values, weights_x, weights_y;
  };

  bool f_before_, f_next_, f_south_, f_north_;  ///< the neighbour along x or y is an F point
  bool loads_before_, is_aligned_;
  Real const* values_;  ///< of the C point in plane z = 0, like the following
  Real const* weights_x_;
  Real const* weights_y_;
  Strides rows_, planes_;
};

/// The restriction kernel if is_even(). It does the same as restrict_kernel(), with the same bits.
template <class Real>
__global__ void __launch_bounds__(block_threads, 4)
    restrict_even_kernel(RestrictResidual<Real> restriction, FieldView<Real> coarse, LocalBox box) {
  HeterogeneousTransfer<Real> const& by = restriction.by;
  CoarseFineSplitting const splitting = by.splitting_z();
  std::int64_t const i = first_x(box) + std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  std::int64_t const column_i = min(max(i, box.lower.x), box.upper.x - 1);
  bool const is_first = threadIdx.x % 32 == 0 || i <= box.lower.x;
  std::int64_t const planes = box.upper.z - box.lower.z;
  std::int64_t const begin = box.lower.z + planes * blockIdx.z / gridDim.z;
  std::int64_t const end = box.lower.z + planes * (blockIdx.z + 1) / gridDim.z;
  for (std::int64_t j = box.lower.y + std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
       j < box.upper.y; j += std::int64_t{gridDim.y} * blockDim.y) {
    EvenColumn<Real> const column(restriction, column_i, j, is_first);
    Real const* const weights_z =
        &by.weights_z(column_i + by.coarse_first.x - by.between_first.x,
                      j + by.coarse_first.y - by.between_first.y, -by.fine_first.z);
    Real below = 0;  // the plane of F points below
    bool is_known = false;
    for (std::int64_t k = begin; k < end; ++k) {
      std::int64_t const z = splitting.fine_of(k + by.coarse_first.z);
      Real sum = column.plane(z);
      if (splitting.is_f_point(z - 1)) {
        if (!is_known) below = column.plane(z - 1);
        sum += interpolation_share(weights_z[(z - 1) * by.weights_z.stride_z], false) * below;
      }
      is_known = splitting.is_f_point(z + 1);
      if (is_known) {
        below = column.plane(z + 1);
        sum += interpolation_share(weights_z[(z + 1) * by.weights_z.stride_z], true) * below;
      }
      if (i == column_i) coarse(i, j, k) = sum;
    }
  }
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

/// The prolongation kernel if x is coarsened. A thread marches along z through two columns: that of
/// a C point and that of the F point behind it. All threads of a warp thus take the same branches.
/// @param columns  indices of coarse points along x, and of fine points along y and z
template <class Real>
__global__ void __launch_bounds__(block_threads, 4)
    prolongate_kernel_x(ProlongateCorrection<Real> prolongation, FieldView<Real> fine, LocalBox box,
                        LocalBox columns) {
  HeterogeneousTransfer<Real> const& by = prolongation.by;
  CoarseFineSplitting const splitting = by.splitting_x();
  for_my_columns(columns, [&](std::int64_t c, std::int64_t j, std::int64_t k, std::int64_t end) {
    std::int64_t const cx = c + by.coarse_first.x;
    std::int64_t const x = splitting.fine_of(cx);
    std::int64_t const i = x - by.fine_first.x;
    auto const lies_in = [&](std::int64_t at) { return at >= box.lower.x && at < box.upper.x; };
    AddedPair const added(i, lies_in(i), lies_in(i + 1) && splitting.is_f_point(x + 1));
    if (!added.here && !added.next) return;
    for (; k < end; ++k) {
      Index3 const at{x, j + by.fine_first.y, k + by.fine_first.z};
      // The F point reuses the value of the C point before it.
      Real const here = prolongation.at_column(cx, at);
      Real const next = prolongation.between(by.weights_x(i + 1, j, k), [&](bool before) {
        return before ? here : prolongation.at_column(cx + 1, at);
      });
      added.add({here, next}, &fine(i, j, k));
    }
  });
}

/// Columns of coarse points that a warp prolongates. Its last thread only provides the value behind
/// them.
constexpr int warp_columns = 31;

/// The prolongation kernel if is_even(). It does the same as prolongate_kernel_x(), with the same
/// bits. What all planes share is computed once, and a thread has the value of the next column from
/// the next thread.
template <class Real>
__global__ void __launch_bounds__(block_threads, 4)
    prolongate_even_kernel(ProlongateCorrection<Real> prolongation, FieldView<Real> fine,
                           LocalBox box, LocalBox columns) {
  HeterogeneousTransfer<Real> const& by = prolongation.by;
  FieldView<Real const> const& coarse = prolongation.coarse;
  CoarseFineSplitting const along_x = by.splitting_x(), along_y = by.splitting_y(),
                            along_z = by.splitting_z();
  unsigned const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  std::int64_t const first =
      columns.lower.x + (std::int64_t{blockIdx.x} * (blockDim.x / 32) + warp) * warp_columns;
  // One column beyond the box may be read.
  std::int64_t const c = min(first + lane, columns.upper.x);
  std::int64_t const cx = c + by.coarse_first.x;
  std::int64_t const x = along_x.fine_of(cx);
  std::int64_t const i = x - by.fine_first.x;
  auto const lies_in = [&](std::int64_t at) { return at >= box.lower.x && at < box.upper.x; };
  bool const writes = lane < warp_columns && c < columns.upper.x;
  AddedPair const added(i, writes && lies_in(i),
                        writes && lies_in(i + 1) && along_x.is_f_point(x + 1));
  std::int64_t const planes = columns.upper.z - columns.lower.z;
  std::int64_t const begin = columns.lower.z + planes * blockIdx.z / gridDim.z;
  std::int64_t const end = columns.lower.z + planes * (blockIdx.z + 1) / gridDim.z;
  for (std::int64_t j = columns.lower.y + std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
       j < columns.upper.y; j += std::int64_t{gridDim.y} * blockDim.y) {
    std::int64_t const y = j + by.fine_first.y;
    bool const f_row = along_y.is_f_point(y);
    std::int64_t const cy = f_row ? along_y.coarse_before(y) : along_y.coarse_of(y);
    Real const* const values = &coarse(c, cy - by.coarse_first.y, -by.coarse_first.z);
    Real const* const weights_x = &by.weights_x(i + 1, j, 0);
    Real const* const weights_y = &by.weights_y(cx - by.between_first.x, j, 0);
    Real const* const weights_z =
        &by.weights_z(cx - by.between_first.x, cy - by.between_first.y, 0);
    for (std::int64_t k = begin; k < end; ++k) {
      std::int64_t const z = k + by.fine_first.z;
      bool const f_plane = along_z.is_f_point(z);
      std::int64_t const cz = f_plane ? along_z.coarse_before(z) : along_z.coarse_of(z);
      // The value between two planes, in the row of C points before (0) or behind (1).
      auto const between_planes = [&](int row) {
        Real const* const value = values + row * coarse.stride_y + cz * coarse.stride_z;
        if (!f_plane) return *value;
        Real const weight = weights_z[row * by.weights_z.stride_y + k * by.weights_z.stride_z];
        return prolongation.between(
            weight, [&](bool before) { return value[before ? 0 : coarse.stride_z]; });
      };
      Real here = 0;
      if (f_row) {
        here = prolongation.between(weights_y[k * by.weights_y.stride_z],
                                    [&](bool before) { return between_planes(before ? 0 : 1); });
      } else {
        here = between_planes(0);
      }
      Real const behind = __shfl_down_sync(~0U, here, 1);
      Real const next = prolongation.between(weights_x[k * by.weights_x.stride_z],
                                             [&](bool before) { return before ? here : behind; });
      added.add({here, next}, &fine(i, j, k));
    }
  }
}

/// Returns the columns of prolongation: all coarse points that exist along x.
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
  auto const kernel = is_even(transfer) ? restrict_even_kernel<Real> : restrict_kernel<Real>;
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
    Launch over = launch_over(columns);
    if (is_even(transfer)) {
      over.grid.x = static_cast<unsigned>(
          tiles(columns.upper.x - columns.lower.x, std::int64_t{over.block.x / 32} * warp_columns));
      prolongate_even_kernel<<<over.grid, over.block, 0, make_current(queue)>>>(prolongation, fine,
                                                                                box, columns);
    } else {
      prolongate_kernel_x<<<over.grid, over.block, 0, make_current(queue)>>>(prolongation, fine,
                                                                             box, columns);
    }
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
