#pragma once

#include "kernels/multigrid/fused_smoothing.hpp"

namespace isotherm::cuda {

/// Returns true if the device supports fused smoothing of such fields.
template <class Real>
bool has_fused_smoothing(Queue const& queue, int dimension, std::int64_t points);

/// Enqueues fused sweeps. See kernels/multigrid/fused_smoothing.hpp.
template <class Real>
void fused_smoothing(Queue& queue, int dimension, FusedSmoothing<Real> const& relaxation);

}  // namespace isotherm::cuda
