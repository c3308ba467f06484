#pragma once

#include "kernels/sweep/sweep.hpp"

namespace isotherm::cuda {

/// Enqueues copying the points that a pass writes to a second place (Pass::forwards), from
/// pass.out. Each box is copied by a launch of its own.
template <class Real>
void copy_forwards(Queue& queue, Pass<Real> const& pass);

}  // namespace isotherm::cuda
