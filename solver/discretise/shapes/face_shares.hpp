#pragma once

#include <functional>

#include "solver/problem/problem.hpp"

// The shares of boundary conditions in the face of a control volume.
//
// A patch covers parts of the faces of control volumes. A point whose last patch is a Dirichlet one
// has its value. At other points the conditions share the flow, each with the fraction of the
// area that it covers. A later patch covers earlier ones.

namespace isotherm {

/// Calls visit(condition, share) for all conditions in the face of a point's control volume; their
/// shares add up to 1. A point of a Dirichlet condition has that condition alone.
void for_each_condition(
    Problem const& problem, Face face, Index3 global,
    std::function<void(BoundaryCondition const& condition, double share)> const& visit);

/// Returns the share of patch `number` in the face of a point's control volume; 0 at Dirichlet
/// points.
double share_of_patch(Problem const& problem, std::size_t number, Index3 global);

}  // namespace isotherm
