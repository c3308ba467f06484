#include "kernels/conduction/coarsening.hpp"

#include <algorithm>

#include "kernels/conduction/cpu/coarsening.hpp"
#include "kernels/conduction/cuda/coarsening.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"

namespace isotherm {

template <class Real>
void set_omission_weights(Queue& queue, AxisCoarsening const& coarsening,
                          FlowFields<Real const> const& fine, FieldView<Real> weights,
                          LocalBox box) {
  if (box.empty()) return;
  LocalBox read = box;
  --read.lower[coarsening.axis];
  require(weights.box.contains(box) && fine.x.box.contains(read),
          "the interpolation weights of F points extend beyond their fields");
  dispatch(
      queue, [&] { cpu::set_omission_weights(coarsening, fine, weights, box); },
      [&](auto) { cuda::set_omission_weights(queue, coarsening, fine, weights, box); });
}

namespace {

/// What coarsen_flow() reads for the coarse points of `box`; along the axis, where a device alone
/// knows that, what there is.
LocalBox fine_points_read(Queue const& queue, AxisCoarsening const& by, LocalBox box,
                          LocalBox fine) {
  LocalBox read = box.grown({1, 1, by.dimension == 3 ? 1 : 0});
  std::int64_t& lower = read.lower[by.axis];
  std::int64_t& upper = read.upper[by.axis];
  if (by.omission.table && queue.backend() != Backend::cpu) {
    lower = fine.lower[by.axis];
    upper = fine.upper[by.axis];
    return read;
  }
  auto const fine_of = [&](std::int64_t coarse) {
    return by.omission.fine_of(coarse + by.coarse_first) - by.fine_first;
  };
  lower = fine_of(box.lower[by.axis]) - 1;
  upper = fine_of(box.upper[by.axis] - 1) + 2;
  if (!by.omission.periodic) upper = std::min(upper, by.omission.points - by.fine_first);
  return read;
}

}  // namespace

template <class Real>
void coarsen_flow(Queue& queue, AxisCoarsening const& coarsening,
                  FlowFields<Real const> const& fine, FieldView<Real const> weights,
                  FlowFields<Real> const& coarse, LocalBox box) {
  if (box.empty()) return;
  LocalBox const read = fine_points_read(queue, coarsening, box, fine.x.box);
  require(coarse.x.box.contains(box) && fine.x.box.contains(read) && weights.box.contains(read),
          "a coarse operator extends beyond the fine fields");
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
