#pragma once

#include <cstdint>

#include "decomposition/grid/grid.hpp"

namespace isotherm {

/// Adds slope · (place − origin) to the values of some points of a grid. A field with a mean
/// gradient along a periodic axis is such a linear part and a periodic one, and only the latter may
/// be continued beyond the ends of the axis.
///
///     add_linear_part(grid, box, slope, grid.lower, -1.0, values);  // leaves the periodic part
///
/// @param slope   along each axis; nothing is done along axes with 0
/// @param sign    1, or −1 to subtract
/// @param values  of the box, dense, x fastest
template <class Real>
void add_linear_part(Grid const& grid, GlobalBox box, PerAxis<double> const& slope,
                     PerAxis<double> const& origin, double sign, Real* values) {
  if (slope[0] == 0.0 && slope[1] == 0.0 && slope[2] == 0.0) return;
  auto const part = [&](int axis, std::int64_t i) {
    return slope[axis] == 0.0 ? 0.0 : slope[axis] * (grid.coordinate(axis, i) - origin[axis]);
  };
  for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
    for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
      double const of_row = part(1, j) + part(2, k);
      for (std::int64_t i = box.lower.x; i < box.upper.x; ++i, ++values) {
        *values = static_cast<Real>(static_cast<double>(*values) + sign * (part(0, i) + of_row));
      }
    }
  }
}

}  // namespace isotherm
