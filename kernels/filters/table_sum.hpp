#pragma once

#include "kernels/core/arithmetic.hpp"
#include "kernels/core/field.hpp"

namespace isotherm {

/// The shape of a WeightTable, and the memory layout of the values that it is applied to.
struct TableShape {
  int width;   ///< weights per row
  int height;  ///< rows per plane
  int depth;   ///< planes
  /// Elements from a value to its neighbour along y and along z.
  std::int64_t stride_y;
  std::int64_t stride_z;

  /// Returns the address of the value that the first weight is applied to, for the point at
  /// `value`.
  template <class Real>
  ISOTHERM_HOST_DEVICE Real const* first(Real const* value) const {
    return value - width / 2 - height / 2 * stride_y - depth / 2 * stride_z;
  }
};

/// Calls add(weight, address) for each weight and the address of its value, in order.
/// @param value  address of the value that the first weight is applied to
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

/// Returns the weighted sum of a point, in the order of the weights.
/// @param value  address of the value that the first weight is applied to
template <class Real>
ISOTHERM_HOST_DEVICE Real sum_of_table(TableShape const& shape, Real const* weights,
                                       Real const* value) {
  // −0 is the neutral element: the first product is unchanged, even +0 and −0
  Real sum = Real{-0.0};
  for_each_weight(shape, weights, value, [&](Real weight, Real const* counted) {
    sum = multiply_add(weight, *counted, sum);
  });
  return sum;
}

}  // namespace isotherm
