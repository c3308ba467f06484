#pragma once

#include "kernels/sweep/sweep.hpp"

namespace isotherm::cuda {

/// Enqueues copying what a pass forwards.
template <class Real>
void copy_forwards(Queue& queue, Pass<Real> const& pass);

}  // namespace isotherm::cuda
