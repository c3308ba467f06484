#pragma once

#include "kernels/multigrid/relaxation.hpp"

namespace isotherm::cuda {

/// Returns true if the device supports fused smoothing of such fields.
template <class Real>
bool relaxes_at_once(Queue const& queue, int dimension, std::int64_t points);

/// Enqueues fused sweeps. See kernels/multigrid/relaxation.hpp.
template <class Real>
void relax_at_once(Queue& queue, int dimension, Relaxation<Real> const& relaxation);

}  // namespace isotherm::cuda
