#pragma once

#include "kernels/filters/weights.hpp"

namespace isotherm::cuda {

/// The arguments of convolution kernels.
template <class Real>
struct ConvolutionWork {
  FieldView<Real const> from;
  FieldView<Real> to;
  LocalBox box;
  Weights<Real> weights;
};

}  // namespace isotherm::cuda
