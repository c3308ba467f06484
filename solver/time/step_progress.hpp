#pragma once

#include "kernels/core/precision.hpp"
#include "solver/multigrid/stagnation_detector.hpp"

namespace isotherm {

/// Follows the residuals of the system that an implicit step solves, cycle by cycle. They are
/// relative to the first, that of the field before the step with the boundary values behind it: so
/// a tolerance is a share of what the step changes, however small that is.
class StepProgress {
 public:
  enum class Verdict {
    go_on,
    solved,
    stalled  ///< another cycle would not help
  };

  /// @param first      the residual before any cycle
  /// @param conjugate  cycles are those of conjugate gradients, whose residuals may grow for some
  StepProgress(double tolerance, double first, bool conjugate = false)
      : allowed_(tolerance * first), first_(first), last_(first), stagnation_(conjugate ? 5 : 1) {}

  /// Before the first cycle.
  [[nodiscard]] Verdict start() const { return first_ == 0.0 ? Verdict::solved : Verdict::go_on; }
  /// After something else than a cycle that left `residual`.
  Verdict begin(double residual) {
    last_ = residual;
    return residual <= allowed_ ? Verdict::solved : Verdict::go_on;
  }
  /// After a cycle that left `residual`.
  Verdict next(double residual) {
    ++cycles_;
    // The first may be full multigrid, which cares for the error rather than for the residual.
    bool const stagnates = stagnation_.add(residual);
    last_ = residual;
    if (residual <= allowed_) return Verdict::solved;
    return !stagnates && cycles_ < most_cycles ? Verdict::go_on : Verdict::stalled;
  }

  [[nodiscard]] double first() const { return first_; }
  [[nodiscard]] double last() const { return last_; }
  [[nodiscard]] int cycles() const { return cycles_; }

 private:
  static constexpr int most_cycles = 100;  ///< of which eight are enough as a rule

  double allowed_;
  double first_;
  double last_;
  StagnationDetector stagnation_;
  int cycles_ = 0;
};

/// The largest residual of a step that rounding alone explains, of a field whose values are up to
/// `largest`: rounding each by half a unit leaves two such halves at a point, since the weights of
/// the point and its neighbours sum to two at most; the arithmetic of a float64 field, and of
/// corrections that are rounded when they are added, some more.
inline double residual_of_rounding(Precision precision, double largest) {
  constexpr double roundings = 16.0;
  double const half_unit = precision == Precision::float32 ? 0x1p-24 : 0x1p-53;
  return roundings * half_unit * largest;
}

}  // namespace isotherm
