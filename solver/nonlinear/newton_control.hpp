#pragma once

#include <algorithm>
#include <cmath>

namespace isotherm {

/// The decisions of an inexact Newton iteration: how accurately to solve a linear problem, and
/// which part of its solution to add.
///
///     NewtonControl control;
///     double const tolerance = control.tolerance();           // of the linear problem
///     while (!control.accepts(before, after)) control.shorten();
///     control.next(before, after);
class NewtonControl {
 public:
  /// The residual of a linear problem that is tolerated, relative to that of the nonlinear problem.
  [[nodiscard]] double tolerance() const { return tolerance_; }
  /// The part of the linear problem's solution to add.
  [[nodiscard]] double part() const { return part_; }
  /// True if the newest step has added the whole solution.
  [[nodiscard]] bool was_whole() const { return was_whole_; }

  /// Begins a step. @param longest  the largest part that may be added, up to 1
  void begin(double longest) { part_ = longest; }
  /// True if the norm of the residual falls sufficiently (L. Armijo, 1966); false for NaN.
  [[nodiscard]] bool accepts(double before, double after) const {
    return after <= (1.0 - 1e-4 * part_) * before;
  }
  /// Halves the part, or divides it by 16 if many halvings have not helped.
  /// @returns  false if it is so short already that no part reduces the residual
  [[nodiscard]] bool shorten() {
    constexpr double many = 1.0 / 256.0, shortest = 1e-8;
    part_ *= part_ > many ? 0.5 : 0.0625;
    return part_ >= shortest;
  }
  /// Chooses another part.
  void choose(double part) { part_ = part; }
  /// Ends a step: the next tolerance follows from the ratio of the residuals (S. C. Eisenstat and
  /// H. F. Walker, SIAM J. Sci. Comput. 17, 16, 1996, choice 2). It has an upper bound, since rough
  /// solutions cost more steps than they save.
  void next(double before, double after) {
    double const ratio = before > 0.0 ? after / before : 0.0;
    tolerance_ = std::clamp(0.9 * ratio * ratio, smallest, largest);
    was_whole_ = part_ == 1.0;
  }

  /// Returns the state between two steps as a number, and restores it: the tolerance, negative if
  /// the newest step was not whole.
  [[nodiscard]] double state() const { return was_whole_ ? tolerance_ : -tolerance_; }
  void restore(double state) {
    bool const is_valid = std::abs(state) >= smallest && std::abs(state) <= largest;
    tolerance_ = is_valid ? std::abs(state) : largest;
    was_whole_ = is_valid && state > 0.0;
  }

 private:
  static constexpr double smallest = 1e-3;
  static constexpr double largest = 1e-2;

  double tolerance_ = largest;
  double part_ = 1.0;
  bool was_whole_ = false;
};

}  // namespace isotherm
