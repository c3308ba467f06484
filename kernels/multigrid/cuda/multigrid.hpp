#pragma once

#include "kernels/multigrid/residual.hpp"
#include "kernels/multigrid/transfer.hpp"

namespace isotherm::cuda {

/// Enqueues evaluating the residual. See kernels/multigrid/residual.hpp.
template <class Real, class From, class To>
void evaluate_residual(Queue& queue, AxisWeights<Real> const& weights,
                       ResidualPass<From, To> const& pass);

/// Enqueues adding a correction. See kernels/multigrid/residual.hpp.
template <class From, class To>
void add_correction(Queue& queue, FieldView<From const> correction, FieldView<To> u, LocalBox box,
                    double scale);

/// Enqueues the restriction. See kernels/multigrid/transfer.hpp.
template <class Real>
void restrict_to(Queue& queue, FieldView<Real const> fine, FieldView<Real> coarse, LocalBox box,
                 AxisStencils<RestrictionStencil<Real>> const& stencils, Real factor);

/// Enqueues the prolongation. See kernels/multigrid/transfer.hpp.
template <class Real>
void interpolate_to(Queue& queue, FieldView<Real const> coarse, FieldView<Real> fine, LocalBox box,
                    AxisStencils<InterpolationStencil<Real>> const& stencils, Interpolated mode);

}  // namespace isotherm::cuda
