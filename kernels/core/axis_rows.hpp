#pragma once

#include "kernels/core/host_device.hpp"

namespace isotherm {

/// A row of values for each axis, as those of fields lie: index 0 is the first owned point's and is
/// aligned, those of the halo exist.
template <class Real>
struct AxisRows {
  Real const* x = nullptr;
  Real const* y = nullptr;
  Real const* z = nullptr;

  [[nodiscard]] ISOTHERM_INLINE Real const* of(int axis) const {
    return axis == 0 ? x : axis == 1 ? y : z;
  }
};

}  // namespace isotherm
