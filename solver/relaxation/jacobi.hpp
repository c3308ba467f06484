#pragma once

#include "kernels/updates/rules.hpp"
#include "solver/discretise/scheme.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// Returns the coefficients of Jacobi relaxation for −∇²u = f (C. G. J. Jacobi, 1845): each unknown
/// assumes the value that solves its own equation, given its neighbours.
///
/// With r_d = (h_x / h_d)² the weights are w_d = r_d / (2 Σ r). That equals h_d^-2 / (2 Σ h^-2),
/// but is exact if the spacings are equal. The source factor is 1 / (2 Σ h^-2). A heterogeneous
/// medium has its coefficients in fields; its residual factor is the rate of medium_units(). The
/// number of sweeps grows with the square of the number of points on an axis.
/// @throws InputError  if Jacobi cannot solve the problem: the diffusion equation, or a problem
///                     without given values, whose solution is not unique
Scheme jacobi_scheme(Problem const& problem, MethodSettings const& method = {});

/// Returns the rule of sweeps with these weights.
template <class Real, int Dimension>
JacobiRule<Real, Dimension> jacobi_rule(Scheme const& scheme) {
  return {{},
          {static_cast<Real>(scheme.weight[0]), static_cast<Real>(scheme.weight[1]),
           static_cast<Real>(scheme.weight[2])}};
}

}  // namespace isotherm
