#pragma once

#include "kernels/core/arithmetic.hpp"
#include "kernels/core/field.hpp"

namespace isotherm {

/// Of a WeightTable.
struct TableShape {
  int width;
  int height;

  /// The value that the first weight counts, for the point at `value`.
  template <class Real>
  ISOTHERM_HOST_DEVICE Real const* first(Real const* value, std::int64_t stride_y) const {
    return value - width / 2 - height / 2 * stride_y;
  }
};

/// A point's sum; `value` is what the first weight counts.
template <class Real>
ISOTHERM_HOST_DEVICE Real sum_of_table(TableShape shape, Real const* weights, Real const* value,
                                       std::int64_t stride_y) {
  Real sum = Real{-0.0};  // to which the first product adds up as it is
  for (int n = 0; n < shape.height; ++n) {
    for (int m = 0; m < shape.width; ++m) {
      sum = multiply_add(*weights, value[m], sum);
      ++weights;
    }
    value += stride_y;
  }
  return sum;
}

}  // namespace isotherm
