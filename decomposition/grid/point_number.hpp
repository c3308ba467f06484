#pragma once

#include <cstdint>

#include "decomposition/grid/subdomain.hpp"

// The points of a box in one order, x fastest.

namespace isotherm {

/// Returns the position of a point in the whole grid, as a double. A double holds it exactly up to
/// 2^53, and ranks without a point can pass infinity.
inline double number_of_point(Grid const& grid, Index3 point) {
  return (static_cast<double>(point.z) * static_cast<double>(grid.points.y) +
          static_cast<double>(point.y)) *
             static_cast<double>(grid.points.x) +
         static_cast<double>(point.x);
}

/// Returns the point at a position in a box of this extent that begins at (0, 0, 0).
inline Index3 point_of_number(Extent3 extent, std::int64_t number) {
  return {number % extent.x, number / extent.x % extent.y, number / extent.x / extent.y};
}

}  // namespace isotherm
