#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/each_point.cuh"
#include "kernels/multigrid/cuda/value_range.hpp"

namespace isotherm::cuda {

namespace {

constexpr int threads = 256;

/// Computes the partial ranges: block p covers rows p, p + part_count, … of the box. The ranges of
/// its threads are merged in a tree.
template <class Real>
__global__ void __launch_bounds__(threads)
    range_kernel(FieldView<Real const> field, LocalBox box, Links<Real> links, ValueRange* parts) {
  __shared__ double smallest[threads];
  __shared__ double largest[threads];
  double low = INFINITY;
  double high = -INFINITY;
  std::int64_t const height = box.upper.y - box.lower.y;
  std::int64_t const rows = height * (box.upper.z - box.lower.z);
  for (std::int64_t row = blockIdx.x; row < rows; row += RangeMeter::part_count) {
    std::int64_t const j = box.lower.y + row % height;
    std::int64_t const k = box.lower.z + row / height;
    for (std::int64_t i = box.lower.x + threadIdx.x; i < box.upper.x; i += threads) {
      if (!links.takes_part(i, j, k)) continue;
      auto const value = static_cast<double>(field(i, j, k));
      low = fmin(low, value);
      high = fmax(high, value);
    }
  }
  smallest[threadIdx.x] = low;
  largest[threadIdx.x] = high;
  // Every thread takes part, also those without values.
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      smallest[threadIdx.x] = fmin(smallest[threadIdx.x], smallest[threadIdx.x + half]);
      largest[threadIdx.x] = fmax(largest[threadIdx.x], largest[threadIdx.x + half]);
    }
  }
  if (threadIdx.x == 0) {
    parts[blockIdx.x].smallest = smallest[0];
    parts[blockIdx.x].largest = largest[0];
  }
}

}  // namespace

template <class Real>
void range_parts(Queue& queue, FieldView<Real const> field, LocalBox const& box,
                 Links<Real> const& links, ValueRange* parts) {
  range_kernel<<<RangeMeter::part_count, threads, 0, make_current(queue)>>>(field, box, links,
                                                                            parts);
  check_launch();
}

template void range_parts(Queue&, FieldView<float const>, LocalBox const&, Links<float> const&,
                          ValueRange*);
template void range_parts(Queue&, FieldView<double const>, LocalBox const&, Links<double> const&,
                          ValueRange*);

}  // namespace isotherm::cuda
