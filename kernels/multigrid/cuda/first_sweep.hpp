#pragma once

#include "kernels/multigrid/first_sweep.hpp"

namespace isotherm::cuda {

/// Enqueues the first sweep. See kernels/multigrid/first_sweep.hpp.
template <class Real, int dimension>
void sweep_from_zero(Queue& queue, SmoothingConductances<Real, dimension> const& conductances,
                     Real weight, FieldView<Real const> source, FieldView<Real> values,
                     LocalBox box);

/// Enqueues the first two sweeps in one pass.
/// @pre Some points of `box` are free.
template <class Real>
void two_sweeps_from_zero(Queue& queue, SmoothingConductances<Real, 3> const& conductances,
                          Real first, Real second, FieldView<Real const> source,
                          FieldView<Real> values, LocalBox box, LocalBox free);

}  // namespace isotherm::cuda
