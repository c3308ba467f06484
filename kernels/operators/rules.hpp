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

/// Expands `instantiate(Rule)` for every rule of one dimension and precision that sweeps are
/// compiled for.
#define ISOTHERM_FOR_EACH_RULE_IN_2D_OF(Real, instantiate) \
  instantiate(Jacobi2D<Real>) instantiate(Ftcs2D<Real>)
#define ISOTHERM_FOR_EACH_RULE_IN_3D_OF(Real, instantiate) \
  instantiate(Jacobi3D<Real>) instantiate(Ftcs3D<Real>)

/// For every two-dimensional one.
#define ISOTHERM_FOR_EACH_RULE_IN_2D(instantiate)     \
  ISOTHERM_FOR_EACH_RULE_IN_2D_OF(float, instantiate) \
  ISOTHERM_FOR_EACH_RULE_IN_2D_OF(double, instantiate)

/// For every one of one precision.
#define ISOTHERM_FOR_EACH_RULE_OF(Real, instantiate) \
  ISOTHERM_FOR_EACH_RULE_IN_2D_OF(Real, instantiate) \
  ISOTHERM_FOR_EACH_RULE_IN_3D_OF(Real, instantiate)

/// For every one.
#define ISOTHERM_FOR_EACH_RULE(instantiate)     \
  ISOTHERM_FOR_EACH_RULE_OF(float, instantiate) \
  ISOTHERM_FOR_EACH_RULE_OF(double, instantiate)
