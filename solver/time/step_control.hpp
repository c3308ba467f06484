#pragma once

#include <cstdint>
#include <optional>

#include "solver/problem/breakdown.hpp"
#include "solver/problem/time_steps.hpp"

namespace isotherm {

/// A step that bounds its error: it is taken at once, and again in two halves. The halves are kept.
struct DividedStep {
  double from_s = 0.0;
  double middle_s = 0.0;
  double to_s = 0.0;
  double length_s = 0.0;  ///< to_s − from_s, apart from rounding
};

/// The estimated error of a step in units of u, and the order of the method that took it.
struct StepError {
  double error = 0.0;
  int order = 1;
};

/// Chooses the lengths of time steps such that the estimated error of each is within a tolerance.
///
/// The error is estimated by step doubling: the difference between one step and two half steps,
/// divided by 2^p − 1 for a method of order p (E. Hairer, S. P. Nørsett and G. Wanner, Solving
/// Ordinary Differential Equations I, 1993, section II.4). It needs no earlier steps. So steps
/// depend only on the field and on the length that the step before has proposed.
///
/// The length is that of an interval between two given times, divided by a power of two. So steps
/// end exactly at the end of the interval, and linear systems have few different operators. The
/// controller is that of Hairer et al. with a safety factor of 0.9: the error of a step is
/// proportional to the power p + 1 of its length. A step grows to twice the length if that is
/// expected to be within the tolerance. After an excessive error it shrinks by 2 to 16.
///
///     for (control.begin(from_s, to_s); !control.at_end();) {
///       DividedStep const step = control.step();
///       …                                          // one step, and two half steps
///       if (!control.judge(error, 1)) …            // return to the field before the step
///     }
///
/// All decisions are computed without functions of the C library, so all ranks decide alike.
class StepControl {
 public:
  /// The default of AdaptiveSteps::shortest_s, relative to the interval.
  static constexpr double shortest_part = 0x1p-40;

  explicit StepControl(AdaptiveSteps const& settings) : settings_(settings) { restore({}); }

  /// Begins an interval.
  void begin(double from_s, double to_s);
  /// True if the steps of the interval are done.
  [[nodiscard]] bool at_end() const { return position_ == std::int64_t{1} << level_; }
  /// Returns the step to take next.
  [[nodiscard]] DividedStep step() const;
  /// Accepts or rejects the step, and chooses the length of the next one.
  /// @param error  the estimate; may be infinite or NaN
  /// @param order  p
  /// @returns  true if the step is accepted
  /// @throws NotConverged  if the step would have to be shorter than the shortest one
  [[nodiscard]] bool judge(double error, int order);
  /// Rejects a step whose systems could not be solved. The next one has half the length.
  /// @throws NotConverged  with the reason, if the step would be too short
  void reject(NotConverged const& reason);

  /// Returns the length of the first step in an interval, if it began now.
  [[nodiscard]] double first_length(double from_s, double to_s) const;
  [[nodiscard]] StepState const& state() const { return state_; }
  /// Continues from a state; {} is the start of a run.
  void restore(StepState const& state);

 private:
  /// Returns how often an interval may be halved.
  [[nodiscard]] int deepest_level(double interval_s, double to_s) const;
  /// Returns how often the interval is halved so that steps are at most as long as proposed.
  [[nodiscard]] int level_for(double interval_s, int deepest) const;
  /// Returns the time after this number of steps of a level.
  [[nodiscard]] double time_at(std::int64_t position, int level) const;
  /// Counts the step, and chooses the length of the next one.
  void accept(bool may_double);
  /// Halves the step up to `levels` times.
  void shorten(int levels);
  /// True if the step cannot be halved.
  [[nodiscard]] bool is_shortest() const { return level_ >= deepest_; }

  AdaptiveSteps settings_;
  StepState state_{};
  double from_s_ = 0.0;
  double to_s_ = 0.0;
  int level_ = 0;              ///< a step is the interval divided by 2^level
  int deepest_ = 0;            ///< the largest level
  std::int64_t position_ = 1;  ///< number of steps of that length from the begin of the interval
};

/// Takes the steps of an interval. `steps` has these functions, all of them collective:
///
///     steps.store_start();            // keeps the field before a step
///     StepError const error = steps.attempt(step);   // takes a DividedStep
///     steps.undo(step);               // returns to the field before it
///     steps.accepted(step);           // after each step but the last one
/// @throws NotConverged  on every rank, if a step would be too short
template <class Steps>
void take_divided_steps(StepControl& control, double from_s, double to_s, Steps& steps) {
  for (control.begin(from_s, to_s); !control.at_end();) {
    DividedStep const step = control.step();
    steps.store_start();
    std::optional<StepError> found;
    try {
      found = steps.attempt(step);
    } catch (NotConverged const& failure) {
      control.reject(failure);
    }
    if (!found || !control.judge(found->error, found->order)) {
      steps.undo(step);
    } else if (!control.at_end()) {
      steps.accepted(step);
    }
  }
}

}  // namespace isotherm
