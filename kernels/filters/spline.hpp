#pragma once

#include <cstddef>
#include <optional>

#include "kernels/core/field.hpp"
#include "kernels/filters/interpolation.hpp"

namespace isotherm {

/// Computes the coefficients of the cubic splines through a field's values, which are the weights
/// of B-splines at the points. Waits for the queue.
///
/// They are computed in float64, along one axis after the other, by a convolution of fixed reach. A
/// coefficient therefore has the same bits in every box that contains it.
/// @param between  interpolation and boundary treatment of each axis; axes that are not `spline`
///   are left unchanged
/// @param from  the values at `known`
/// @param known  points of the axes: all those whose values the nodes need, spline_reach on each
///   side; on axes without a spline, the points of `nodes`
/// @param nodes  the points whose coefficients are computed; may lie beyond the ends of an axis
/// @returns  the coefficients at `nodes`; none if no axis has a spline
template <class Real>
std::optional<Field<double>> spline_coefficients(Queue& queue,
                                                 PerAxis<AxisInterpolation> const& between,
                                                 FieldView<Real const> from, GlobalBox known,
                                                 GlobalBox nodes);

/// Returns an upper bound on the memory in bytes that spline_coefficients() allocates; see
/// Buffer::footprint.
std::size_t spline_footprint(Backend backend, PerAxis<AxisInterpolation> const& between,
                             GlobalBox known, GlobalBox nodes);

}  // namespace isotherm
