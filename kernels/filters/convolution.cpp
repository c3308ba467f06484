#include "kernels/filters/convolution.hpp"

#include "kernels/core/dispatch.hpp"
#include "kernels/core/error.hpp"
#include "kernels/filters/cpu/convolution.hpp"
#include "kernels/filters/cuda/convolution.hpp"

namespace isotherm {

template <class Real>
void convolve(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box, int axis,
              std::span<double const> weights) {
  require(weights.size() % 2 == 1 && weights.size() <= 2 * most_radius + 1,
          "a convolution needs an odd number of weights, at most as many as kernels take");
  Weights<Real> const prepared(weights);
  LocalBox reached = box;
  reached.lower[axis] -= prepared.radius;
  reached.upper[axis] += prepared.radius;
  require(to.box.contains(box) && from.box.contains(reached),
          "a convolution reaches past its fields");
  if (box.empty()) return;
  dispatch(
      queue, [&] { cpu::convolve(from, to, box, axis, prepared); },
      [&](auto) { cuda::convolve(queue, from, to, box, axis, prepared); });
}

template void convolve(Queue&, FieldView<float const>, FieldView<float>, LocalBox, int,
                       std::span<double const>);
template void convolve(Queue&, FieldView<double const>, FieldView<double>, LocalBox, int,
                       std::span<double const>);

}  // namespace isotherm
