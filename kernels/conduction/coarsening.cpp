#include "kernels/conduction/coarsening.hpp"

#include <algorithm>

#include "kernels/conduction/cpu/coarsening.hpp"
#include "kernels/conduction/cuda/coarsening.hpp"
#include "kernels/core/dispatch.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {

template <class Real>
void set_omission_weights(Queue& queue, AxisCoarsening const& coarsening,
                          FlowFields<Real const> const& fine, FieldView<Real> weights,
                          LocalBox box) {
  if (box.empty()) return;
  LocalBox read = box;
  --read.lower[coarsening.axis];
  require(weights.box.contains(box) && fine.x.box.contains(read),
          "the weights of omitted points reach past their fields");
  dispatch(
      queue, [&] { cpu::set_omission_weights(coarsening, fine, weights, box); },
      [&](auto) { cuda::set_omission_weights(queue, coarsening, fine, weights, box); });
}

template <class Real>
void coarsen_flow(Queue& queue, AxisCoarsening const& coarsening,
                  FlowFields<Real const> const& fine, FieldView<Real const> weights,
                  FlowFields<Real> const& coarse, LocalBox box) {
  if (box.empty()) return;
  LocalBox read = box.grown({1, 1, coarsening.dimension == 3 ? 1 : 0});
  std::int64_t const shift = 2 * coarsening.coarse_first - coarsening.fine_first;
  read.lower[coarsening.axis] = 2 * box.lower[coarsening.axis] + shift - 1;
  read.upper[coarsening.axis] = 2 * (box.upper[coarsening.axis] - 1) + shift + 2;
  if (!coarsening.omission.periodic) {
    std::int64_t const end = coarsening.omission.points - coarsening.fine_first;
    read.upper[coarsening.axis] = std::min(read.upper[coarsening.axis], end);
  }
  require(coarse.x.box.contains(box) && fine.x.box.contains(read) && weights.box.contains(read),
          "a coarse operator reaches past the fields that it is made of");
  dispatch(
      queue, [&] { cpu::coarsen_flow(coarsening, fine, weights, coarse, box); },
      [&](auto) { cuda::coarsen_flow(queue, coarsening, fine, weights, coarse, box); });
}

#define ISOTHERM_INSTANTIATE(Real)                                                                 \
  template void set_omission_weights(Queue&, AxisCoarsening const&, FlowFields<Real const> const&, \
                                     FieldView<Real>, LocalBox);                                   \
  template void coarsen_flow(Queue&, AxisCoarsening const&, FlowFields<Real const> const&,         \
                             FieldView<Real const>, FlowFields<Real> const&, LocalBox);
ISOTHERM_INSTANTIATE(float)
ISOTHERM_INSTANTIATE(double)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm
