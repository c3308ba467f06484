#include "kernels/core/cuda/each_point.cuh"
#include "kernels/faces/cuda/wrap.hpp"

namespace isotherm::cuda {

namespace {

/// Copies the value one period away to a ghost point.
template <class Real>
struct Wrap {
  FieldView<Real> field;
  LocalBox period;
  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t) const {
    Index3 const from = wrapped({i, j, k}, period);
    field(i, j, k) = field(from.x, from.y, from.z);
  }
};

}  // namespace

template <class Real>
void wrap(Queue& queue, FieldView<Real> field, std::span<LocalBox const> boxes, LocalBox period) {
  for_each_point(queue, BoxList<max_wrapped_boxes>(boxes), Wrap<Real>{field, period});
}

template void wrap(Queue&, FieldView<float>, std::span<LocalBox const>, LocalBox);
template void wrap(Queue&, FieldView<double>, std::span<LocalBox const>, LocalBox);

}  // namespace isotherm::cuda
