#pragma once

#include "kernels/conduction/transfer.hpp"

namespace isotherm::cuda {

/// Enqueues the restriction. See kernels/conduction/transfer.hpp.
template <class Real>
void restrict_residual(Queue& queue, HeterogeneousTransfer<Real> const& transfer,
                       FieldView<Real const> fine, FieldView<Real> coarse, LocalBox box);

/// Enqueues the prolongation. See kernels/conduction/transfer.hpp.
template <class Real>
void prolongate_correction(Queue& queue, HeterogeneousTransfer<Real> const& transfer,
                           FieldView<Real const> coarse, FieldView<Real> fine, LocalBox box);

}  // namespace isotherm::cuda
