#pragma once

#include "kernels/conduction/face_conductances.hpp"

namespace isotherm::cuda {

template <class Real>
void set_conductances(Queue& queue, int axis, FieldView<Real const> conductivity,
                      VolumeRows<Real> const& volumes, FieldView<Real> conductances, LocalBox box);

}  // namespace isotherm::cuda
