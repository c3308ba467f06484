#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace isotherm {

/// Sees residuals after cycles, and that they no longer fall.
class Progress {
 public:
  /// @param patience  cycles for which a residual may be hardly less than the best one
  explicit Progress(int patience) : patience_(patience) {}

  /// True where the residual after a cycle, and those before it for as long as can be expected,
  /// are hardly less than the best one: the end of the precision, or of what cycles can do.
  bool stands_still(double residual) {
    ++cycles_;
    if (residual <= hardly_less * best_) {
      best_ = residual;
      since_best_ = 0;
    } else {
      ++since_best_;
    }
    return cycles_ > 1 && since_best_ >= patience_;
  }

 private:
  /// Cycles leave less than a third as a rule, and of one sweep before and after up to two thirds.
  static constexpr double hardly_less = 0.9;

  int patience_;
  std::int64_t cycles_ = 0;
  int since_best_ = 0;
  double best_ = std::numeric_limits<double>::infinity();
};

}  // namespace isotherm
