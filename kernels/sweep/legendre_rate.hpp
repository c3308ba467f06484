#pragma once

#include "kernels/operators/constant_weights.hpp"
#include "kernels/operators/separable_conductances.hpp"
#include "kernels/sweep/legendre_stage.hpp"

namespace isotherm {

/// Returns the rate of change M(u) at a point, without the source. Differences are computed first,
/// so that a constant field has a rate of 0.
/// @param at  at(di, dj, dk) returns a neighbour's value
template <class Real, int dimension, class At>
ISOTHERM_INLINE constexpr Real rate_at(ConstantWeights<Real, dimension> const& here, At const& at) {
  Real const u = at(0, 0, 0);
  Real rate = here.wx * ((at(-1, 0, 0) - u) + (at(1, 0, 0) - u));
  rate = multiply_add(here.wy, (at(0, -1, 0) - u) + (at(0, 1, 0) - u), rate);
  if constexpr (dimension == 3) {
    rate = multiply_add(here.wz, (at(0, 0, -1) - u) + (at(0, 0, 1) - u), rate);
  }
  return rate;
}
template <class Real, int dimension, class At>
ISOTHERM_INLINE constexpr Real rate_at(PointConductances<Real, dimension> const& here,
                                       At const& at) {
  return here.inflow(at);
}

/// Returns the rate of change due to a source.
template <class Real, int dimension>
ISOTHERM_INLINE constexpr Real rate_of_source(ConstantWeights<Real, dimension> const& /*here*/,
                                              Real source) {
  return source;
}
template <class Real, int dimension>
ISOTHERM_INLINE constexpr Real rate_of_source(PointConductances<Real, dimension> const& here,
                                              Real source) {
  return here.rate_of(source);
}

/// Returns the value Y_j of a point after a later stage.
/// @param rate  M(Y_{j−1}); @param first  M(Y_0)
template <class Real>
ISOTHERM_INLINE constexpr Real after_stage(LegendreFactors<Real> const& factors, Real start,
                                           Real latest, Real older, Real rate, Real first) {
  Real change = factors.first * first;
  change = multiply_add(factors.rate, rate, change);
  change = multiply_add(factors.older, older - start, change);
  return start + multiply_add(factors.latest, latest - start, change);
}

}  // namespace isotherm
