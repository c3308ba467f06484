#pragma once

#include <vector>

#include "solver/problem/problem.hpp"

// The rims of electrodes: the lines on a face of the grid at which a Dirichlet condition ends and
// another condition begins.
//
// If the points inside an electrode had its value and all others the other condition, the discrete
// field would be that of a larger electrode. Let the rim be straight, perpendicular to an axis with
// the spacing h. Then the electrode seems to end at the distance δ h beyond its last point. For
// equal spacings δ = √2/4 in an insulated face. So the outermost point is held by a conductance
// instead, which moves the apparent end continuously to the true one. A point at the distance d h
// inside the rim (negative: outside) has
//
//   t = d + 1 − δ,   coefficient = C t / (1 − t)   for 0 < t < 1
//
// It is fixed if t ≥ 1, and not held if t ≤ 0. Each row of points across the rim then has one point
// with a coefficient. δ and C follow from the factorisation of the lattice's Dirichlet-to-Neumann
// operator (the Wiener–Hopf technique). With the gap g into the medium, conductivities κ_n into it,
// κ_a across the rim and κ_b along the other axis, and a rim that has the slope s in indices:
//
//   w = κ_a / h_a² + s² κ_b / h_b²,   ρ = g² w / κ_n,   a + 1/a = 2 (2 + ρ) / ρ,
//   δ = 1/4 + a / (2 (1 − a)),        C = g w / (2 √a)
//
// This is exact for straight rims along an axis and along a diagonal. The flux of an electrode is
// then second order accurate, although the flux density is singular at the rim.

namespace isotherm {

/// True if the Dirichlet conditions of a face fix the value of a point on it (global indices).
bool is_fixed_by_face(Problem const& problem, Face face, Index3 global);

/// A Robin condition by which an electrode holds a point near its rim.
struct RimCondition {
  BoundaryCondition condition;
  int patch;  ///< the electrode's number, or no_patch if it is the face itself
};
/// Returns the Robin conditions by which electrodes hold a point near their rims: none away from
/// rims, one usually, and two in a gap of one point between two electrodes. They apply to the whole
/// face of the point's control volume, if the point is not fixed.
std::vector<RimCondition> rim_conditions(Problem const& problem, Face face, Index3 global);

}  // namespace isotherm
