#pragma once

#include <array>
#include <span>

#include "decomposition/field/staging.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "kernels/core/error.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

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

/// `function` at the owned points and time `time_s`, to a dense array, x fastest.
/// @throws Error  where the array has another size than the owned points
template <class Real>
void evaluate_owned(Subdomain const& subdomain, ScalarFunction const& function, double time_s,
                    std::span<Real> values) {
  LocalBox const owned = subdomain.owned();
  require(values.size() == static_cast<std::size_t>(owned.point_count()),
          "the array for a function's values does not fit the owned points");
  (void)evaluate_dense(owned, at_points(subdomain, function, time_s), values.data());
}

}  // namespace isotherm
