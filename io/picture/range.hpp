#pragma once

#include <cmath>

namespace isotherm {

/// An interval of values, such as the coordinates of an axis or the values of a colour bar. Both
/// ends are finite.
///
///     Range const temperatures{20.0, 100.0};
///     double const place = temperatures.place(60.0);      // 0.5
struct Range {
  double lower = 0.0;
  double upper = 1.0;

  bool operator==(Range const&) const = default;

  /// Maps a value linearly from lower … upper to 0 … 1. If the interval is empty, every number is
  /// mapped to 0.5. NaN remains NaN.
  [[nodiscard]] double place(double value) const {
    if (!(upper > lower)) {
      return std::isnan(value) ? value : 0.5;
    }
    // If the span overflows, half values are used.
    double const span = upper - lower;
    return std::isfinite(span) ? (value - lower) / span
                               : (0.5 * value - 0.5 * lower) / (0.5 * upper - 0.5 * lower);
  }
};

}  // namespace isotherm
