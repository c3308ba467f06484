#pragma once

#include <cstdint>

#include "decomposition/grid/grid.hpp"

namespace isotherm {

/// The index of the plane across an axis that is nearest to a coordinate on it, the outermost one
/// beyond the grid; where a periodic axis closes, its first.
std::int64_t nearest_plane(Grid const& grid, int axis, double coordinate);

}  // namespace isotherm
