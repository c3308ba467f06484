#pragma once

#include "kernels/multigrid/relaxation.hpp"

namespace isotherm::cuda {

template <class Real>
bool relaxes_at_once(Queue const& queue, int dimension, std::int64_t points);

template <class Real>
void relax_at_once(Queue& queue, int dimension, Relaxation<Real> const& relaxation);

}  // namespace isotherm::cuda
