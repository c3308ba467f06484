#pragma once

#include "kernels/core/arithmetic.hpp"
#include "kernels/core/field.hpp"

namespace isotherm {

/// Of a WeightTable, and how the values that it counts lie in memory.
struct TableShape {
  int width;
  int height;
  int depth;
  std::int64_t stride_y;
  std::int64_t stride_z;

  /// The value that the first weight counts, for the point at `value`.
  template <class Real>
  ISOTHERM_HOST_DEVICE Real const* first(Real const* value) const {
    return value - width / 2 - height / 2 * stride_y - depth / 2 * stride_z;
  }
};

/// Calls add(weight, value) for each weight and where the value stands that it counts, in their
/// order; `value` is what the first weight counts.
template <class Real, class Add>
ISOTHERM_HOST_DEVICE inline void for_each_weight(TableShape const& shape, Real const* weights,
                                                 Real const* value, Add const& add) {
  for (int plane = 0; plane < shape.depth; ++plane) {
    Real const* row = value;
    for (int n = 0; n < shape.height; ++n) {
      for (int m = 0; m < shape.width; ++m) {
        add(*weights, row + m);
        ++weights;
      }
      row += shape.stride_y;
    }
    value += shape.stride_z;
  }
}

/// A point's sum; `value` is what the first weight counts.
template <class Real>
ISOTHERM_HOST_DEVICE Real sum_of_table(TableShape const& shape, Real const* weights,
                                       Real const* value) {
  Real sum = Real{-0.0};  // to which the first product adds up as it is
  for_each_weight(shape, weights, value, [&](Real weight, Real const* counted) {
    sum = multiply_add(weight, *counted, sum);
  });
  return sum;
}

}  // namespace isotherm
