#include "kernels/core/arithmetic.hpp"
#include "kernels/core/cuda/each_point.cuh"
#include "kernels/filters/cuda/convolution.hpp"

namespace isotherm::cuda {

namespace {

/// The convolution at a point. A kernel's parameters, and thus the weights, lie in constant memory:
/// all threads of a warp read the same weight at the same time. Values come from the caches.
template <class Real>
struct Convolve {
  FieldView<Real const> from;
  FieldView<Real> to;
  std::int64_t stride;
  Weights<Real> weights;
  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t) const {
    Real const* value = &from(i, j, k) - weights.radius * stride;
    // The first product begins the sum. The other plans begin with −0, which gives the same bits.
    Real sum = weights.values[0] * *value;
    for (int m = 1; m <= 2 * weights.radius; ++m) {
      value += stride;
      sum = multiply_add(weights.values[m], *value, sum);
    }
    to(i, j, k) = sum;
  }
};

}  // namespace

template <class Real>
void convolve_global(Queue& queue, FieldView<Real const> from, FieldView<Real> to,
                     LocalBox const& box, int axis, Weights<Real> const& weights) {
  for_each_point(queue, box, Convolve<Real>{from, to, stride_of(from, axis), weights});
}

template <class Real>
void convolve(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox const& box,
              int axis, Weights<Real> const& weights, std::string const& plan) {
  if (plan == "shared") return convolve_shared(queue, from, to, box, axis, weights);
  if (plan == "registers") return convolve_in_registers(queue, from, to, box, axis, weights);
  if (plan == "texture") return convolve_texture(queue, from, to, box, axis, weights);
  convolve_global(queue, from, to, box, axis, weights);
}

#define ISOTHERM_INSTANTIATE(Real)                                                               \
  template void convolve_global(Queue&, FieldView<Real const>, FieldView<Real>, LocalBox const&, \
                                int, Weights<Real> const&);                                      \
  template void convolve(Queue&, FieldView<Real const>, FieldView<Real>, LocalBox const&, int,   \
                         Weights<Real> const&, std::string const&);
ISOTHERM_INSTANTIATE(float)
ISOTHERM_INSTANTIATE(double)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm::cuda
