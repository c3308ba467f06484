#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/each_point.cuh"
#include "kernels/multigrid/cuda/mean.hpp"

namespace isotherm::cuda {

namespace {

constexpr int threads = 256;

/// Computes the partial sums: block p sums rows p, p + most_parts, … of the box. The sums of its
/// threads are added in a tree, so the order is fixed.
template <class Real>
__global__ void __launch_bounds__(threads) sum_kernel(FieldView<Real const> field, LocalBox box,
                                                      HalfPlanes halves, FieldSums::Sums* parts) {
  __shared__ double signed_sums[threads];
  __shared__ double absolute_sums[threads];
  FieldSums::Sums mine;
  std::int64_t const height = box.upper.y - box.lower.y;
  std::int64_t const rows = height * (box.upper.z - box.lower.z);
  for (std::int64_t row = blockIdx.x; row < rows; row += FieldSums::most_parts) {
    std::int64_t const j = box.lower.y + row % height;
    std::int64_t const k = box.lower.z + row / height;
    for (std::int64_t i = box.lower.x + threadIdx.x; i < box.upper.x; i += threads) {
      double const value = halves.weight(i, j, k) * static_cast<double>(field(i, j, k));
      mine.signed_sum += value;
      mine.absolute_sum += fabs(value);
    }
  }
  signed_sums[threadIdx.x] = mine.signed_sum;
  absolute_sums[threadIdx.x] = mine.absolute_sum;
  // The tree makes the result independent of the scheduling of warps.
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      signed_sums[threadIdx.x] += signed_sums[threadIdx.x + half];
      absolute_sums[threadIdx.x] += absolute_sums[threadIdx.x + half];
    }
  }
  if (threadIdx.x == 0) parts[blockIdx.x] = {signed_sums[0], absolute_sums[0]};
}

/// Adds a constant to a point.
template <class Real>
struct AddConstant {
  FieldView<Real> field;
  double value;
  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t) const {
    Real& to = field(i, j, k);
    to = static_cast<Real>(static_cast<double>(to) + value);
  }
};

}  // namespace

template <class Real>
void sum_parts(Queue& queue, FieldView<Real const> field, LocalBox const& box,
               HalfPlanes const& halves, FieldSums::Sums* parts) {
  sum_kernel<<<FieldSums::most_parts, threads, 0, make_current(queue)>>>(field, box, halves, parts);
  check_launch();
}

template <class Real>
void add_constant(Queue& queue, FieldView<Real> field, LocalBox box, double value) {
  for_each_point(queue, box, AddConstant<Real>{field, value});
}

#define ISOTHERM_INSTANTIATE(Real)                                                           \
  template void sum_parts(Queue&, FieldView<Real const>, LocalBox const&, HalfPlanes const&, \
                          FieldSums::Sums*);                                                 \
  template void add_constant(Queue&, FieldView<Real>, LocalBox, double);
ISOTHERM_INSTANTIATE(float)
ISOTHERM_INSTANTIATE(double)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm::cuda
