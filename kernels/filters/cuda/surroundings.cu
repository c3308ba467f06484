#include "kernels/core/cuda/each_point.cuh"
#include "kernels/filters/cuda/surroundings.hpp"

namespace isotherm::cuda {

namespace {

/// Fills a point of the target.
template <class From, class To>
struct AtEach {
  Surround<From, To> work;
  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t) const {
    work(i, j, k);
  }
};

}  // namespace

template <class From, class To>
void surround(Queue& queue, LocalBox const& box, Surround<From, To> const& work) {
  for_each_point(queue, box, AtEach<From, To>{work});
}

template void surround(Queue&, LocalBox const&, Surround<float, float> const&);
template void surround(Queue&, LocalBox const&, Surround<double, double> const&);
template void surround(Queue&, LocalBox const&, Surround<float, double> const&);

}  // namespace isotherm::cuda
