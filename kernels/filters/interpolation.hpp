#pragma once

#include <cstdint>

#include "kernels/core/field.hpp"
#include "kernels/filters/beyond.hpp"

namespace isotherm {

/// Points to each side that a spline's coefficient takes: those farther off together count less
/// than 1e-17 of what they are.
constexpr int spline_reach = 30;

/// Along one axis: how a field is looked at between its points.
struct Between {
  std::int64_t points = 1;  ///< of the whole axis
  std::int64_t first = 0;   ///< the point that the view calls 0
  int nodes = 1;            ///< of the polynomial, 1 to 4; at most `points`
  Beyond beyond = Beyond::clamp;
  /// Values are coefficients of a cubic spline, of which 4 count, also of points beyond the ends.
  bool spline = false;
};

/// The place, in units of spacings from the first point, that belongs to a target's point: along
/// axis a it is offset[a] + Σ step[a][b] · (first + index)[b].
struct PlaceOfPoint {
  // Plain arrays, because kernels index them.
  double offset[3];   // NOLINT(modernize-avoid-c-arrays)
  double step[3][3];  // NOLINT(modernize-avoid-c-arrays)
  Index3 first;       ///< of the target's local point (0, 0, 0)
};

/// Enqueues to(p) = the polynomial through the `nodes` points around the place of p, or the spline
/// there, along each axis in turn, for the points of `box`. Near the ends of an axis that does not
/// wrap the polynomial is that through its outermost points, so that what is a polynomial stays
/// one; a spline goes on through what lies beyond. `from` has all points that this takes. Computed
/// in float64 and rounded once; bit-equal on every backend.
template <class Node, class Real>
void interpolate(Queue& queue, FieldView<Node const> from, PerAxis<Between> const& between,
                 FieldView<Real> to, LocalBox box, PlaceOfPoint const& place);

}  // namespace isotherm
