#include "kernels/core/cuda/each_point.cuh"
#include "kernels/filters/cuda/correlation.hpp"

namespace isotherm::cuda {

namespace {

/// The correlation at a point. All threads of a warp read the same weight at the same time, which
/// the cache broadcasts. Values that several threads need come from the caches as well.
template <class Real>
struct Correlate {
  FieldView<Real const> from;
  FieldView<Real> to;
  TableShape shape;
  Real const* weights;
  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t) const {
    to(i, j, k) = sum_of_table(shape, weights, shape.first(&from(i, j, k)));
  }
};

}  // namespace

template <class Real>
void correlate(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox const& box,
               TableShape const& shape, std::vector<Real> const& weights) {
  std::size_t const bytes = weights.size() * sizeof(Real);
  Buffer const memory(queue, Space::device, bytes);
  copy_bytes(queue, memory.data(), weights.data(), bytes);
  for_each_point(queue, box, Correlate<Real>{from, to, shape, memory.as<Real const>()});
  queue.wait();  // the weights must live until the kernel has ended
}

template void correlate(Queue&, FieldView<float const>, FieldView<float>, LocalBox const&,
                        TableShape const&, std::vector<float> const&);
template void correlate(Queue&, FieldView<double const>, FieldView<double>, LocalBox const&,
                        TableShape const&, std::vector<double> const&);

}  // namespace isotherm::cuda
