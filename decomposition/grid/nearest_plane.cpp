#include "decomposition/grid/nearest_plane.hpp"

#include <algorithm>
#include <cmath>

namespace isotherm {

std::int64_t nearest_plane(Grid const& grid, int axis, double coordinate) {
  auto const index = static_cast<std::int64_t>(std::llround(grid.position(axis, coordinate)));
  // On a periodic axis intervals == points, so the upper end becomes 0. Other axes never reach n.
  return std::clamp<std::int64_t>(index, 0, grid.intervals(axis)) % grid.points[axis];
}

}  // namespace isotherm
