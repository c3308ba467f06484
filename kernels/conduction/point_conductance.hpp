#pragma once

#include <cmath>

#include "kernels/conduction/face_conductances.hpp"

namespace isotherm {

/// What set_conductances() makes of a point.
template <class Real>
struct ConductanceOf {
  int axis;
  FieldView<Real const> conductivity;
  VolumeRows<Real> volumes;

  [[nodiscard]] ISOTHERM_INLINE Real operator()(std::int64_t i, std::int64_t j,
                                                std::int64_t k) const {
    Real const here = conductivity(i, j, k);
    Real const next = conductivity(i + (axis == 0), j + (axis == 1), k + (axis == 2));
    Real const width_x = axis == 0 ? Real{1} : volumes.width.x[i];
    Real const width_y = axis == 1 ? Real{1} : volumes.width.y[j];
    Real const width_z = axis == 2 ? Real{1} : volumes.width.z[k];
    Real const per_gap = volumes.per_gap.of(axis)[axis == 0 ? i : axis == 1 ? j : k];
    Real const g = conductance_between(here, next, per_gap) * (width_x * width_y * width_z);
    return axis == 0 && std::signbit(here) ? -g : g;
  }
};

}  // namespace isotherm
