#pragma once

#include "kernels/core/field.hpp"

namespace isotherm {

/// Enqueues a projection: to(p) = scale · Σ from(q) over the points q of `box` on the line through
/// p along `axis`. `to` has one point along the axis, with index 0.
///
/// Sums are computed in float64: of blocks of 64 points, and then of the blocks, so that many
/// threads share a line. They have the same bits on every backend. On CUDA the call waits for the
/// work to end.
/// @param half_ends  the first and the last point of a line have weight 1/2 (trapezoidal rule)
/// @throws Error  if `box` reaches past `from`, or its projection past `to`
template <class Real>
void sum_along(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box, int axis,
               double scale, bool half_ends);

/// Returns an upper bound on the memory of the backend that sum_along() uses while it works.
std::size_t sum_footprint(Backend backend, Extent3 extent, int axis);

/// Enqueues to(p) = the maximum (or minimum) of such values; NaN if one of them is NaN.
/// @param largest  true for the maximum, false for the minimum
/// @throws Error  as sum_along()
template <class Real>
void extreme_along(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box,
                   int axis, bool largest);

}  // namespace isotherm
