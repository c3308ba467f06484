#pragma once

#include "kernels/core/arithmetic.hpp"
#include "kernels/core/cpu/rows.hpp"
#include "kernels/filters/weights.hpp"

namespace isotherm::cpu {

/// The plan "plain": row by row and weight by weight. For every axis, the inner loop is over points
/// adjacent in memory.
template <class Real>
void convolve(FieldView<Real const> from, FieldView<Real> to, LocalBox const& box, int axis,
              Weights<Real> const& weights) {
  std::int64_t const stride = stride_of(from, axis);
  std::int64_t const count = box.extent().x;
  for_each_row(box, [&](std::int64_t j, std::int64_t k) {
    Real const* row = &from(box.lower.x, j, k) - weights.radius * stride;
    Real* const sum = &to(box.lower.x, j, k);
    // `to` holds the partial sums of the row.
    for (std::int64_t i = 0; i < count; ++i) sum[i] = weights.values[0] * row[i];
    for (int m = 1; m <= 2 * weights.radius; ++m) {
      row += stride;
      Real const weight = weights.values[m];
      for (std::int64_t i = 0; i < count; ++i) sum[i] = multiply_add(weight, row[i], sum[i]);
    }
  });
}

}  // namespace isotherm::cpu
