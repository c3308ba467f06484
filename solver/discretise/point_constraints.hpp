#pragma once

#include <span>

#include "decomposition/field/point_mask.hpp"
#include "decomposition/grid/grid.hpp"
#include "solver/problem/problem.hpp"

// Fixed points: points whose values do not follow from the heat flow. A point is fixed by a
// Dirichlet face, a Dirichlet patch of a face, or a fixed region. The points of an insulated region
// are fixed, too, if nothing flows into them: the region's surface does not reach into their
// volumes (is_open() in shapes/open_shares.hpp). The face or region that fixes a point is its
// constraint. A fixed region that ends where a periodic axis closes contains the point there, if
// its value is the same at both ends of the axis. All indices of this file are global.

namespace isotherm {

/// True if a point lies on a face of the grid.
bool lies_on(Grid const& grid, Face face, Index3 global);
/// Returns the number of the patch whose condition applies at a point of a face, or no_patch.
int patch_at_point(Problem const& problem, Face face, Index3 global);
/// Returns the condition at a point of a face: that of the last patch that contains the point, or
/// else the face's.
BoundaryCondition const& condition_at_point(Problem const& problem, Face face, Index3 global);

/// True if a point lies in an insulated region, even if a face or a fixed region gives it a value.
bool is_insulated(Problem const& problem, Index3 global);

/// True if the points with a constraint are no part of the medium: insulated points, and those of a
/// fluid on the surface of an insulated region ([[convection]]).
bool is_outside(Problem const& problem, int constraint_number);
/// True if the value of a point is no result: it lies outside of the medium, and nothing gives it a
/// value. That includes unknown points in an insulated region whose volumes are open. Extremes,
/// probes and pictures leave out these points. (Global indices.)
bool is_excluded(Problem const& problem, Index3 global);
/// False if is_excluded() is false at all points. It examines no point.
bool may_exclude_points(Problem const& problem);
/// Returns the set of excluded points; a default-constructed one if there can be none. It refers to
/// `problem`.
PointSet excluded_points(Problem const& problem);

/// Returns the share of a point's control volume that belongs to the medium, between 0 and 1: 0 in
/// insulated regions and fluids, and a fraction where an insulated region's surface cuts the
/// volume. Means and integrals weigh the values with it. (Global indices.)
double share_of_point(Problem const& problem, Index3 global);
/// Returns the function of these shares; a default-constructed one if excluded points alone have a
/// share other than 1. It refers to `problem`.
PointShare shares_of_points(Problem const& problem);

/// The numbers of constraints. Faces have their indices, 0 to 5.
namespace constraint {
constexpr int none = -1;         ///< the point is unknown
constexpr int insulation = -2;   ///< insulated regions shut the point's volume
constexpr int first_region = 6;  ///< the first fixed region; others follow
}  // namespace constraint
/// Returns the constraint of a point (global indices). A face has precedence over a region, and a
/// later region over an earlier one.
int constraint_of(Problem const& problem, Index3 global);
/// Returns the constraint that a point would have if no face gave it a value.
int constraint_by_region(Problem const& problem, Index3 global);
/// True if the point is fixed.
inline bool is_fixed_point(Problem const& problem, Index3 global) {
  return constraint_of(problem, global) != constraint::none;
}
/// True if a face gives a point its value.
inline bool is_given_by_face(Problem const& problem, Index3 global) {
  int const constraint = constraint_of(problem, global);
  return constraint >= 0 && constraint < constraint::first_region;
}
/// Finds the constraints of consecutive points along x, beginning with `first`.
void find_constraints(Problem const& problem, Index3 first, std::span<int> constraints);

/// The material number of excluded points.
constexpr int excluded_material = -1;
/// Returns the number of the material at a point (global indices): that of the last region of
/// Medium::materials that contains it, counted from 1; 0 outside of all; −1 if the point is
/// excluded; −2, −3, … in the fixed regions, of which the last one applies.
int material_number(Problem const& problem, Index3 global);
/// True if the surfaces of all regions are known between points, too: none comes from a file of
/// values.
bool knows_surfaces(Problem const& problem);
/// Returns the number of the material at any place of the grid, as material_number(). The place
/// decides whether it is excluded, not the points near it. @pre  knows_surfaces()
int material_at_place(Problem const& problem, PerAxis<double> const& place);

/// Returns the function that determines a fixed point's value; null for unknown and insulated
/// points. The problem owns the function.
ScalarFunction const* fixed_value(Problem const& problem, int constraint, Index3 global);

}  // namespace isotherm
