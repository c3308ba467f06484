#pragma once

#include <functional>
#include <vector>

#include "decomposition/grid/grid.hpp"

namespace isotherm::test {

/// A field as a function of the coordinates.
using Function = std::function<double(double x, double y, double z)>;

/// Returns a function's values at the points of a box, dense, x fastest.
template <class Real>
std::vector<Real> values_on(Grid const& grid, GlobalBox box, Function const& function) {
  std::vector<Real> values;
  for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
    for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
      for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) {
        values.push_back(static_cast<Real>(
            function(grid.coordinate(0, i), grid.coordinate(1, j), grid.coordinate(2, k))));
      }
    }
  }
  return values;
}

}  // namespace isotherm::test
