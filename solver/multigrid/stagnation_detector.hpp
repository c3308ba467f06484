#pragma once

#include <cstdint>
#include <limits>

namespace isotherm {

/// Detects stagnation: the residual no longer falls from cycle to cycle. It needs only the norms,
/// so ranks that pass the same norms decide alike.
class StagnationDetector {
 public:
  /// @param patience  consecutive cycles without a notable reduction that count as stagnation
  explicit StagnationDetector(int patience) : patience_(patience) {}

  /// Adds the residual norm after a cycle.
  /// @return  true if the last `patience` cycles have not reduced the smallest residual notably.
  ///          Then the rounding floor is reached, or cycles do not converge any further. The first
  ///          cycle never counts.
  bool add(double residual) {
    ++cycles_;
    if (residual <= notable_reduction * smallest_) {
      smallest_ = residual;
      since_smallest_ = 0;
    } else {
      ++since_smallest_;
    }
    return cycles_ > 1 && since_smallest_ >= patience_;
  }

 private:
  /// A cycle usually leaves less than a third of the residual. With one sweep before and one after
  /// the coarse grid it leaves up to two thirds. A factor above 0.9 is no notable reduction.
  static constexpr double notable_reduction = 0.9;

  int patience_;
  std::int64_t cycles_ = 0;  ///< calls of add()
  int since_smallest_ = 0;   ///< cycles since the last notable reduction
  /// The residual after the last notable reduction.
  double smallest_ = std::numeric_limits<double>::infinity();
};

}  // namespace isotherm
