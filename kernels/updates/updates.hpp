#pragma once

#include "kernels/core/arithmetic.hpp"

// An update says what a sweep makes of a point, given the operator there and the values around it;
// the source's share is added by the sweep (Pass::source).

namespace isotherm {

/// u ← Σ w u(neighbours): with the weights of an equation that was solved for the point's own
/// value, a relaxation. For −∇·∇u = f they are w_d = h_d^-2 / (2 Σ_e h_e^-2), dimensionless, and
/// sum to 1/2; the sweep adds f / (2 Σ_e h_e^-2).
struct Relax {
  template <class Operator, class At>
  ISOTHERM_INLINE constexpr auto operator()(Operator const& here, At const& at) const {
    return here.neighbours(at);
  }
};

/// u ← centre·u + Σ w u(neighbours): a step forward in time. For u_t = D ∇·∇u + f the weights are
/// w_d = D Δt / h_d² and centre = 1 − 2 Σ_d w_d; the sweep adds Δt f.
template <class Real>
struct Euler {
  Real centre;

  template <class Operator, class At>
  ISOTHERM_INLINE constexpr Real operator()(Operator const& here, At const& at) const {
    return multiply_add(centre, at(0, 0, 0), here.neighbours(at));
  }
};

}  // namespace isotherm
