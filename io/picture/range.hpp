#pragma once

#include <cmath>

namespace isotherm {

/// From a smallest to a largest value; both finite.
struct Range {
  double lower = 0.0;
  double upper = 1.0;

  bool operator==(Range const&) const = default;

  /// 0 … 1; the middle where all values are equal.
  [[nodiscard]] double place(double value) const {
    if (!(upper > lower)) {
      return std::isnan(value) ? value : 0.5;
    }
    double const span = upper - lower;
    return std::isfinite(span) ? (value - lower) / span
                               : (0.5 * value - 0.5 * lower) / (0.5 * upper - 0.5 * lower);
  }
};

}  // namespace isotherm
