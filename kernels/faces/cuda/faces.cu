#include "kernels/core/cuda/each_point.cuh"
#include "kernels/faces/cuda/faces.hpp"
#include "kernels/faces/faces.hpp"

namespace isotherm::cuda {

namespace {

// These are functors, since device lambdas would need an experimental compiler flag.

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

/// Copies the mirrored value to a ghost point.
template <class Real>
struct Reflect {
  FieldView<Real> field;
  int axis;
  std::int64_t mirror;
  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t) const {
    Index3 from{i, j, k};
    from[axis] = 2 * mirror - from[axis];
    field(i, j, k) = field(from.x, from.y, from.z);
  }
};

/// Copies the value of the last plane to a ghost point.
template <class Real>
struct Extend {
  FieldView<Real> field;
  int axis;
  std::int64_t last;
  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t) const {
    Index3 from{i, j, k};
    from[axis] = last;
    field(i, j, k) = field(from.x, from.y, from.z);
  }
};

/// Sets a point to a value.
template <class Real>
struct Fill {
  FieldView<Real> field;
  Real value;
  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t) const {
    field(i, j, k) = value;
  }
};

}  // namespace

template <class Real>
void wrap(Queue& queue, FieldView<Real> field, std::span<LocalBox const> boxes, LocalBox period) {
  for_each_point(queue, BoxList<most_wrapped_boxes>(boxes), Wrap<Real>{field, period});
}
template <class Real>
void reflect(Queue& queue, FieldView<Real> field, LocalBox box, int axis, std::int64_t mirror) {
  for_each_point(queue, box, Reflect<Real>{field, axis, mirror});
}
template <class Real>
void extend(Queue& queue, FieldView<Real> field, LocalBox box, int axis, std::int64_t last) {
  for_each_point(queue, box, Extend<Real>{field, axis, last});
}
template <class Real>
void fill(Queue& queue, FieldView<Real> field, LocalBox box, Real value) {
  for_each_point(queue, box, Fill<Real>{field, value});
}

#define ISOTHERM_INSTANTIATE(Real)                                                  \
  template void wrap(Queue&, FieldView<Real>, std::span<LocalBox const>, LocalBox); \
  template void reflect(Queue&, FieldView<Real>, LocalBox, int, std::int64_t);      \
  template void extend(Queue&, FieldView<Real>, LocalBox, int, std::int64_t);       \
  template void fill(Queue&, FieldView<Real>, LocalBox, Real);
ISOTHERM_INSTANTIATE(float)
ISOTHERM_INSTANTIATE(double)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm::cuda
