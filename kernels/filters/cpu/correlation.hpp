#pragma once

#include "kernels/core/cpu/rows.hpp"
#include "kernels/core/cpu/vector.hpp"
#include "kernels/filters/table_sum.hpp"

namespace isotherm::cpu {

/// Computes some vectors of a row's sums, which are held in registers.
/// @param value  address of the value that the first weight is applied to, for the first sum
template <int vectors, class Real>
[[gnu::always_inline]] inline void sum_table(TableShape const& shape, Real const* weights,
                                             Real const* value, Real* to) {
  using Values = Vector<Real>;
  Values sums[vectors];  // NOLINT(modernize-avoid-c-arrays): registers
#pragma GCC unroll 16
  for (int v = 0; v < vectors; ++v) sums[v] = Values::all(Real{-0.0});
  auto const add = [&](Real each, Real const* counted) __attribute__((always_inline)) {
    Values const weight = Values::all(each);
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) {
      sums[v] = multiply_add_each(weight, Values::load(counted + v * Values::width), sums[v]);
    }
  };
  for_each_weight(shape, weights, value, add);
#pragma GCC unroll 16
  for (int v = 0; v < vectors; ++v) sums[v].store(to + v * Values::width);
}

/// Correlates row by row. A row's last vector ends at the row's end; the points that it shares with
/// the previous vector are computed twice.
template <class Real>
void correlate(FieldView<Real const> from, FieldView<Real> to, LocalBox const& box,
               TableShape const& shape, Real const* weights) {
  constexpr std::int64_t width = Vector<Real>::width;
  constexpr int many = 8;
  std::int64_t const count = box.extent().x;
  for_each_row(box, [&](std::int64_t j, std::int64_t k) {
    Real const* const first = shape.first(&from(box.lower.x, j, k));
    Real* const row = &to(box.lower.x, j, k);
    std::int64_t i = 0;
    // Eight vectors at a time hide the latency of the additions.
    for (; i + many * width <= count; i += many * width) {
      sum_table<many>(shape, weights, first + i, row + i);
    }
    for (; i + width <= count; i += width) {
      sum_table<1>(shape, weights, first + i, row + i);
    }
    if (i < count && count >= width) {
      sum_table<1>(shape, weights, first + count - width, row + count - width);
      i = count;
    }
    for (; i < count; ++i) row[i] = sum_of_table(shape, weights, first + i);
  });
}

}  // namespace isotherm::cpu
