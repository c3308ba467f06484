#pragma once

#include <vector>

#include "solver/problem/problem.hpp"

// Surfaces of fluids that cut control volumes ([[convection]]).
//
// By Gauss's theorem, the area S of a surface in a control volume is the length of the vector
// Σ ± α A over the faces of the volume, with the open shares α of links; faces of shut volumes
// belong to the surface. This is exact for a plane. At edges of boxes and rims of cylinders the
// areas of the surfaces that meet are added instead.
//
// If the medium is so thin that both of its surfaces lie in the volume, they cancel in this sum.
// The volume is then divided into halves along that axis, each of which has one of the surfaces. If
// they are not all flat, their area is found on lines through the volume (lines/line_surface.hpp).
// So is that of a surface so curved, as that of a pin, that the vector is shorter than it by a
// thousandth or more, and that of edges of expressions. In radial grids the lines find areas of
// revolution, but the vector is not known.
//
// If several regions share the surface in a volume, its parts are found on lines, too.

namespace isotherm {

/// The surface of a fluid in a control volume.
struct SurfaceInVolume {
  int fluid;  ///< its number in Medium::fixed
  double area = 0.0;
  PerAxis<double> squared_normal{};  ///< means over the surface; they sum to 1
  double distance = 0.0;             ///< of the point, as a plane layer; negative in the fluid
};

/// The points in whose volumes films are examined.
enum class Points { unknown, given_by_faces, both };
/// True if a point is among those in whose volumes films are examined.
bool belongs(Problem const& problem, Index3 global, Points points);

/// Returns the surfaces of fluids in the control volume of a point.
std::vector<SurfaceInVolume> surfaces_at(Problem const& problem, Index3 global, Points points);

}  // namespace isotherm
