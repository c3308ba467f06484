#pragma once

#include "kernels/multigrid/conducted_residual.hpp"

namespace isotherm::cuda {

template <class Real, int dimension, class From, class To>
void evaluate_conducted_residual(Queue& queue, Conductances<From, dimension> const& of,
                                 ResidualPass<From, To> const& pass);

}  // namespace isotherm::cuda
