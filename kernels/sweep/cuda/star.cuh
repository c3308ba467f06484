#pragma once

#include "kernels/core/host_device.hpp"

namespace isotherm::cuda {

/// What a rule sees around point `v` of a row of which the thread holds `points`: the neighbours in
/// x are the row's own, or beyond its ends; those in y and z are given.
template <class Real, int points>
struct Star {
  Real const (&row)[points];
  int v;
  Real west, east;        ///< beyond the row's ends
  Real south, north;      ///< beside the point, in y
  Real below{}, above{};  ///< in z

  ISOTHERM_INLINE Real operator()(int di, int dj, int dk) const {
    if (dk != 0) return dk < 0 ? below : above;
    if (dj != 0) return dj < 0 ? south : north;
    // The indices are in range in the branches that are not taken too.
    if (di < 0) return v == 0 ? west : row[v == 0 ? 0 : v - 1];
    if (di > 0) return v == points - 1 ? east : row[v == points - 1 ? v : v + 1];
    return row[v];
  }
};

}  // namespace isotherm::cuda
