#include "kernels/core/cuda/each_point.cuh"
#include "kernels/filters/cuda/interpolation.hpp"

namespace isotherm::cuda {

namespace {

/// Interpolates at a point.
template <class Node, class Real>
struct AtEach {
  Interpolate<Node, Real> work;
  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t) const {
    work(i, j, k);
  }
};

}  // namespace

template <class Node, class Real>
void interpolate(Queue& queue, LocalBox const& box, Interpolate<Node, Real> const& work) {
  for_each_point(queue, box, AtEach<Node, Real>{work});
}

template void interpolate(Queue&, LocalBox const&, Interpolate<float, float> const&);
template void interpolate(Queue&, LocalBox const&, Interpolate<double, double> const&);
template void interpolate(Queue&, LocalBox const&, Interpolate<double, float> const&);

}  // namespace isotherm::cuda
