#pragma once

#include "kernels/core/arithmetic.hpp"

namespace isotherm {

/// The weighted sum of the nearest neighbours, each axis' pair summed first. Because a pair is
/// added before anything else, values that mirror each other across a plane stay bit-equal: a
/// reflected halo may be swept along instead of being reflected again after each step.
template <int Dimension, class Real, class At>
ISOTHERM_INLINE constexpr Real neighbour_sum(Real wx, Real wy, Real wz, At const& at) {
  Real sum = wx * (at(-1, 0, 0) + at(1, 0, 0));
  sum = multiply_add(wy, at(0, -1, 0) + at(0, 1, 0), sum);
  if constexpr (Dimension == 3) {
    sum = multiply_add(wz, at(0, 0, -1) + at(0, 0, 1), sum);
  }
  return sum;
}

/// One Jacobi relaxation of -∇·∇u = f at one point, without the source's share.
///
/// Weights are w_d = h_d^-2 / (2 Σ_e h_e^-2): dimensionless, summing to 1/2. The sweep adds
/// f / (2 Σ_e h_e^-2), see Pass::source. `at(di, dj, dk)` returns a neighbour's value from wherever
/// the sweep keeps it (global memory, a shared tile, a register): the rule never sees memory.
template <class RealType, int GridDimension>
struct JacobiRule {
  using Real = RealType;
  static constexpr int dimension = GridDimension;
  static constexpr int radius = 1;  ///< halo points read on each side

  Real wx, wy, wz;

  template <class At>
  ISOTHERM_INLINE constexpr Real operator()(At const& at) const {
    return neighbour_sum<dimension>(wx, wy, wz, at);
  }
};

/// One step of u_t = D ∇·∇u + f, forward in time and centred in space, at one point, without the
/// source's share.
///
/// Weights are w_d = D Δt / h_d² and centre = 1 − 2 Σ_d w_d. The sweep adds Δt f.
template <class RealType, int GridDimension>
struct FtcsRule {
  using Real = RealType;
  static constexpr int dimension = GridDimension;
  static constexpr int radius = 1;

  Real centre, wx, wy, wz;

  template <class At>
  ISOTHERM_INLINE constexpr Real operator()(At const& at) const {
    return multiply_add(centre, at(0, 0, 0), neighbour_sum<dimension>(wx, wy, wz, at));
  }
};

}  // namespace isotherm
