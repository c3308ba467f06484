#pragma once

#include "kernels/operators/stencil.hpp"

namespace isotherm {

template <class Real>
using Jacobi2D = JacobiRule<Real, 2>;
template <class Real>
using Jacobi3D = JacobiRule<Real, 3>;
template <class Real>
using Ftcs2D = FtcsRule<Real, 2>;
template <class Real>
using Ftcs3D = FtcsRule<Real, 3>;

}  // namespace isotherm

/// Expands `instantiate(Rule)` for every two-dimensional rule.
#define ISOTHERM_FOR_EACH_RULE_IN_2D(instantiate)                                       \
  instantiate(Jacobi2D<float>) instantiate(Ftcs2D<float>) instantiate(Jacobi2D<double>) \
      instantiate(Ftcs2D<double>)

/// Expands `instantiate(Rule)` for every rule of one precision that sweeps are compiled for.
#define ISOTHERM_FOR_EACH_RULE_OF(Real, instantiate)                                \
  instantiate(Jacobi2D<Real>) instantiate(Jacobi3D<Real>) instantiate(Ftcs2D<Real>) \
      instantiate(Ftcs3D<Real>)

/// Expands `instantiate(Rule)` for every rule that sweeps are compiled for.
#define ISOTHERM_FOR_EACH_RULE(instantiate)     \
  ISOTHERM_FOR_EACH_RULE_OF(float, instantiate) \
  ISOTHERM_FOR_EACH_RULE_OF(double, instantiate)
