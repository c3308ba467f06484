#pragma once

#include <algorithm>
#include <limits>

namespace isotherm::test {

/// True in builds that round after every operation, as a plain serial loop does.
#if defined(ISOTHERM_EXACT)
inline constexpr bool rounds_like_plain_loops = true;
#else
inline constexpr bool rounds_like_plain_loops = false;
#endif

/// How far values of size `scale` may lie from a plain loop's after `steps` steps: not at all where
/// both round alike, else a few units in the last place a step.
template <class Real>
double rounding_tolerance(double scale, double steps) {
  if (rounds_like_plain_loops) return 0.0;
  return 4.0 * std::max(1.0, steps) * scale *
         static_cast<double>(std::numeric_limits<Real>::epsilon());
}

}  // namespace isotherm::test
