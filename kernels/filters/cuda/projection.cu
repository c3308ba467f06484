#include "kernels/core/cuda/each_point.cuh"
#include "kernels/filters/cuda/projection.hpp"

namespace isotherm::cuda {

namespace {

/// Reduces the line that begins at a point.
template <class Real, class Reduce>
struct ReduceLine {
  FieldView<Real const> from;
  FieldView<Real> to;
  Reduce reduce;
  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t) const {
    to(i, j, k) = reduce(&from(i, j, k));
  }
};

}  // namespace

template <class Real, class Reduce>
void reduce_lines(Queue& queue, FieldView<Real const> from, FieldView<Real> to,
                  LocalBox const& first, Reduce const& reduce) {
  for_each_point(queue, first, ReduceLine<Real, Reduce>{from, to, reduce});
}

#define ISOTHERM_INSTANTIATE(Real, Reduce)                                                    \
  template void reduce_lines(Queue&, FieldView<Real const>, FieldView<Real>, LocalBox const&, \
                             Reduce<Real> const&);
ISOTHERM_INSTANTIATE(float, LineSum)
ISOTHERM_INSTANTIATE(double, LineSum)
ISOTHERM_INSTANTIATE(float, LineExtreme)
ISOTHERM_INSTANTIATE(double, LineExtreme)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm::cuda
