#pragma once

#include "kernels/core/queue.hpp"
#include "kernels/operators/conductances.hpp"

namespace isotherm {

/// Enqueues what a sweep of smoothing (PartialRelax) makes of values that are all zero:
///
///   values(p) = ω source(p) / Σ g
///
/// at the points of `box`; zero at those that keep their value. Nothing of `values` is read.
/// @param weight  ω
/// @throws Error  where a field does not cover the box
template <class Real, int dimension>
void sweep_from_zero(Queue& queue, Conductances<Real, dimension> const& of, Real weight,
                     FieldView<Real const> source, FieldView<Real> values, LocalBox box);

}  // namespace isotherm
