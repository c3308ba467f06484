#pragma once

#include "kernels/transforms/spectrum.hpp"

namespace isotherm {

/// The eigenvalues of a Spectrum, as the lines along an axis need them.
template <class Real>
struct LineSpectrum {
  Spectrum<Real> spectrum{};
  Real const* own = nullptr;  ///< of the axis of the lines
  Real const* a = nullptr;    ///< of the first of the other axes; see LineSet
  Real const* b = nullptr;    ///< of the second
};

/// Returns the eigenvalues in the order that lines along `axis` need.
template <class Real>
LineSpectrum<Real> spectrum_along(Spectrum<Real> const& spectrum, int axis) {
  if (axis == 0) return {spectrum, spectrum.x, spectrum.y, spectrum.z};
  if (axis == 1) return {spectrum, spectrum.y, spectrum.x, spectrum.z};
  return {spectrum, spectrum.z, spectrum.x, spectrum.y};
}

}  // namespace isotherm
