#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/launch.hpp"
#include "kernels/multigrid/coarsest/cuda/dense.hpp"

namespace isotherm::cuda {

namespace {

constexpr int warps = 4;  // per block; each computes a row of the product

/// Returns the point with the given number, x fastest.
template <class Real>
__device__ Index3 point_of(LocalBox const& box, int number) {
  Extent3 const n = box.extent();
  std::int64_t const row = number / n.x;
  return {box.lower.x + number % n.x, box.lower.y + row % n.y, box.lower.z + row / n.y};
}

/// The kernel. A warp computes one element of the product: its lanes share the row of the matrix.
/// Each lane sums in a register, and shuffles reduce the sums.
template <class Real>
__global__ void __launch_bounds__(32 * warps)
    multiply_kernel(Real const* matrix, FieldView<Real const> from, FieldView<Real> to,
                    LocalBox box, int count) {
  int const p = static_cast<int>(blockIdx.x) * warps + static_cast<int>(threadIdx.x) / 32;
  int const lane = static_cast<int>(threadIdx.x) % 32;
  if (p >= count) return;
  Real sum = 0;
  // Adjacent lanes read adjacent elements of the row.
  for (int q = lane; q < count; q += 32) {
    Index3 const at = point_of<Real>(box, q);
    sum += matrix[static_cast<std::int64_t>(p) * count + q] * from(at.x, at.y, at.z);
  }
  for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffff, sum, half);
  Index3 const at = point_of<Real>(box, p);
  if (lane == 0) to(at.x, at.y, at.z) = sum;
}

}  // namespace

template <class Real>
void multiply_dense(Queue& queue, Real const* matrix, FieldView<Real const> from,
                    FieldView<Real> to, LocalBox box) {
  auto const count = static_cast<int>(box.point_count());
  auto const blocks = static_cast<unsigned>(tiles(count, warps));
  multiply_kernel<<<blocks, 32 * warps, 0, make_current(queue)>>>(matrix, from, to, box, count);
  check_launch();
}

template void multiply_dense(Queue&, float const*, FieldView<float const>, FieldView<float>,
                             LocalBox);
template void multiply_dense(Queue&, double const*, FieldView<double const>, FieldView<double>,
                             LocalBox);

}  // namespace isotherm::cuda
