#include "kernels/multigrid/cpu/residual.hpp"

#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"
#include "kernels/multigrid/cuda/residual.hpp"
#include "kernels/multigrid/instances.hpp"

namespace isotherm {

template <class Real, class From, class To>
void evaluate_residual(Queue& queue, AxisWeights<Real> const& weights,
                       ResidualPass<From, To> const& pass) {
  if (pass.box.empty()) return;
  require(pass.u.box.contains(read_by(pass.box, weights)),
          "the residual reaches past its field (which needs a halo)");
  require((!pass.source || pass.source.box.contains(pass.box)) &&
              (!pass.out || pass.out.box.contains(pass.box)),
          "the residual reaches past its source or its result");
  // A fused correction is applied at all points whose residuals or neighbours are evaluated.
  require(!pass.correction || (pass.correction.box.contains(read_by(pass.box, weights)) &&
                               pass.corrected.box.contains(read_by(pass.box, weights))),
          "the residual reaches past the correction or the corrected field");
  dispatch(
      queue, [&] { cpu::evaluate_residual(weights, pass); },
      [&](auto) { cuda::evaluate_residual(queue, weights, pass); });
}

template <class From, class To>
void add_correction(Queue& queue, FieldView<From const> correction, FieldView<To> u, LocalBox box,
                    double scale) {
  if (box.empty()) return;
  require(correction.box.contains(box) && u.box.contains(box),
          "a correction reaches past its field");
  dispatch(
      queue, [&] { cpu::add_correction(correction, u, box, scale); },
      [&](auto) { cuda::add_correction(queue, correction, u, box, scale); });
}

// NOLINTBEGIN(bugprone-macro-parentheses): types
#define ISOTHERM_INSTANTIATE(Real, From, To) \
  template void evaluate_residual(Queue&, AxisWeights<Real> const&, ResidualPass<From, To> const&);
ISOTHERM_FOR_EACH_RESIDUAL(ISOTHERM_INSTANTIATE)
#undef ISOTHERM_INSTANTIATE

#define ISOTHERM_INSTANTIATE(From, To) \
  template void add_correction(Queue&, FieldView<From const>, FieldView<To>, LocalBox, double);
ISOTHERM_FOR_EACH_CORRECTION(ISOTHERM_INSTANTIATE)
#undef ISOTHERM_INSTANTIATE

// NOLINTEND(bugprone-macro-parentheses)

}  // namespace isotherm
