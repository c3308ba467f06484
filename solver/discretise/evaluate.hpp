#pragma once

#include <array>
#include <functional>

#include "decomposition/grid/subdomain.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// A value for each point of the rank's frame; may be called from several threads at once.
using PointFunction = std::function<double(Index3 local)>;

/// The coordinates of a point of the rank's frame. They come from the global index alone, so every
/// decomposition sees the same bits.
inline std::array<double, 3> coordinates(Grid const& grid, Index3 global) {
  return {grid.coordinate(0, global.x), grid.coordinate(1, global.y), grid.coordinate(2, global.z)};
}

/// `function` at the points of the rank's frame and time `time_s`.
inline PointFunction at_points(Subdomain const& subdomain, ScalarFunction const& function,
                               double time_s) {
  Index3 const first = subdomain.owned_global().lower;
  return [grid = subdomain.grid(), first, function, time_s](Index3 local) {
    auto const [x, y, z] = coordinates(grid, local + first);
    return function(x, y, z, time_s);
  };
}

}  // namespace isotherm
