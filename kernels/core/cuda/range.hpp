#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/core/host_device.hpp"

namespace isotherm::cuda {

/// Indices lower <= i < upper along one axis, in 32 bits.
struct Range {
  int lower, upper;

  [[nodiscard]] ISOTHERM_HOST_DEVICE constexpr bool contains(int i) const {
    return lower <= i && i < upper;
  }
  /// The index of the range that is nearest to `i`.
  [[nodiscard]] ISOTHERM_HOST_DEVICE constexpr int clamp(int i) const {
    return i < lower ? lower : i >= upper ? upper - 1 : i;
  }
};

/// The same indices in 32 bits. Those beyond ±2^30 are left out, where no field has points; a box
/// of free points may go on there.
inline Range range_of(std::int64_t lower, std::int64_t upper) {
  constexpr std::int64_t bound = 1 << 30;
  return {static_cast<int>(std::clamp(lower, -bound, bound)),
          static_cast<int>(std::clamp(upper, -bound, bound))};
}

}  // namespace isotherm::cuda
