#pragma once

#include "solver/discretise/shapes/cell.hpp"

// Distances of points from the surfaces of regions, and the radii of these surfaces.

namespace isotherm {

/// Returns the bounds of a solid along an axis. Those on a face of the grid, or beyond it, are no
/// surfaces, and infinite.
Interval bounds_within(Solid const& solid, Grid const& grid, int axis);

/// Returns the signed distance of a point from the surface of a region, which may be near to
/// another end of periodic axes than the point's own coordinates; 0 if no surface is near. It is
/// positive outside of the region.
double distance_from(Region const& region, Grid const& grid, Index3 global);

/// True if the surfaces of a region are perpendicular to an axis or parallel to it.
bool is_flat_along(Region const& region, int axis);

/// Returns the radius of a region's surface near a point; that of the point if the surface is
/// perpendicular to the axis of rotation.
/// @param distance        of the point from the surface, negative in the fluid
/// @param squared_normal  square of the component of the surface's normal along the radius
double radius_of_surface(Region const& region, Grid const& grid, Index3 global, double distance,
                         double squared_normal);

/// Returns the distance over which a plane layer would resist the heat through a surface as much as
/// the medium between the surface and a point does.
/// @param distance  of the point from the surface, negative in the fluid
/// @param surface   the radius of the surface; unused if x is no radius
double resisting_distance(Grid const& grid, Index3 global, double distance, double surface);

}  // namespace isotherm
