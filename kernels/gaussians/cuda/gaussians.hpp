#pragma once

#include "kernels/gaussians/gaussian_sum.hpp"

namespace isotherm::cuda {

template <class Real>
void add_gaussians(Queue& queue, FieldView<Real> field, LocalBox box, PointFrame const& frame,
                   int dimension, std::vector<PreparedGaussian> const& terms);

}  // namespace isotherm::cuda
