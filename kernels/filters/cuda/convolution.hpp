#pragma once

#include "kernels/filters/weights.hpp"

namespace isotherm::cuda {

template <class Real>
void convolve(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox const& box,
              int axis, Weights<Real> const& weights);

}  // namespace isotherm::cuda
