#pragma once

#include "kernels/core/arithmetic.hpp"
#include "kernels/core/field.hpp"
#include "kernels/filters/weights.hpp"

namespace isotherm {

/// Number of points of a block of a line. Sums of lines are sums of the sums of blocks, in order,
/// so this number is part of the definition of their bits.
constexpr std::int64_t line_block = 64;

/// Returns the number of blocks of a line.
constexpr std::int64_t line_blocks(std::int64_t points) {
  return (points + line_block - 1) / line_block;
}

/// The sum of one block of `count` values that are `stride` elements apart; see sum_along(). The
/// first and the last value of the line have the weight `end_weight`, the others 1.
template <class Real>
struct BlockSum {
  std::int64_t stride;
  std::int64_t count;
  double end_weight;

  /// Returns the sum of a block. @param value  address of the first value of the line
  ISOTHERM_HOST_DEVICE double operator()(Real const* value, std::int64_t block) const {
    std::int64_t const first = block * line_block;
    std::int64_t const end = count < first + line_block ? count : first + line_block;
    value += first * stride;
    double sum = weight(first) * static_cast<double>(*value);
    for (std::int64_t m = first + 1; m < end; ++m) {
      value += stride;
      sum = multiply_add(weight(m), static_cast<double>(*value), sum);
    }
    return sum;
  }

 private:
  [[nodiscard]] ISOTHERM_HOST_DEVICE double weight(std::int64_t m) const {
    return m == 0 || m + 1 == count ? end_weight : 1.0;
  }
};

/// The maximum or minimum of `count` values that are `stride` apart; see extreme_along().
template <class Real>
struct LineExtreme {
  std::int64_t stride;
  std::int64_t count;
  bool largest;

  ISOTHERM_HOST_DEVICE Real operator()(Real const* value) const {
    Real extreme = *value;
    for (std::int64_t m = 1; m < count; ++m) {
      value += stride;
      bool const beyond = largest ? *value > extreme : *value < extreme;
      // NOLINTNEXTLINE(misc-redundant-expression): true for NaN, and for nothing else
      bool const is_nan = *value != *value;
      // a NaN is final, since no comparison with it is true
      if (beyond || is_nan) extreme = *value;
    }
    return extreme;
  }
};

}  // namespace isotherm
