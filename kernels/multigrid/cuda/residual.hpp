#pragma once

#include "kernels/multigrid/residual.hpp"

namespace isotherm::cuda {

/// Enqueues evaluating the residual. See kernels/multigrid/residual.hpp.
template <class Real, class From, class To>
void evaluate_residual(Queue& queue, AxisWeights<Real> const& weights,
                       ResidualPass<From, To> const& pass);

/// Enqueues adding a correction. See kernels/multigrid/residual.hpp.
template <class From, class To>
void add_correction(Queue& queue, FieldView<From const> correction, FieldView<To> u, LocalBox box,
                    double scale);

}  // namespace isotherm::cuda
