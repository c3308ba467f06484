#pragma once

#include <functional>
#include <optional>

#include "kernels/multigrid/value_range.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// Calls visit(point) for up to 9 points along each axis, both ends included. Points are global
/// indices.
void for_each_sample(Grid const& grid, std::function<void(Index3)> const& visit);

/// Returns the range of the values that a problem gives: on Dirichlet faces and patches, in fixed
/// regions, and beyond Robin faces, at up to 9 points along each axis. Initial values are included
/// in diffusion, unless they are 0 everywhere, and if nothing else is given. The range does not
/// depend on the field.
ValueRange given_range(Problem const& problem);

/// Returns the width of given_range() if the solution lies within the range of the given values, by
/// the maximum principle: a steady problem without sources, prescribed fluxes and reaction.
std::optional<double> width_by_maximum_principle(Problem const& problem);

}  // namespace isotherm
