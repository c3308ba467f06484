#include "kernels/core/cuda/each_point.cuh"
#include "kernels/sweep/cuda/copy_forwards.hpp"

namespace isotherm::cuda {

namespace {

/// Copies one point from one field to another.
template <class Real>
struct Copy {
  FieldView<Real> from;
  FieldView<Real> to;
  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t) const {
    to(i, j, k) = from(i, j, k);
  }
};

}  // namespace

template <class Real>
void copy_forwards(Queue& queue, Pass<Real> const& pass) {
  for (auto const& [box, out] : pass.forwards) {
    if (!box.empty()) for_each_point(queue, box, Copy<Real>{pass.out, out});
  }
}

template void copy_forwards(Queue&, Pass<float> const&);
template void copy_forwards(Queue&, Pass<double> const&);

}  // namespace isotherm::cuda
