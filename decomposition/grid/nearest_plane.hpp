#pragma once

#include <cstdint>

#include "decomposition/grid/grid.hpp"

namespace isotherm {

/// Returns the index of the grid plane perpendicular to `axis` that is nearest to a coordinate.
/// Beyond the grid it is the outermost plane. At the upper end of a periodic axis, which coincides
/// with plane 0, it is 0.
std::int64_t nearest_plane(Grid const& grid, int axis, double coordinate);

}  // namespace isotherm
