#pragma once

#include <optional>

#include "solver/problem/problem.hpp"

// Unknown points in fluids that have the value of the fluid's surface ([[convection]]).
//
// If a point lies in a fluid at the depth |d|, its film would have the resistance 1/h − |d|/κ,
// which may be negative. If the surface is known to be flat and across an axis (a side of a box, or
// an expression in one coordinate), and the only one in the volume, the point is moved there: its
// film has the resistance 1/h, and the link across the surface begins at it. Their sum is the same,
// and both are positive.

namespace isotherm {

/// A place on an axis to which a point is moved.
struct PointOnSurface {
  int axis;
  double at;      ///< coordinate of the surface
  double offset;  ///< of the surface from the point
};

/// Returns the place on the surface of a fluid to which a point (global indices) is moved; none for
/// most points.
std::optional<PointOnSurface> point_on_surface(Problem const& problem, Index3 global);

}  // namespace isotherm
