#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/support/oracles/edge_mode_oracle.hpp"

namespace isotherm::test {

/// Reference for cubic splines through n values along an axis and their extension. The coefficients
/// are computed by Gaussian elimination.
class SplineOracle {
 public:
  SplineOracle(std::int64_t n, EdgeMode edge_mode) {
    for (std::int64_t i = 0; i < n; ++i) {
      std::vector<long double> values;
      for (std::int64_t at = -ring; at < n + ring; ++at) {
        values.push_back(walked_to(at, n, edge_mode) == i ? 1.0L : 0.0L);
      }
      coefficients_.push_back(solved(std::move(values)));
    }
  }

  /// Returns the weight of each value at a place, up to 40 spacings beyond the ends.
  [[nodiscard]] std::vector<long double> weights(double place) const {
    std::vector<long double> all;
    for (auto const& coefficients : coefficients_) {
      long double sum = 0.0L;
      auto const near = static_cast<std::int64_t>(std::lround(place));
      for (std::int64_t at = near - 3; at <= near + 3; ++at) {
        sum += coefficients.at(static_cast<std::size_t>(at + ring)) *
               bell(place - static_cast<long double>(at));
      }
      all.push_back(sum);
    }
    return all;
  }

 private:
  static constexpr std::int64_t ring = 100;

  static long double bell(long double distance) {
    long double const d = std::abs(distance);
    if (d >= 2.0L) return 0.0L;
    return d < 1.0L ? 2.0L / 3.0L - d * d + d * d * d / 2.0L
                    : (2.0L - d) * (2.0L - d) * (2.0L - d) / 6.0L;
  }

  /// Solves (c[m - 1] + 4 c[m] + c[m + 1]) / 6 = values[m] for c.
  static std::vector<long double> solved(std::vector<long double> values) {
    std::vector<long double> pivots;
    for (std::size_t m = 0; m < values.size(); ++m) {
      values[m] *= 6.0L;
      pivots.push_back(4.0L);
      if (m == 0) continue;
      pivots[m] -= 1.0L / pivots[m - 1];
      values[m] -= values[m - 1] / pivots[m - 1];
    }
    for (std::size_t m = values.size(); m-- > 0;) {
      if (m + 1 < values.size()) values[m] -= values[m + 1];
      values[m] /= pivots[m];
    }
    return values;
  }

  std::vector<std::vector<long double>> coefficients_{};  ///< of the cardinal splines
};

}  // namespace isotherm::test
