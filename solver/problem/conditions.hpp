#pragma once

#include "solver/problem/problem.hpp"

// What a problem's boundary conditions and source mean for whoever solves it.

namespace isotherm {

BoundaryCondition const& condition(Problem const& problem, Face face);
bool is(Problem const& problem, Face face, BoundaryKind kind);
bool has_dirichlet_face(Problem const& problem);
/// True of a face whose points all keep a Dirichlet value. Where any face has patches none is one:
/// so that where faces meet the first of them gives the value, patched or not.
bool keeps_its_values(Problem const& problem, Face face);
/// True where a steady solution is unique: anything but flows is given anywhere.
bool has_given_values(Problem const& problem);
/// Whether steady values of some points may be known but for a constant: where nothing is given, or
/// insulation may cut them off from what is.
bool may_have_free_values(Problem const& problem);
/// At either end of an axis.
bool has_dirichlet_end(Problem const& problem, int axis);

/// True where something comes through the face whatever the values are: of a Neumann face whose
/// derivative, or a Robin face whose value, is not zero everywhere.
bool has_flux(Problem const& problem, Face face);
/// True where a step adds anything to the rule: a source, or the derivative on a Neumann face.
bool needs_source_field(Problem const& problem);
/// Whether that depends on the time.
bool flux_varies_in_time(Problem const& problem, Face face);
/// Whether a part of a face has another condition.
bool is_patched(Problem const& problem, Face face);
/// True where the operator differs from point to point, or a point inside keeps its value: where
/// conductances have to say what flows (kernels/operators/conductances.hpp).
bool has_body(Problem const& problem);
/// The condition that holds at a place on a face.
BoundaryCondition const& condition_at(Problem const& problem, Face face, double x, double y,
                                      double z);

/// True where a boundary value or the source depends on the time.
bool varies_in_time(Problem const& problem);

/// @throws InputError  where the source or a boundary value is seen to depend on the time at some
/// of
///                     the grid's points, and its ScalarFunction does not say so
void check_time_dependence(Problem const& problem);

/// @throws InputError  where a periodic face has no periodic partner, or the grid and the faces
///                     disagree about which axes are periodic
void check_boundary(Problem const& problem);

}  // namespace isotherm
