#pragma once

#include "kernels/filters/polynomial.hpp"

namespace isotherm::cuda {

template <class Real>
void interpolate(Queue& queue, LocalBox const& box, Interpolate<Real> const& work);

}  // namespace isotherm::cuda
