#pragma once

#include "kernels/updates/rules.hpp"
#include "solver/discretise/scheme.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// Jacobi's relaxation of −∇·∇u = f (C. G. J. Jacobi, 1845): each unknown takes the value that
/// solves its own equation, given its neighbours.
///
/// With r_d = (h_x / h_d)² the weights are w_d = r_d / (2 Σ r), which is h_d^-2 / (2 Σ h^-2)
/// without rounding where the spacings are equal; the source's factor is 1 / (2 Σ h^-2).
/// @throws InputError  where Jacobi cannot solve the problem: the diffusion equation, or no
///                     Dirichlet face, so that the solution is not unique
Scheme jacobi_scheme(Problem const& problem, MethodSettings const& method = {});

template <class Real, int Dimension>
JacobiRule<Real, Dimension> jacobi_rule(Scheme const& scheme) {
  return {{},
          {static_cast<Real>(scheme.weight[0]), static_cast<Real>(scheme.weight[1]),
           static_cast<Real>(scheme.weight[2])}};
}

}  // namespace isotherm
