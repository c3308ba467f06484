#pragma once

#include "decomposition/field/staging.hpp"
#include "decomposition/field/value_refusal.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "solver/discretise/body_units.hpp"
#include "solver/problem/problem.hpp"

// A body's equation, integrated over the volume V around each point, says what flows into it:
//
//   c V u_t = Σ g (u(neighbour) − u) + V f + what comes through the faces of the grid
//
// with g = κ A / h (kernels/operators/conductances.hpp). Volumes at a face are cut in half there. A
// Neumann face lets κ A ∂u/∂n in, a Robin face conducts with coefficient · A to the value beyond
// it, of which the part that does not depend on u stands in the source. All is in body_units().
//
// The problem outlives the functions of points that are made of it.

namespace isotherm {

/// The conductivities along an axis that conductances are made of, in units: negative where a point
/// keeps its value, on Dirichlet faces, too, −0 where it takes no part, NaN where they are not
/// positive numbers.
PointFunction signed_conductivity(Problem const& problem, BodyUnits const& units,
                                  Subdomain const& subdomain, int axis);
/// 1 / c, in units; NaN where that is not a positive number.
PointFunction per_capacity(Problem const& problem, BodyUnits const& units,
                           Subdomain const& subdomain);

/// Whether a face, or a part of it, may conduct (Robin).
bool may_conduct(Problem const& problem, Face face);
/// Coefficient · A at a point of a Robin face, in units, and 0 on other parts of it; NaN where the
/// coefficient is negative.
double face_conductance(Problem const& problem, BodyUnits const& units, Face face, Index3 global);

/// What comes through a face into a point's volume whatever its value is, in units: of a Robin face
/// what would come if that were zero.
double inflow_through(Problem const& problem, BodyUnits const& units, Face face, Index3 global,
                      double time_s);

/// What flows into a point's volume at time `time_s` whatever its value is, in units: V f, and what
/// comes through the faces.
PointFunction body_inflow(Problem const& problem, BodyUnits const& units,
                          Subdomain const& subdomain, double time_s);

/// What is said where one of them is not positive.
ValueRefusal conductivity_refusal(Problem const& problem, int axis, Index3 global);
ValueRefusal capacity_refusal(Problem const& problem, Index3 global);

}  // namespace isotherm
