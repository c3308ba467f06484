#pragma once

#include "decomposition/field/staging.hpp"
#include "decomposition/field/value_refusal.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "solver/problem/problem.hpp"

// A body's equation, integrated over the volume V around each point, says what flows into it:
//
//   c V u_t = Σ g (u(neighbour) − u) + V f + what comes through the faces of the grid
//
// with g = κ A / h (kernels/operators/conductances.hpp). Volumes at a face are cut in half there. A
// Neumann face lets κ A ∂u/∂n in, a Robin face conducts with coefficient · A to the value beyond
// it, of which the part that does not depend on u stands in the source. All is kept in units of a
// problem's own, so that numbers of any system of units are of ordinary size: powers of two, but
// for a capacity that is the same everywhere.

namespace isotherm {

/// What the numbers of a body are multiples of.
struct BodyUnits {
  double length = 1.0;
  double conductivity = 1.0;
  double capacity = 1.0;
  int dimension = 3;

  /// Of conductances, κ A / h.
  [[nodiscard]] double conductance() const;
  /// Of what a flow makes of a point per volume, κ / h².
  [[nodiscard]] double rate() const { return conductivity / (length * length); }
  /// Of time, at which a step forward is Σ g (u(neighbour) − u) / (c V).
  [[nodiscard]] double time() const { return capacity / rate(); }
};
BodyUnits body_units(Problem const& problem);

/// How many times as well some points conduct as others; of those that are looked at.
double conductivity_ratio(Problem const& problem);

/// The width of a point's volume along an axis: half the way to each neighbour. 1 unit of length
/// along axes of a single point that do not close on themselves.
double volume_width(Grid const& grid, BodyUnits const& units, int axis, std::int64_t index);
/// The volume itself, in units.
double volume(Grid const& grid, BodyUnits const& units, Index3 global);
/// The area that a face of the grid has at a point, in units.
double face_area(Grid const& grid, BodyUnits const& units, int axis, Index3 global);

bool lies_on(Grid const& grid, Face face, Index3 global);
/// The condition that holds at a point of a face.
BoundaryCondition const& condition_at_point(Problem const& problem, Face face, Index3 global);

/// κ along an axis, in its own units, diffusivity included.
double conductivity_at(Problem const& problem, int axis, Index3 global);

/// What gives a point its value, if anything but a Dirichlet face as a whole does: a patch of a
/// face, or a fixed region.
ScalarFunction const* fixed_value(Problem const& problem, Index3 global);
/// Whether it takes no part.
bool is_insulated(Problem const& problem, Index3 global);

/// Whether a point's value does not change by what flows: it is given, or the point takes no part.
bool keeps_value(Problem const& problem, Index3 global);

/// Who says that a point keeps its value.
namespace keeper {
constexpr int none = -1;         ///< nobody: it is unknown
constexpr int insulation = -2;   ///< it takes no part
constexpr int first_region = 6;  ///< fixed regions, by their numbers; below, faces by their indices
}  // namespace keeper
int keeper_of(Problem const& problem, Index3 global);

/// The conductivities along an axis that conductances are made of, in units: negative where a point
/// keeps its value, on Dirichlet faces, too, −0 where it takes no part, NaN where they are not
/// positive numbers.
PointFunction signed_conductivity(Problem const& problem, Subdomain const& subdomain, int axis);
/// 1 / c, in units; NaN where that is not a positive number.
PointFunction per_capacity(Problem const& problem, Subdomain const& subdomain);

/// Coefficient · A of the points on a Robin face, in units, and 0 on other parts of it; NaN where
/// the coefficient is negative.
PointFunction face_conductance(Problem const& problem, Subdomain const& subdomain, Face face);

/// What comes through a face into a point's volume whatever its value is, in units: of a Robin face
/// what would come if that were zero.
double inflow_through(Problem const& problem, BodyUnits const& units, Face face, Index3 global,
                      double time_s);

/// What flows into a point's volume at time `time_s` whatever its value is, in units: V f, and what
/// comes through the faces.
PointFunction body_inflow(Problem const& problem, Subdomain const& subdomain, double time_s);

/// What is said where one of them is not positive.
ValueRefusal conductivity_refusal(Problem const& problem, int axis, Index3 global);
ValueRefusal capacity_refusal(Problem const& problem, Index3 global);

/// The largest Σ g / (c V), per unit of the problem's time, over all points that do not keep their
/// values: one over the largest stable step. Looks at every point of the grid, on all threads.
/// @throws ValueRefusal  where a conductivity or a capacity is not positive
double fastest_exchange(Problem const& problem);

}  // namespace isotherm
