#pragma once

#include "kernels/core/arithmetic.hpp"
#include "kernels/core/field.hpp"
#include "kernels/filters/weights.hpp"

namespace isotherm {

/// The scaled sum of `count` values that are `stride` elements apart; see sum_along(). The first
/// and the last value have the weight `end_weight`, the others 1.
template <class Real>
struct LineSum {
  std::int64_t stride;
  std::int64_t count;
  double scale;
  double end_weight;

  ISOTHERM_HOST_DEVICE Real operator()(Real const* value) const {
    double sum = end_weight * static_cast<double>(*value);
    for (std::int64_t m = 1; m < count; ++m) {
      value += stride;
      sum = multiply_add(m + 1 < count ? 1.0 : end_weight, static_cast<double>(*value), sum);
    }
    return static_cast<Real>(scale * sum);
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
