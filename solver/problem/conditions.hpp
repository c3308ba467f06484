#pragma once

#include <functional>

#include "solver/problem/problem.hpp"

// Consequences of a problem's boundary conditions and source for its solution. Functions of values
// are not sampled, except by check_time_dependence(): only the constant 0 is recognised as zero.

namespace isotherm {

/// Returns the condition of a face; patches may override it at some points.
BoundaryCondition const& condition(Problem const& problem, Face face);
/// True if the condition of the face is of this kind.
bool is(Problem const& problem, Face face, BoundaryKind kind);
/// True if any face has a Dirichlet condition.
bool has_dirichlet_face(Problem const& problem);
/// True if all points of a face have Dirichlet values, so sweeps can leave them out. If any face
/// has patches, no face is eliminated: on an edge of two faces the first one gives the value, and
/// it may be patched.
bool is_eliminated_dirichlet_face(Problem const& problem, Face face);
/// True if something determines the constant of a steady solution: a Dirichlet or Robin face or
/// patch, a fixed region, a reaction term, or a source that depends on u.
bool has_given_values(Problem const& problem);
/// True if a region is a floating conductor: its value is unknown, and its total flux is given.
bool has_floating_regions(Problem const& problem);
/// Returns the problem without its floating conductors: the medium fills their regions.
Problem without_floating_regions(Problem problem);

/// True if a steady problem may have a null space: no value is given, or insulated regions may
/// separate floating components from the given values.
bool may_have_null_space(Problem const& problem);
/// True if either end of an axis is a Dirichlet face.
bool has_dirichlet_end(Problem const& problem, int axis);

/// True if a fluid acts on the surface of the region that it fills ([[convection]]): a film of
/// conductance joins the volumes that the surface cuts to the fluid. If the region is known at
/// points only, the points next to it have films instead.
bool has_film_on_surface(FixedRegion const& region);
/// True if any region has one.
bool has_films_on_surfaces(Problem const& problem);
/// Calls visit() with the exchanges on the surfaces of all regions.
void for_each_exchange(Problem const& problem,
                       std::function<void(SurfaceExchange const& exchange)> const& visit);
/// True if an exchange on the surface of a region satisfies the predicate.
bool any_exchange(Problem const& problem,
                  std::function<bool(SurfaceExchange const& exchange)> const& predicate);
/// True if any surface has exchanges (FixedRegion::exchanges).
bool has_exchanges(Problem const& problem);
/// True if the surface of a region radiates; true if heat enters it otherwise.
bool radiates(FixedRegion const& region);
bool transfers_without_radiation(FixedRegion const& region);
/// True if the operator has a reaction term: a coefficient is given, or fluids act on surfaces.
bool has_reaction(Problem const& problem);
/// True if the value of such a fluid varies in time.
bool films_vary_in_time(Problem const& problem);

/// True if a face has the rims of electrodes: lines at which Dirichlet conditions end between
/// points (solver/discretise/shapes/electrode_rim.hpp). If a patch is known at points only, its
/// face has none.
bool has_rims(Problem const& problem, Face face);
/// True if a face brings a flux that does not depend on the field: a Neumann face whose derivative,
/// or a Robin face whose ambient value, is not zero everywhere. Patches of the face are included,
/// and electrodes with rims, which hold points by a Robin condition.
bool has_flux(Problem const& problem, Face face);
/// True if sweeps have to add a source term: a source, or the flux of a face.
bool needs_source_field(Problem const& problem);
/// Returns how much the field gains over one period of an axis: its mean gradient times the period;
/// 0 on axes that are not periodic.
double gain_over_period(Problem const& problem, int axis);
/// Returns the gains of all axes.
PerAxis<double> gains_over_periods(Problem const& problem);
/// True if the field gains anything over a period of any axis.
bool has_mean_gradient(Problem const& problem);
/// True if the flux of a face varies in time.
bool flux_varies_in_time(Problem const& problem, Face face);
/// True if the face, or a patch of it, has a condition of this kind.
bool has_anywhere(Problem const& problem, Face face, BoundaryKind kind);
/// True if a part of the face has another condition.
bool is_patched(Problem const& problem, Face face);
/// True if the problem needs a heterogeneous operator (kernels/operators/conductances.hpp):
/// coefficients that are not 1, a reaction coefficient, a graded axis, Robin faces, patches, fixed
/// points inside, or insulated points.
bool is_heterogeneous(Problem const& problem);
/// The number of no patch: the condition of the face itself applies.
constexpr int no_patch = -1;
/// Returns the number of the last patch of a face that contains a place, or no_patch.
int patch_at(Problem const& problem, Face face, PerAxis<double> const& place);
/// Returns the condition at a place on a face: that of the last patch that contains the place, or
/// else the face's.
BoundaryCondition const& condition_at(Problem const& problem, Face face, double x, double y,
                                      double z);

/// True if the coefficient of a Robin condition or a conductivity depends on the time.
bool coefficients_vary_in_time(Problem const& problem);
/// True if a conductivity depends on the solution or on the time.
bool has_varying_conductivity(Problem const& problem);

/// True if the conductivity, the capacity, the source, or a Robin condition depends on the field,
/// or a surface inside radiates. Such a problem is nonlinear. So are problems for which
/// coefficients_vary_in_time(), since the same solver evaluates their coefficients anew in each
/// step.
bool is_nonlinear(Problem const& problem);

/// True if a boundary value, the source or a coefficient varies in time.
bool varies_in_time(Problem const& problem);

/// Samples the functions for an undeclared dependence on time.
/// @throws InputError  if the source or a boundary value varies in time at some sampled point, but
///                     its ScalarFunction claims that it does not
void check_time_dependence(Problem const& problem);

/// Checks the periodic faces.
/// @throws InputError  if the face opposite a periodic one is not periodic, the grid and the faces
///                     disagree about which axes are periodic, or the mean gradients at both ends
///                     of an axis differ
void check_boundary(Problem const& problem);

}  // namespace isotherm
