#pragma once

#include "kernels/filters/weights.hpp"

namespace isotherm::cuda {

/// What a kernel of a convolution is told.
template <class Real>
struct ConvolutionWork {
  FieldView<Real const> from;
  FieldView<Real> to;
  LocalBox box;
  Weights<Real> weights;
};

}  // namespace isotherm::cuda
