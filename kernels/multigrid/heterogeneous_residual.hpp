#pragma once

#include "kernels/multigrid/residual.hpp"
#include "kernels/operators/conductances.hpp"
#include "kernels/operators/separable_conductances.hpp"

namespace isotherm {

/// Enqueues evaluating the residual of the variable-coefficient (finite-volume) operator at the
/// points of a box:
///
///   r = source + Σ g (u(neighbour) − u) − shift c V u
///
/// It is computed in Real. r is the net heat flow into a point's volume; it is zero at fixed
/// points. Here g are conductances, c heat capacities and V volumes.
///
/// pass.out receives scale · r. pass.change accumulates the norms of r / (c V), the residual of the
/// equation per volume and capacity. If pass.norms_by_diagonal is set, the norms are those of r /
/// (Σ g + shift c V).
/// @tparam Operator  Conductances; also SeparableConductances for the combinations that are
///   instantiated
/// @throws Error  if a field does not cover the points that the pass accesses, or the pass has a
///   fused correction
template <class Real, class Operator, class From, class To>
void evaluate_heterogeneous_residual(Queue& queue, Operator const& op,
                                     ResidualPass<From, To> const& pass);

/// Returns the points of u that such a pass reads: the box and its nearest neighbours.
template <int dimension>
constexpr LocalBox read_by_heterogeneous(LocalBox box) {
  return box.grown({1, 1, dimension == 3 ? 1 : 0});
}

/// The residual at a point, and the factor that converts it to the measured norm.
template <class Real>
struct HeterogeneousResidual {
  Real residual;
  Real factor;  ///< 1 / (c V), or 1 / (Σ g + shift c V)
};

/// Computes the residual at a point with conductances `g`.
/// @param mass_term_only  leave out the flows between points, as if u were uniform
/// @param by_diagonal  the factor is 1 / (Σ g + shift c V), or 0 if this diagonal is 0
/// @param at  returns values of u around the point, in Real
template <class Real, int dimension, class From, class At>
ISOTHERM_INLINE HeterogeneousResidual<Real> heterogeneous_residual_at(
    PointConductances<From, dimension> const& g, Real source, Real shift, bool mass_term_only,
    bool by_diagonal, At const& at) {
  PointConductances<Real, dimension> const wide{
      g.west,    g.east, g.south, g.north, g.below, g.above, g.fixed, g.inverse_heat_capacity,
      g.reaction};
  Real residual = mass_term_only ? source : source + wide.flow(at);
  if (shift != Real{0}) residual -= shift * at(0, 0, 0) / wide.inverse_heat_capacity;
  Real factor = wide.inverse_heat_capacity;
  if (by_diagonal) {
    Real const diagonal = wide.total() + shift / wide.inverse_heat_capacity;
    factor = diagonal > Real{0} ? Real{1} / diagonal : Real{0};
  }
  return {g.fixed ? Real{0} : residual, factor};
}

}  // namespace isotherm
