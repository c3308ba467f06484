#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "solver/problem/problem.hpp"

// The shares of boundary conditions in the face of a control volume.
//
// A patch covers parts of the faces of control volumes. Points inside a Dirichlet patch have its
// value; the outermost one on each line across its rim is held by a conductance
// (electrode_rim.hpp). At other points the conditions that are not Dirichlet conditions share the
// flow, each with its fraction of the area. A later patch covers earlier ones.

namespace isotherm {

/// A condition, its share of a face, and the number of the patch that it belongs to, or no_patch.
using ConditionVisit =
    std::function<void(BoundaryCondition const& condition, double share, int patch)>;

/// Calls visit(condition, share, patch) for all conditions in the face of a point's volume. A point
/// that the face fixes has its Dirichlet condition alone, with the share 1. At a rim, the Robin
/// conditions of electrodes come first, each with the open share of the face (open_shares.hpp),
/// which is 1 without insulation. The shares of the other conditions add up to the open share that
/// no electrode covers.
void for_each_condition(Problem const& problem, Face face, Index3 global,
                        ConditionVisit const& visit);

/// Returns the area (in 2D: the length) that a region covers of a face of the grid, by the faces of
/// control volumes.
double covered_area(Problem const& problem, Face face, Region const& region);

/// Returns the area (in 2D: the length) through which the flux of a condition enters: the parts of
/// volumes' faces that belong to it and are not insulated, except at points with a Dirichlet value
/// on this face. A point that another face or a region fixes is included: the flux enters the
/// point's volume and leaves through the constraint.
/// @param patch  the number of a patch; none: the condition of the face itself
double flux_area(Problem const& problem, Face face, std::optional<std::size_t> patch);

}  // namespace isotherm
