#include "kernels/conduction/transfer.hpp"

#include "kernels/conduction/cpu/transfer.hpp"
#include "kernels/conduction/cuda/transfer.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"

namespace isotherm {

template <class Real>
void gather_flow(Queue& queue, FlowTransfer<Real> const& transfer, FieldView<Real const> fine,
                 FieldView<Real> coarse, LocalBox box) {
  if (box.empty()) return;
  require(coarse.box.contains(box), "the restriction extends beyond the coarse field");
  dispatch(
      queue, [&] { cpu::gather_flow(transfer, fine, coarse, box); },
      [&](auto) { cuda::gather_flow(queue, transfer, fine, coarse, box); });
}

template <class Real>
void spread_flow(Queue& queue, FlowTransfer<Real> const& transfer, FieldView<Real const> coarse,
                 FieldView<Real> fine, LocalBox box) {
  if (box.empty()) return;
  require(fine.box.contains(box), "the prolongation extends beyond the fine field");
  dispatch(
      queue, [&] { cpu::spread_flow(transfer, coarse, fine, box); },
      [&](auto) { cuda::spread_flow(queue, transfer, coarse, fine, box); });
}

#define ISOTHERM_INSTANTIATE(Real)                                                    \
  template void gather_flow(Queue&, FlowTransfer<Real> const&, FieldView<Real const>, \
                            FieldView<Real>, LocalBox);                               \
  template void spread_flow(Queue&, FlowTransfer<Real> const&, FieldView<Real const>, \
                            FieldView<Real>, LocalBox);
ISOTHERM_INSTANTIATE(float)
ISOTHERM_INSTANTIATE(double)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm
