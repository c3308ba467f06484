#pragma once

#include "kernels/multigrid/transfer.hpp"

namespace isotherm::cuda {

/// Enqueues the restriction. See kernels/multigrid/transfer.hpp.
template <class Real>
void restrict_field(Queue& queue, FieldView<Real const> fine, FieldView<Real> coarse, LocalBox box,
                    AxisStencils<RestrictionStencil<Real>> const& stencils, Real factor);

/// Enqueues the prolongation. See kernels/multigrid/transfer.hpp.
template <class Real>
void prolongate_field(Queue& queue, FieldView<Real const> coarse, FieldView<Real> fine,
                      LocalBox box, AxisStencils<ProlongationStencil<Real>> const& stencils,
                      ProlongationMode mode);

}  // namespace isotherm::cuda
