#pragma once

#include "kernels/core/host_device.hpp"

namespace isotherm {

/// A row of values for each axis, laid out like a row of a field. Index 0 belongs to the first
/// owned point and is aligned. Negative indices and those past the owned points address the halo.
/// This is a view: the arrays lie in the memory of the queue's backend, and must exist until
/// enqueued work has read them.
template <class Real>
struct AxisRows {
  Real const* x = nullptr;
  Real const* y = nullptr;
  Real const* z = nullptr;

  /// Returns the row of `axis` (0: x, 1: y, 2: z).
  [[nodiscard]] ISOTHERM_INLINE Real const* of(int axis) const {
    return axis == 0 ? x : axis == 1 ? y : z;
  }
};

}  // namespace isotherm
