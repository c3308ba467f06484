#pragma once

#include "kernels/gaussians/gaussian_sum.hpp"

namespace isotherm::cuda {

/// The terms lie in global memory.
template <class Real>
void add_gaussians(Queue& queue, FieldView<Real> field, LocalBox box, PointFrame const& frame,
                   int dimension, std::vector<PreparedGaussian> const& terms);

/// The terms lie in constant memory, as many at a time as it holds. There is one of it for all
/// queues of a device, so only one call of the process at a time is in here.
template <class Real>
void add_gaussians_from_constant(Queue& queue, FieldView<Real> field, LocalBox box,
                                 PointFrame const& frame, int dimension,
                                 std::vector<PreparedGaussian> const& terms);

}  // namespace isotherm::cuda
