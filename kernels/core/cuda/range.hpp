#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/core/host_device.hpp"

namespace isotherm::cuda {

/// Indices lower <= i < upper along one axis, in 32 bits. Kernels use it because a 64-bit index
/// occupies two registers.
struct Range {
  int lower, upper;

  /// Returns true if the range contains `i`.
  [[nodiscard]] ISOTHERM_HOST_DEVICE constexpr bool contains(int i) const {
    return lower <= i && i < upper;
  }
  /// Returns the index of the range that is nearest to `i`.
  /// @pre The range is not empty.
  [[nodiscard]] ISOTHERM_HOST_DEVICE constexpr int clamp(int i) const {
    return i < lower ? lower : i >= upper ? upper - 1 : i;
  }
};

/// Returns the same indices in 32 bits. Clamps bounds to ±2^30, beyond which no field has points.
/// Only boxes that are unbounded on an axis extend further.
inline Range range_of(std::int64_t lower, std::int64_t upper) {
  constexpr std::int64_t bound = 1 << 30;
  return {static_cast<int>(std::clamp(lower, -bound, bound)),
          static_cast<int>(std::clamp(upper, -bound, bound))};
}

}  // namespace isotherm::cuda
