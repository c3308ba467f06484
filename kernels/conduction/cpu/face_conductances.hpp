#pragma once

#include "kernels/conduction/point_conductance.hpp"
#include "kernels/core/cpu/rows.hpp"

namespace isotherm::cpu {

template <class Real>
void set_conductances(int axis, FieldView<Real const> conductivity, VolumeRows<Real> const& volumes,
                      FieldView<Real> conductances, LocalBox box) {
  ConductanceOf<Real> const of{axis, conductivity, volumes};
  for_each_row(box, [&](std::int64_t j, std::int64_t k) {
    for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) conductances(i, j, k) = of(i, j, k);
  });
}

}  // namespace isotherm::cpu
