#pragma once

#include "kernels/core/host_device.hpp"

namespace isotherm {

/// The eigenvalues of an operator A_x ⊕ A_y ⊕ A_z + shift whose modes are products of modes along
/// the axes.
///
/// The arrays lie in the queue's memory, with one value for each mode of an axis. An axis of one
/// point that does not contribute has the eigenvalue 0.
template <class Real>
struct Spectrum {
  Real const* x;
  Real const* y;
  Real const* z;
  Real shift;          ///< reaction term
  bool drop_constant;  ///< the constant mode, with three eigenvalues of exactly 0, is set to 0

  /// Returns the inverse of the eigenvalue of mode (i, j, k): what A⁻¹ multiplies that mode by.
  [[nodiscard]] ISOTHERM_INLINE Real inverse(int i, int j, int k) const {
    return inverse_of(x[i], y[j], z[k]);
  }
  /// Returns the inverse of the eigenvalue of a mode that has the eigenvalues a, b and c along the
  /// axes, in any order. Another order changes the rounding of the sum.
  [[nodiscard]] ISOTHERM_INLINE Real inverse_of(Real a, Real b, Real c) const {
    bool const is_constant = a == Real{0} && b == Real{0} && c == Real{0};
    Real const inverse = Real{1} / (a + (b + c) + shift);
    return drop_constant && is_constant ? Real{0} : inverse;
  }
};

}  // namespace isotherm
