#pragma once

#include <vector>

#include "decomposition/field/staging/host_staging.hpp"
#include "decomposition/field/value_refusal.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/problem/conditions.hpp"
#include "solver/problem/problem.hpp"

// Finite volumes for a heterogeneous medium. The equation is integrated over the control volume V
// around each point (S. V. Patankar, Numerical Heat Transfer and Fluid Flow, 1980):
//
//   c V u_t = Σ g (u(neighbour) − u) − V a u + V f + boundary fluxes
//
// with the conductances g = κ A / h (kernels/operators/conductances.hpp), the volumetric heat
// capacity c and the reaction coefficient a. Volumes of points on a face of the grid are cut in
// half there. A Neumann face lets the heat flux κ A ∂u/∂n in. A Robin face conducts with
// coefficient · A to the ambient value beyond it; the part that does not depend on u belongs to the
// source. So do the flows g J of the links across the end of a periodic axis over whose period u
// gains J. Insulated regions reduce faces and volumes to their open shares
// (shapes/open_shares.hpp): those of V are factors of c and f. If x is a radius, areas contain
// Grid::metric(). All quantities are in medium_units().
//
// Each function of points that is returned refers to the problem, which must outlive it.

namespace isotherm {

/// Returns the function of the signed conductivities along an axis, in units. The sign marks fixed
/// points: negative at points with a given value (Dirichlet faces included), −0 at insulated
/// points. NaN if a conductivity is not a positive number.
PointFunction signed_conductivity(Problem const& problem, MediumUnits const& units,
                                  Subdomain const& subdomain, int axis);
/// Returns the function 1 / c, in units; NaN if c is not a positive number.
PointFunction inverse_capacity(Problem const& problem, MediumUnits const& units,
                               Subdomain const& subdomain);

/// True if a face, or a patch of it, may be a Robin face.
bool may_be_robin(Problem const& problem, Face face);
/// The heat flow through a face of the box into the volume of a point that lies on it:
/// conductance · (ambient − u) + flux, in units.
///
/// The face of the volume may belong to several conditions, since patches cover parts of it. The
/// conductance is Σ φ h A with the share φ and the coefficient h of each Robin condition. The
/// ambient value is the mean of theirs, weighted by φ h. The flux is Σ φ q A with the heat flux q
/// of each Neumann condition. All are 0 if the face fixes the point.
struct FaceFlow {
  double conductance = 0.0;
  double ambient = 0.0;
  double flux = 0.0;
  double at_zero = 0.0;  ///< the flow if u = 0

  /// Adds the flow of another condition.
  void add(FaceFlow const& other);
};
/// Returns the heat flow through a face at a point on it (global indices), at time `time_s`.
/// @param u  the point's value, on which coefficients and ambient values may depend
FaceFlow face_flow(Problem const& problem, MediumUnits const& units, Face face, Index3 global,
                   double time_s, double u = 0.0);

/// The part of face_flow() that the conditions of one patch cause, or that of the face itself.
struct PatchFlow {
  int patch = no_patch;
  FaceFlow flow{};
};
/// Returns the parts of face_flow(), each patch once, with the number of each patch; see there. The
/// patches at a point do not depend on u and the time.
std::vector<PatchFlow> patch_flows(Problem const& problem, MediumUnits const& units, Face face,
                                   Index3 global, double time_s, double u = 0.0);

/// Returns the factor, at most 1, by which the medium limits the conductances of a face at a point
/// that something else fixes: they do not exceed that of the medium over one gap. Two given values
/// meet there, and the flow between them would not depend on the grid otherwise.
double limit_at_given(Problem const& problem, MediumUnits const& units, Face face, Index3 global,
                      double time_s, double u = 0.0);

/// Returns the conductance of face_flow(), which is steady; 0 if insulation covers the face, NaN if
/// a coefficient is negative.
double robin_conductance(Problem const& problem, MediumUnits const& units, Face face,
                         Index3 global);

/// Returns V a, the reaction coefficient's part of the reaction term of a point, in units. NaN if a
/// is negative.
double reaction_of_volume(Problem const& problem, MediumUnits const& units, Index3 global);
/// Returns the reaction term of a point, in units: the conductance of its films, and V a. NaN if a
/// is negative.
double reaction_term(Problem const& problem, MediumUnits const& units, Index3 global);

/// Returns the function of the heat flow into each point's volume at time `time_s` that does not
/// depend on the point's value, in units: V f, the flows through faces and films, and those that
/// mean gradients drive through the ends of periodic axes.
/// @param source  evaluates the source at rows; must outlive the result. Null: problem.source
PointFunction finite_volume_source(Problem const& problem, MediumUnits const& units,
                                   Subdomain const& subdomain, double time_s,
                                   RowFunction const* source = nullptr);

/// Returns the message about a reaction coefficient that is negative or not a number at a point.
ValueRefusal reaction_refusal(Problem const& problem, Index3 global);
/// Return the messages about a conductivity or heat capacity that is not positive at a point.
ValueRefusal conductivity_refusal(Problem const& problem, int axis, Index3 global);
ValueRefusal capacity_refusal(Problem const& problem, Index3 global);

}  // namespace isotherm
