#pragma once

#include <algorithm>
#include <limits>

namespace isotherm::test {

/// True in builds that round after every operation, like a plain serial loop.
#if defined(ISOTHERM_EXACT)
inline constexpr bool rounds_like_plain_loops = true;
#else
inline constexpr bool rounds_like_plain_loops = false;
#endif

/// Returns the tolerated difference from a plain loop after `steps` steps, for values of magnitude
/// `scale`: 0 if both round identically, else a few units in the last place per step.
template <class Real>
double rounding_tolerance(double scale, double steps) {
  if (rounds_like_plain_loops) return 0.0;
  return 4.0 * std::max(1.0, steps) * scale *
         static_cast<double>(std::numeric_limits<Real>::epsilon());
}

}  // namespace isotherm::test
