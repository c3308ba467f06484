#pragma once

#include "kernels/multigrid/residual.hpp"
#include "kernels/operators/axis_conductances.hpp"
#include "kernels/operators/conductances.hpp"

namespace isotherm {

/// What a field lacks of solving its equation, where conductances say what flows: at the points of
/// a box that are not fixed
///
///   r = source + Σ g (u(neighbour) − u) − shift c V u
///
/// as much as flows into a point's volume, and zero at those that are. `pass.out` gets scale · r;
/// pass.change the norms of r / (c V), which is what the equation lacks there, or those of
/// r / (Σ g + shift c V) if pass.norms_by_diagonal.
///
/// Enqueues evaluating it, computed in Real.
/// @throws Error  where a field does not cover what the pass touches
/// @tparam Operator  Conductances, or where Real, From and To are the same or Real alone is wider,
///                   AxisConductances
template <class Real, class Operator, class From, class To>
void evaluate_conducted_residual(Queue& queue, Operator const& of,
                                 ResidualPass<From, To> const& pass);

/// What such a pass reads of u.
template <int dimension>
constexpr LocalBox conducted_from(LocalBox box) {
  return box.grown({1, 1, dimension == 3 ? 1 : 0});
}

/// The residual at a point, and the factor that makes it what is measured there.
template <class Real>
struct FlowBalance {
  Real residual;
  Real factor;  ///< 1 / (c V), or 1 / (Σ g + shift c V)
};

/// @param by_diagonal  the factor is 1 / (Σ g + shift c V), or 0 if nothing is conducted
/// @param at           gives u around the point, in Real
template <class Real, int dimension, class From, class At>
ISOTHERM_INLINE FlowBalance<Real> flow_balance(PointConductances<From, dimension> const& g,
                                               Real source, Real shift, bool at_rest,
                                               bool by_diagonal, At const& at) {
  PointConductances<Real, dimension> const wide{
      g.west, g.east, g.south, g.north, g.below, g.above, g.fixed, g.per_volume, g.absorption};
  Real residual = at_rest ? source : source + wide.flow(at);
  if (shift != Real{0}) residual -= shift * at(0, 0, 0) / wide.per_volume;
  Real factor = wide.per_volume;
  if (by_diagonal) {
    Real const diagonal = wide.total() + shift / wide.per_volume;
    factor = diagonal > Real{0} ? Real{1} / diagonal : Real{0};
  }
  return {g.fixed ? Real{0} : residual, factor};
}

}  // namespace isotherm
