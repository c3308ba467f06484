#pragma once

#include "kernels/core/host_device.hpp"

namespace isotherm::cuda {

/// What a rule sees around point `v` of a row of which the thread holds `points`: the neighbours in
/// x are the row's own, or beyond its ends; `beside(dj, dk)` gives those in y and z. Nothing is
/// read before the rule asks for it: read earlier, values took more registers.
template <class Real, int points, class Beside>
struct Star {
  Real const (&row)[points];
  int v;
  Real const& west;
  Real const& east;  ///< beyond the row's ends
  Beside const& beside;

  ISOTHERM_INLINE Real operator()(int di, int dj, int dk) const {
    if (dj != 0 || dk != 0) return beside(dj, dk);
    // The indices are in range in the branches that are not taken too.
    if (di < 0) return v == 0 ? west : row[v == 0 ? 0 : v - 1];
    if (di > 0) return v == points - 1 ? east : row[v == points - 1 ? v : v + 1];
    return row[v];
  }
};
template <class Real, int points, class Beside>
Star(Real const (&)[points], int, Real const&, Real const&, Beside const&)
    -> Star<Real, points, Beside>;

}  // namespace isotherm::cuda
