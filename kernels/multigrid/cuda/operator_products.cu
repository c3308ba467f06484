#include "kernels/multigrid/cuda/operator_products.hpp"
#include "kernels/multigrid/heterogeneous_residual.hpp"
#include "kernels/multigrid/instances.hpp"
#include "kernels/operators/cuda/operator_columns.cuh"

namespace isotherm::cuda {

namespace {

/// Sums a block's products, always in the same order. All threads must call it.
/// @returns  the sum in thread 0; other threads get partial sums
__device__ InnerProducts sum_of_block(InnerProducts mine) {
  constexpr int warps = block_threads / 32;
  __shared__ double sums[2][warps];
  for (int distance = 16; distance > 0; distance /= 2) {
    mine.ab += __shfl_down_sync(~0U, mine.ab, distance);
    mine.bc += __shfl_down_sync(~0U, mine.bc, distance);
  }
  unsigned const thread = threadIdx.y * blockDim.x + threadIdx.x;
  if (thread % 32 == 0) {
    sums[0][thread / 32] = mine.ab;
    sums[1][thread / 32] = mine.bc;
  }
  __syncthreads();
  for (int warp = 1; warp < warps && thread == 0; ++warp) {
    mine.ab += sums[0][warp];
    mine.bc += sums[1][warp];
  }
  return mine;
}

/// The kernel: applies the operator at a thread's columns of points, and sums their products.
template <class Correction, class Real, int dimension>
__global__ void __launch_bounds__(block_threads,
                                  operator_blocks<Conductances<Real, dimension>, true>)
    operator_products_kernel(Conductances<Real, dimension> op, double shift,
                             FieldView<Real const> p, FieldView<Correction const> r,
                             FieldView<Real> image, LocalBox box, InnerProducts* parts) {
  InnerProducts mine;
  for_my_operator_columns(
      op, p, {}, image, box,
      [&](std::int64_t i, std::int64_t j, std::int64_t k, auto const& point, auto const& at, Real) {
        auto const wide = [&](int di, int dj, int dk) {
          return static_cast<double>(at(di, dj, dk));
        };
        double const residual =
            heterogeneous_residual_at(point, 0.0, shift, false, false, wide).residual;
        auto const value = static_cast<Real>(-residual);
        double const here = wide(0, 0, 0);
        mine.ab += static_cast<double>(r(i, j, k)) * here;
        mine.bc += here * static_cast<double>(value);
        return value;
      });
  InnerProducts const all = sum_of_block(mine);
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    parts[(std::size_t{blockIdx.z} * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = all;
  }
}

}  // namespace

template <class Real, int dimension>
std::size_t parts_of_products(LocalBox const& box) {
  dim3 const grid = operator_launch<Real, dimension>(box).grid;
  return std::size_t{grid.x} * grid.y * grid.z;
}

template <class Correction, class Real, int dimension>
void apply_with_products(Queue& queue, Conductances<Real, dimension> const& op, double shift,
                         FieldView<Real const> p, FieldView<Correction const> r,
                         FieldView<Real> image, LocalBox box, InnerProducts* parts) {
  require_vectors(op, p, {});
  Launch const over = operator_launch<Real, dimension>(box);
  operator_products_kernel<<<over.grid, over.block, 0, make_current(queue)>>>(op, shift, p, r,
                                                                              image, box, parts);
  check_launch();
}

#define ISOTHERM_INSTANTIATE_IN(Correction, Real, dimension)                              \
  template void apply_with_products(Queue&, Conductances<Real, dimension> const&, double, \
                                    FieldView<Real const>, FieldView<Correction const>,   \
                                    FieldView<Real>, LocalBox, InnerProducts*);
#define ISOTHERM_INSTANTIATE(Correction, Real) \
  ISOTHERM_INSTANTIATE_IN(Correction, Real, 2) \
  ISOTHERM_INSTANTIATE_IN(Correction, Real, 3)
ISOTHERM_FOR_EACH_CORRECTION(ISOTHERM_INSTANTIATE)
#undef ISOTHERM_INSTANTIATE
#undef ISOTHERM_INSTANTIATE_IN

template std::size_t parts_of_products<float, 2>(LocalBox const&);
template std::size_t parts_of_products<float, 3>(LocalBox const&);
template std::size_t parts_of_products<double, 2>(LocalBox const&);
template std::size_t parts_of_products<double, 3>(LocalBox const&);

}  // namespace isotherm::cuda
