#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace isotherm {

/// Consecutive time steps of one length, between two output times.
struct TimeSegment {
  /// The last iteration of a segment without an end.
  static constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();

  std::int64_t first = 0;                                  ///< the iteration at which it begins
  double begin_s = 0.0;                                    ///< the time at which it begins
  double step_s = 0.0;                                     ///< length of its steps
  std::int64_t last = endless;                             ///< the iteration at which it ends …
  double end_s = std::numeric_limits<double>::infinity();  ///< … with exactly this time

  bool operator==(TimeSegment const&) const = default;
};

/// The position of a run that is to be resumed.
struct TimePosition {
  std::int64_t iteration = 0;            ///< iterations done
  double time_s = 0.0;                   ///< the time they led to
  std::optional<TimeSegment> segment{};  ///< with the step that led there, if it is known
};

/// Returns true if the position is consistent: its numbers are finite and ordered, and the steps of
/// its segment lead to its time up to rounding. Positions from files are checked by it.
[[nodiscard]] bool is_sound(TimePosition const& position);

/// The time steps of a run: the length of each, and the time it leads to. Times are computed from
/// the begin of their segment, so they do not depend on interruptions of the run. At the end of a
/// segment the time is exactly the requested one. Queries take O(log n) for n segments.
/// @pre  of all queries: at least one segment
class TimeSteps {
 public:
  TimeSteps() = default;
  /// Makes endless steps of one length from time 0; length 0 for a method without time.
  explicit TimeSteps(double step_s) : segments_{TimeSegment{.step_s = step_s}} {}
  /// @param segments  consecutive segments; each begins at the end of the previous one
  explicit TimeSteps(std::vector<TimeSegment> segments) : segments_(std::move(segments)) {}

  /// True if nothing is laid out.
  [[nodiscard]] bool empty() const { return segments_.empty(); }
  [[nodiscard]] std::vector<TimeSegment> const& segments() const { return segments_; }

  /// Returns the time after this number of steps.
  [[nodiscard]] double time_of(std::int64_t iteration) const;
  /// Returns the length of the step after the iteration; beyond the last segment, that of its
  /// steps.
  [[nodiscard]] double step_after(std::int64_t iteration) const;
  /// Returns the length of the step that led to the iteration; for the first iteration, that of the
  /// first step.
  [[nodiscard]] double step_to(std::int64_t iteration) const {
    return leading_to(iteration).step_s;
  }
  /// Returns the segment with the step that led to the iteration; for the first iteration, the
  /// first segment.
  [[nodiscard]] TimeSegment const& leading_to(std::int64_t iteration) const;
  /// Returns the first later iteration at which a segment ends, or the largest integer.
  [[nodiscard]] std::int64_t next_end(std::int64_t iteration) const;
  /// True if a segment ends at the iteration, so a requested time is met.
  [[nodiscard]] bool ends_at(std::int64_t iteration) const;
  /// Returns the lengths of the shortest and the longest step between two iterations.
  [[nodiscard]] std::pair<double, double> lengths_between(std::int64_t from,
                                                          std::int64_t limit) const;

 private:
  std::vector<TimeSegment> segments_{};
};

/// The requirements on steps that the solver divides to bound their error (StepControl).
struct AdaptiveSteps {
  /// The largest estimated error of a step, in units of u; 0: steps are not divided.
  double tolerance = 0.0;
  double first_s = 0.0;     ///< length of the first step that is tried; 0: the longest
  double shortest_s = 0.0;  ///< no step is shorter; 0: StepControl::shortest_part of the longest

  bool operator==(AdaptiveSteps const&) const = default;
};

/// The divided steps that a run has taken, and the length of the next one.
struct StepState {
  double next_s = 0.0;        ///< length that the next step should have; 0: not known
  std::int64_t accepted = 0;  ///< number of steps
  std::int64_t rejected = 0;  ///< number of attempts that were repeated with a shorter step
  double shortest_s = 0.0;    ///< length of the shortest accepted step; 0 without any
  double longest_s = 0.0;     ///< length of the longest accepted step

  bool operator==(StepState const&) const = default;
};

/// Steps of one length, which a list of step lengths has up to some time.
struct StepsUntil {
  double until_s = 0.0;  ///< the list's next entry holds from here on
  double step_s = 0.0;   ///< length of the steps

  bool operator==(StepsUntil const&) const = default;
};

/// The requirements on the time steps of a run.
struct TimesWanted {
  double step_s = 0.0;  ///< Δt: no step is longer, up to rounding
  /// The longest stable step. No step exceeds it, not even by rounding.
  double longest_s = std::numeric_limits<double>::infinity();
  std::vector<double> met_s{};    ///< output times: a step ends at each; ascending, all positive
  std::optional<double> end_s{};  ///< the run ends there; none: after a number of steps
  /// Step lengths of parts of the run, with ascending times; a step ends at each of them. Beyond
  /// the last one, and if the list is empty, Δt holds.
  std::vector<StepsUntil> parts{};
  std::int64_t maximum = 0;  ///< maximum number of steps; without an end, the run's number
};

/// Lays out the steps that follow `from`. Between two requested times all steps have one length,
/// the largest up to Δt that divides the interval. If Δt divides it up to rounding, the step is
/// exactly Δt. Otherwise, if the previous steps' length does, it is exactly that.
///
/// A run continues the segment it has begun, if that ends at the next requested time. A resumed run
/// therefore takes the same steps as one that never stopped. If other times are requested, they
/// apply after the run's position.
///
///     TimesWanted wanted{.step_s = 0.1, .met_s = {1.0, 2.5}, .end_s = 3.0};
///     wanted.maximum = max_iterations;
///     TimeSteps const steps = lay_out(wanted);   // steps end at exactly 1.0, 2.5 and 3.0
/// @throws SettingError  about end_time, if more than `maximum` steps are needed
TimeSteps lay_out(TimesWanted const& wanted, TimePosition const& from = {});

/// Returns true if two times are equal up to rounding.
[[nodiscard]] bool same_time(double a_s, double b_s);

}  // namespace isotherm
