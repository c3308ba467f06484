#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/columns.cuh"
#include "kernels/multigrid/cuda/directions.hpp"
#include "kernels/multigrid/instances.hpp"

namespace isotherm::cuda {

namespace {

constexpr int threads = 256;

/// Computes the partial products: block p sums rows p, p + most_parts, … of the box. The sums of
/// its threads are added in a tree, so the order is fixed.
template <class Correction, class Real>
__global__ void __launch_bounds__(threads)
    products_kernel(FieldView<Correction const> a, FieldView<Real const> b, FieldView<Real const> c,
                    LocalBox box, Products* parts) {
  __shared__ double with_a[threads];
  __shared__ double with_c[threads];
  Products mine;
  std::int64_t const height = box.upper.y - box.lower.y;
  std::int64_t const rows = height * (box.upper.z - box.lower.z);
  for (std::int64_t row = blockIdx.x; row < rows; row += FieldProducts::most_parts) {
    std::int64_t const j = box.lower.y + row % height;
    std::int64_t const k = box.lower.z + row / height;
    for (std::int64_t i = box.lower.x + threadIdx.x; i < box.upper.x; i += threads) {
      auto const value = static_cast<double>(b(i, j, k));
      mine.ab += static_cast<double>(a(i, j, k)) * value;
      if (c) mine.bc += value * static_cast<double>(c(i, j, k));
    }
  }
  with_a[threadIdx.x] = mine.ab;
  with_c[threadIdx.x] = mine.bc;
  // The tree makes the result independent of the scheduling of warps.
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      with_a[threadIdx.x] += with_a[threadIdx.x + half];
      with_c[threadIdx.x] += with_c[threadIdx.x + half];
    }
  }
  if (threadIdx.x == 0) parts[blockIdx.x] = {with_a[0], with_c[0]};
}

/// Updates the search direction at a thread's columns of points.
template <class Correction, class Real>
__global__ void __launch_bounds__(block_threads)
    direction_kernel(FieldView<Correction const> correction, double scale,
                     FieldView<Real> direction, double keep, LocalBox box) {
  for_my_columns(box, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t end) {
    for (; k < end; ++k) {
      Real& to = direction(i, j, k);
      to = directed(scale * static_cast<double>(correction(i, j, k)), keep, to);
    }
  });
}

}  // namespace

template <class Correction, class Real>
void sum_products(Queue& queue, FieldView<Correction const> a, FieldView<Real const> b,
                  FieldView<Real const> c, LocalBox const& box, Products* parts) {
  products_kernel<<<FieldProducts::most_parts, threads, 0, make_current(queue)>>>(a, b, c, box,
                                                                                  parts);
  check_launch();
}

template <class Correction, class Real>
void set_direction(Queue& queue, FieldView<Correction const> correction, double scale,
                   FieldView<Real> direction, double keep, LocalBox box) {
  Launch const over = launch_over(box);
  direction_kernel<<<over.grid, over.block, 0, make_current(queue)>>>(correction, scale, direction,
                                                                      keep, box);
  check_launch();
}

#define ISOTHERM_INSTANTIATE(Correction, Real)                                              \
  template void sum_products(Queue&, FieldView<Correction const>, FieldView<Real const>,    \
                             FieldView<Real const>, LocalBox const&, Products*);            \
  template void set_direction(Queue&, FieldView<Correction const>, double, FieldView<Real>, \
                              double, LocalBox);
ISOTHERM_FOR_EACH_CORRECTION(ISOTHERM_INSTANTIATE)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm::cuda
