#pragma once

#include "kernels/multigrid/transfer.hpp"

namespace isotherm::cuda {

/// Enqueues the restriction. See kernels/multigrid/transfer.hpp.
template <class Real>
void restrict_to(Queue& queue, FieldView<Real const> fine, FieldView<Real> coarse, LocalBox box,
                 AxisStencils<RestrictionStencil<Real>> const& stencils, Real factor);

/// Enqueues the prolongation. See kernels/multigrid/transfer.hpp.
template <class Real>
void interpolate_to(Queue& queue, FieldView<Real const> coarse, FieldView<Real> fine, LocalBox box,
                    AxisStencils<InterpolationStencil<Real>> const& stencils, Interpolated mode);

}  // namespace isotherm::cuda
