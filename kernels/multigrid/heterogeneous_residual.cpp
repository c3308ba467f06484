#include "kernels/multigrid/heterogeneous_residual.hpp"

#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"
#include "kernels/multigrid/cpu/heterogeneous_residual.hpp"
#include "kernels/multigrid/cuda/heterogeneous_residual.hpp"
#include "kernels/multigrid/instances.hpp"

namespace isotherm {

template <class Real, class Operator, class From, class To>
void evaluate_heterogeneous_residual(Queue& queue, Operator const& op,
                                     ResidualPass<From, To> const& pass) {
  LocalBox const box = pass.box;
  if (box.empty()) return;
  LocalBox const read = read_by_heterogeneous<Operator::dimension>(box);
  require(pass.u.box.contains(read), "the residual reaches past its field (which needs a halo)");
  require(
      (!pass.source || pass.source.box.contains(box)) && (!pass.out || pass.out.box.contains(box)),
      "the residual reaches past its source or its result");
  // The fused correction exists for constant coefficients only.
  require(!pass.correction, "the residual for variable coefficients has no fused correction");
  dispatch(
      queue, [&] { cpu::evaluate_heterogeneous_residual<Real>(op, pass); },
      [&](auto) { cuda::evaluate_heterogeneous_residual<Real>(queue, op, pass); });
}

// NOLINTBEGIN(bugprone-macro-parentheses): types
#define ISOTHERM_INSTANTIATE_WITH(Real, From, To, Operator)                             \
  template void evaluate_heterogeneous_residual<Real>(Queue&, Operator<From, 2> const&, \
                                                      ResidualPass<From, To> const&);   \
  template void evaluate_heterogeneous_residual<Real>(Queue&, Operator<From, 3> const&, \
                                                      ResidualPass<From, To> const&);
#define ISOTHERM_INSTANTIATE(Real, From, To) ISOTHERM_INSTANTIATE_WITH(Real, From, To, Conductances)
ISOTHERM_FOR_EACH_RESIDUAL(ISOTHERM_INSTANTIATE)
#undef ISOTHERM_INSTANTIATE
// For the norms of fields that are swept with separable coefficients.
ISOTHERM_INSTANTIATE_WITH(double, float, float, SeparableConductances)
ISOTHERM_INSTANTIATE_WITH(double, double, double, SeparableConductances)
#undef ISOTHERM_INSTANTIATE_WITH
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace isotherm
