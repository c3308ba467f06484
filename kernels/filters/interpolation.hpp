#pragma once

#include <cstdint>

#include "kernels/core/field.hpp"
#include "kernels/filters/edge_mode.hpp"

namespace isotherm {

/// Points on each side that determine a spline's coefficient. All points further away contribute
/// less than 1e-17 of their values in total.
constexpr int spline_reach = 30;

/// How to interpolate a field along one axis.
struct AxisInterpolation {
  std::int64_t points = 1;  ///< number of points of the whole axis
  std::int64_t first = 0;   ///< the point of the axis that has index 0 in the view
  int nodes = 1;            ///< nodes of the polynomial, 1 to 4; at most `points`
  EdgeMode edge_mode = EdgeMode::clamp;
  /// True if values are coefficients of a cubic spline. Four of them are used, including those of
  /// points beyond the ends.
  bool spline = false;
};

/// An affine map from a target's points to places in the source. Along axis a the place, in
/// spacings from the first point, is offset[a] + Σ step[a][b] · (first + index)[b].
struct PlaceOfPoint {
  // Plain arrays, since kernels index them.
  double offset[3];   // NOLINT(modernize-avoid-c-arrays)
  double step[3][3];  // NOLINT(modernize-avoid-c-arrays)
  Index3 first;       ///< global index of the target's local point (0, 0, 0)
};

/// Enqueues interpolation: to(p) is the value of the polynomial through the `nodes` points around
/// the place of p, or of the spline. Axes are interpolated one after the other.
///
/// Near the ends of an axis that is not periodic, the polynomial is the one through the outermost
/// points (extrapolation), so polynomials are reproduced. A spline continues through the points
/// beyond. The result is computed in float64 and rounded once. It has the same bits on every
/// backend.
///
/// With 1, 2, 3 or 4 nodes along an axis, polynomials up to degree 0, 1, 2 or 3 are reproduced.
/// With 1 node the value is that of the nearest point; half-way between two, of the upper one.
/// @pre `from` has all points that the interpolation reads.
/// @throws Error  if the number of nodes is invalid, or `box` reaches past `to`
template <class Node, class Real>
void interpolate(Queue& queue, FieldView<Node const> from,
                 PerAxis<AxisInterpolation> const& between, FieldView<Real> to, LocalBox box,
                 PlaceOfPoint const& place);

}  // namespace isotherm
