#pragma once

#include "kernels/multigrid/heterogeneous_residual.hpp"

namespace isotherm::cuda {

/// Enqueues evaluating the residual. See kernels/multigrid/heterogeneous_residual.hpp.
template <class Real, class Operator, class From, class To>
void evaluate_heterogeneous_residual(Queue& queue, Operator const& op,
                                     ResidualPass<From, To> const& pass);

}  // namespace isotherm::cuda
