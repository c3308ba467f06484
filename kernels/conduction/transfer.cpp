#include "kernels/conduction/transfer.hpp"

#include "kernels/conduction/cpu/transfer.hpp"
#include "kernels/conduction/cuda/transfer.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"

namespace isotherm {

template <class Real>
void restrict_residual(Queue& queue, HeterogeneousTransfer<Real> const& transfer,
                       FieldView<Real const> fine, FieldView<Real> coarse, LocalBox box) {
  if (box.empty()) return;
  require(coarse.box.contains(box), "a restriction reaches past the coarse field");
  dispatch(
      queue, [&] { cpu::restrict_residual(transfer, fine, coarse, box); },
      [&](auto) { cuda::restrict_residual(queue, transfer, fine, coarse, box); });
}

template <class Real>
void prolongate_correction(Queue& queue, HeterogeneousTransfer<Real> const& transfer,
                           FieldView<Real const> coarse, FieldView<Real> fine, LocalBox box) {
  if (box.empty()) return;
  require(fine.box.contains(box), "a prolongation reaches past the fine field");
  dispatch(
      queue, [&] { cpu::prolongate_correction(transfer, coarse, fine, box); },
      [&](auto) { cuda::prolongate_correction(queue, transfer, coarse, fine, box); });
}

#define ISOTHERM_INSTANTIATE(Real)                                                   \
  template void restrict_residual(Queue&, HeterogeneousTransfer<Real> const&,        \
                                  FieldView<Real const>, FieldView<Real>, LocalBox); \
  template void prolongate_correction(Queue&, HeterogeneousTransfer<Real> const&,    \
                                      FieldView<Real const>, FieldView<Real>, LocalBox);
ISOTHERM_INSTANTIATE(float)
ISOTHERM_INSTANTIATE(double)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm
