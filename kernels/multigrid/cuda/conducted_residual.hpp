#pragma once

#include "kernels/multigrid/conducted_residual.hpp"

namespace isotherm::cuda {

/// Enqueues evaluating the residual. See kernels/multigrid/conducted_residual.hpp.
template <class Real, class Operator, class From, class To>
void evaluate_conducted_residual(Queue& queue, Operator const& of,
                                 ResidualPass<From, To> const& pass);

}  // namespace isotherm::cuda
