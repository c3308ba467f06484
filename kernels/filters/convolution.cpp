#include "kernels/filters/convolution.hpp"

#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"
#include "kernels/filters/cpu/blocked_convolution.hpp"
#include "kernels/filters/cuda/convolution.hpp"

namespace isotherm {

template <class Real>
void convolve(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box, int axis,
              std::span<double const> weights) {
  require(weights.size() % 2 == 1 && weights.size() <= 2 * max_radius + 1,
          "a convolution needs an odd number of weights, within the limit of the kernels");
  Weights<Real> const prepared(weights);
  // The points that the sums read.
  LocalBox reached = box;
  reached.lower[axis] -= prepared.radius;
  reached.upper[axis] += prepared.radius;
  require(to.box.contains(box) && from.box.contains(reached),
          "a convolution reaches past its fields");
  if (box.empty()) return;
  dispatch(
      queue, [&] { cpu::convolve_blocked(from, to, box, axis, prepared); },
      [&](auto) { cuda::convolve(queue, from, to, box, axis, prepared); });
}

template void convolve(Queue&, FieldView<float const>, FieldView<float>, LocalBox, int,
                       std::span<double const>);
template void convolve(Queue&, FieldView<double const>, FieldView<double>, LocalBox, int,
                       std::span<double const>);

}  // namespace isotherm
