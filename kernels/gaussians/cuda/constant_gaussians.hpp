#pragma once

#include "kernels/gaussians/gaussian_sum.hpp"

namespace isotherm::cuda {

/// Adds the terms, which are read from constant memory, in batches that fit. All queues of a device
/// share this memory, so a process performs one call at a time.
template <class Real>
void add_gaussians_from_constant(Queue& queue, FieldView<Real> field, LocalBox box,
                                 PointFrame const& frame, int dimension,
                                 std::vector<PreparedGaussian> const& terms);

}  // namespace isotherm::cuda
