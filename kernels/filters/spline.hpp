#pragma once

#include <cstddef>
#include <optional>

#include "kernels/core/field.hpp"
#include "kernels/filters/interpolation.hpp"

namespace isotherm {

/// Enqueues computing the coefficients of the cubic splines through a field's values and what lies
/// beyond them: the weights of the B-splines at the points. They are computed in float64 along one
/// axis after the other, by a convolution, so that each is of the same bits whatever box it is in.
/// @param between  for each axis what lies beyond it; where not `spline`, values stay as they are
/// @param from     the values at `known`
/// @param known    points of the axes; all that stand for those that `nodes` take, spline_reach to
///                 each side, and on axes without a spline those of `nodes`
/// @param nodes    the points, maybe beyond the ends of an axis, whose coefficients are wanted
/// @returns the coefficients at `nodes`; none where no axis has a spline. Waits
template <class Real>
std::optional<Field<double>> spline_coefficients(Queue& queue, PerAxis<Between> const& between,
                                                 FieldView<Real const> from, GlobalBox known,
                                                 GlobalBox nodes);

/// Bytes that this takes at most, see Buffer::footprint.
std::size_t spline_footprint(Backend backend, PerAxis<Between> const& between, GlobalBox known,
                             GlobalBox nodes);

}  // namespace isotherm
