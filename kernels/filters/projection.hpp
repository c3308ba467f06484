#pragma once

#include "kernels/core/field.hpp"

namespace isotherm {

/// Enqueues to(p) = scale · Σ from(q), the sum being over the points q of `box` on the line through
/// p along `axis`, of which the first and the last may count half. `to` has one point along the
/// axis, 0. Sums are taken in float64, from the first point on, and are bit-equal on every backend.
template <class Real>
void sum_along(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box, int axis,
               double scale, bool half_ends);

/// Enqueues to(p) = the largest, or the smallest, of such values; not a number where one of them
/// is not.
template <class Real>
void extreme_along(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box,
                   int axis, bool largest);

}  // namespace isotherm
