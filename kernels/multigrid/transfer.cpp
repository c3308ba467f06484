#include "kernels/multigrid/cpu/transfer.hpp"

#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"
#include "kernels/multigrid/cuda/transfer.hpp"

namespace isotherm {

template <class Real>
void restrict_field(Queue& queue, FieldView<Real const> fine, FieldView<Real> coarse, LocalBox box,
                    AxisStencils<RestrictionStencil<Real>> const& stencils, Real factor) {
  if (box.empty()) return;
  require(coarse.box.contains(box), "the restriction reaches past the coarse field");
  dispatch(
      queue, [&] { cpu::restrict_field(fine, coarse, box, stencils, factor); },
      [&](auto) { cuda::restrict_field(queue, fine, coarse, box, stencils, factor); });
}

template <class Real>
void prolongate_field(Queue& queue, FieldView<Real const> coarse, FieldView<Real> fine,
                      LocalBox box, AxisStencils<ProlongationStencil<Real>> const& stencils,
                      ProlongationMode mode) {
  if (box.empty()) return;
  require(fine.box.contains(box), "the interpolation reaches past the fine field");
  dispatch(
      queue, [&] { cpu::prolongate_field(coarse, fine, box, stencils, mode); },
      [&](auto) { cuda::prolongate_field(queue, coarse, fine, box, stencils, mode); });
}

// NOLINTBEGIN(bugprone-macro-parentheses): types
#define ISOTHERM_INSTANTIATE(Real)                                                         \
  template void restrict_field(Queue&, FieldView<Real const>, FieldView<Real>, LocalBox,   \
                               AxisStencils<RestrictionStencil<Real>> const&, Real);       \
  template void prolongate_field(Queue&, FieldView<Real const>, FieldView<Real>, LocalBox, \
                                 AxisStencils<ProlongationStencil<Real>> const&,           \
                                 ProlongationMode);
ISOTHERM_INSTANTIATE(float)
ISOTHERM_INSTANTIATE(double)
#undef ISOTHERM_INSTANTIATE

// NOLINTEND(bugprone-macro-parentheses)

}  // namespace isotherm
