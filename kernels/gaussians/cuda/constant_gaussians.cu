#include <algorithm>
#include <mutex>

#include "kernels/core/byte_count.hpp"
#include "kernels/core/cuda/each_point.cuh"
#include "kernels/gaussians/cuda/constant_gaussians.hpp"

namespace isotherm::cuda {

namespace {

/// Number of terms that the 64 KiB of constant memory hold.
constexpr std::size_t batch = 1600;
static_assert(batch * sizeof(PreparedGaussian) <= 64 * 1024);
__constant__ PreparedGaussian constant_terms[batch];

/// Adds the terms of one batch. A thread sums the terms at one point per iteration, in a register.
/// All threads of a warp read the same term of constant memory, which is broadcast. Partial sums of
/// the previous batches are in `sums`, one per point.
template <class Real>
struct AddBatch {
  FieldView<Real> field;
  PointFrame frame;
  int dimension;
  int count;
  double* sums;
  bool first, last;
  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k,
                             std::int64_t item) const {
    Position const here = position(frame, dimension, i, j, k);
    double sum = first ? 0.0 : sums[item];
    for (int n = 0; n < count; ++n) sum += gaussian_at(constant_terms[n], here);
    if (last) {
      field(i, j, k) = static_cast<Real>(static_cast<double>(field(i, j, k)) + sum);
    } else {
      sums[item] = sum;
    }
  }
};

}  // namespace

template <class Real>
void add_gaussians_from_constant(Queue& queue, FieldView<Real> field, LocalBox box,
                                 PointFrame const& frame, int dimension,
                                 std::vector<PreparedGaussian> const& terms) {
  // Constant memory is shared by all queues of a device.
  static std::mutex in_use;
  std::lock_guard const alone(in_use);
  Buffer sums;
  // A single batch needs no partial sums.
  if (terms.size() > batch) {
    auto const points = static_cast<std::size_t>(box.point_count());
    sums = Buffer(queue, Space::device, product_of_bytes(points, sizeof(double)));
  }
  for (std::size_t begin = 0; begin < terms.size(); begin += batch) {
    std::size_t const count = std::min(batch, terms.size() - begin);
    check(cudaMemcpyToSymbolAsync(constant_terms, terms.data() + begin,
                                  count * sizeof(PreparedGaussian), 0, cudaMemcpyHostToDevice,
                                  make_current(queue)));
    for_each_point(queue, box,
                   AddBatch<Real>{field, frame, dimension, static_cast<int>(count),
                                  sums.as<double>(), begin == 0, begin + count == terms.size()});
  }
  queue.wait();  // no other call may overwrite constant memory before
}

template void add_gaussians_from_constant(Queue&, FieldView<float>, LocalBox, PointFrame const&,
                                          int, std::vector<PreparedGaussian> const&);
template void add_gaussians_from_constant(Queue&, FieldView<double>, LocalBox, PointFrame const&,
                                          int, std::vector<PreparedGaussian> const&);

}  // namespace isotherm::cuda
