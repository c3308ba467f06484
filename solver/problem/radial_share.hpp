#pragma once

#include "decomposition/grid/grid.hpp"
#include "solver/problem/solid.hpp"

namespace isotherm {

/// Returns the fraction of a cell that a solid covers, between 0 and 1, in the space that a grid
/// describes. If x is a radius, every part of the cell counts with Grid::metric(): a box is a ring,
/// and a ball a torus, or a ball if its center lies on the axis. Exact for both.
/// @param cell  see Solid::share()
double share_in_space(Grid const& grid, Solid const& solid, PerAxis<Interval> const& cell);

}  // namespace isotherm
