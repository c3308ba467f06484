#pragma once

#include "kernels/core/precision.hpp"
#include "solver/multigrid/stagnation_detector.hpp"

namespace isotherm {

/// Decides after each cycle whether the linear system of an implicit step is solved.
///
/// Residuals are compared with the first one: that of the field before the step, with the boundary
/// values after it. The tolerance is therefore relative to the change of the step, even if that
/// change is small. All ranks must pass the same residuals, so that they decide alike.
///
///     StepProgress progress(1e-6, residual);
///     for (auto status = progress.start(); status == StepProgress::StepStatus::unsolved;) {
///       residual = …;                       // after a cycle
///       status = progress.next(residual);
///     }
class StepProgress {
 public:
  /// The state of the linear system after a cycle.
  enum class StepStatus {
    unsolved,  ///< another cycle is needed
    solved,    ///< the residual is within the tolerance
    stalled    ///< stagnation: another cycle would not reduce the residual
  };

  /// @param tolerance  on the residual, relative to `first`
  /// @param first      the residual norm before any cycle
  /// @param conjugate  cycles precondition conjugate gradients, whose residuals may grow for some
  ///                   iterations
  StepProgress(double tolerance, double first, bool conjugate = false)
      : allowed_(tolerance * first), first_(first), last_(first), stagnation_(conjugate ? 5 : 1) {}

  /// Returns the status before the first cycle: solved only if the residual is exactly 0.
  [[nodiscard]] StepStatus start() const {
    return first_ == 0.0 ? StepStatus::solved : StepStatus::unsolved;
  }
  /// Returns the status after a change other than a cycle, such as setting the mean.
  /// @param residual  the residual norm after it
  StepStatus begin(double residual) {
    last_ = residual;
    return residual <= allowed_ ? StepStatus::solved : StepStatus::unsolved;
  }
  /// Returns the status after a cycle.
  /// @param residual  the residual norm after it
  StepStatus next(double residual) {
    ++cycles_;
    // The first cycle may be full multigrid, which reduces the error rather than the residual;
    // StagnationDetector therefore never counts it.
    bool const stagnates = stagnation_.add(residual);
    last_ = residual;
    if (residual <= allowed_) return StepStatus::solved;
    return !stagnates && cycles_ < max_cycles ? StepStatus::unsolved : StepStatus::stalled;
  }

  /// The residual norms before any cycle and at the last call, and the number of cycles.
  [[nodiscard]] double first() const { return first_; }
  [[nodiscard]] double last() const { return last_; }
  [[nodiscard]] int cycles() const { return cycles_; }

 private:
  static constexpr int max_cycles = 100;  ///< a bound; eight are usually enough

  double allowed_;  ///< the residual at which the system is solved
  double first_;
  double last_;
  StagnationDetector stagnation_;
  int cycles_ = 0;
};

/// Returns the rounding floor of a step's residual: the largest one that rounding alone explains.
///
/// Storing the exact solution rounds each value by up to half a unit in the last place. The weights
/// of a point and its neighbours sum to at most two, so this leaves up to two half units. The
/// arithmetic of a float64 field, and the rounding when corrections are added, leave some more.
/// @param largest  the largest absolute value of the field
inline double step_rounding_floor(Precision precision, double largest) {
  constexpr double roundings = 16.0;  // half units
  return roundings * half_unit(precision) * largest;
}

}  // namespace isotherm
