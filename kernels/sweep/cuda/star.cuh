#pragma once

#include "kernels/core/host_device.hpp"

namespace isotherm::cuda {

/// The neighbourhood of point `v` of a thread's row of `points` points, as a rule reads it.
///
/// Neighbours in x belong to the row or lie beyond its ends (`west`, `east`). `beside(dj, dk)`
/// returns those in y and z. Values are read only when the rule requests them; reading them earlier
/// needed more registers. References to the values must remain valid while the rule is applied.
template <class Real, int points, class Beside>
struct Star {
  Real const (&row)[points];
  int v;  ///< the point, 0 <= v < points; a constant after unrolling
  /// The neighbours beyond the row's two ends.
  Real const& west;
  Real const& east;
  Beside const& beside;

  /// Returns the value at an offset.
  /// @pre At most one offset is nonzero, and it is ±1.
  ISOTHERM_INLINE Real operator()(int di, int dj, int dk) const {
    if (dj != 0 || dk != 0) return beside(dj, dk);
    // The compiler also checks the branches that are not taken, so their indices must be in range.
    if (di < 0) return v == 0 ? west : row[v == 0 ? 0 : v - 1];
    if (di > 0) return v == points - 1 ? east : row[v == points - 1 ? v : v + 1];
    return row[v];
  }
};
template <class Real, int points, class Beside>
Star(Real const (&)[points], int, Real const&, Real const&, Beside const&)
    -> Star<Real, points, Beside>;

}  // namespace isotherm::cuda
