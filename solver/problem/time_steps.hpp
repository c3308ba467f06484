#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace isotherm {

/// Steps in time of one length, from a time to the next one that a step has to end at.
struct TimeSegment {
  static constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();

  std::int64_t first = 0;  ///< the iteration at which it begins
  double begin_s = 0.0;
  double step_s = 0.0;
  std::int64_t last = endless;                             ///< the iteration at which it ends …
  double end_s = std::numeric_limits<double>::infinity();  ///< … with exactly this time

  bool operator==(TimeSegment const&) const = default;
};

/// Where a run stands that is to be gone on with.
struct TimePosition {
  std::int64_t iteration = 0;
  double time_s = 0.0;
  std::optional<TimeSegment> segment{};  ///< of the step that led there, as far as it is known
};

/// Whether a run that has kept to its segment can stand there.
[[nodiscard]] bool is_sound(TimePosition const& position);

/// The steps of a run in time: how long each is, and which time it leads to. Times are made from
/// the begin of their segment, so they do not depend on where a run was interrupted; at a segment's
/// end the time is the one that was asked for, to the bit.
class TimeSteps {
 public:
  TimeSteps() = default;
  /// All of one length, from time 0; of length 0 for a method without time.
  explicit TimeSteps(double step_s) : segments_{TimeSegment{.step_s = step_s}} {}
  /// @param segments  each begins where the one before it ends
  explicit TimeSteps(std::vector<TimeSegment> segments) : segments_(std::move(segments)) {}

  /// Nothing is laid out.
  [[nodiscard]] bool empty() const { return segments_.empty(); }
  [[nodiscard]] std::vector<TimeSegment> const& segments() const { return segments_; }

  /// The time after so many steps.
  [[nodiscard]] double time_of(std::int64_t iteration) const;
  /// The length of the step that follows the iteration; beyond the last segment, its steps'.
  [[nodiscard]] double step_after(std::int64_t iteration) const;
  /// The length of the step that led to the iteration; of the first step at the first iteration.
  [[nodiscard]] double step_to(std::int64_t iteration) const {
    return leading_to(iteration).step_s;
  }
  /// The segment with the step that led to the iteration; at the first iteration the first one.
  [[nodiscard]] TimeSegment const& leading_to(std::int64_t iteration) const;
  /// The first iteration after this one at which a segment ends, or the largest number.
  [[nodiscard]] std::int64_t next_end(std::int64_t iteration) const;
  /// Whether a segment ends there, and so a time is met.
  [[nodiscard]] bool ends_at(std::int64_t iteration) const;
  /// The lengths of the shortest and of the longest step between two iterations.
  [[nodiscard]] std::pair<double, double> lengths_between(std::int64_t from,
                                                          std::int64_t limit) const;

 private:
  std::vector<TimeSegment> segments_{};
};

/// What is asked of the steps of a run.
struct TimesWanted {
  double step_s = 0.0;  ///< Δt: no step is longer, but for rounding
  double longest_s = std::numeric_limits<double>::infinity();  ///< nor, in spite of rounding, than
                                                               ///< this: the largest stable one
  std::vector<double> met_s{};    ///< a step ends at each of these; rising, all above 0
  std::optional<double> end_s{};  ///< the run ends there; none: after a number of steps
  std::int64_t most = 0;          ///< steps that may be counted; where there is no end, the run's
};

/// Lays out the steps from `from` on: between two times that are met the steps are of one length,
/// the largest up to Δt of which a whole number fits. Where Δt fits but for rounding it is Δt to
/// the bit, else where the length of the steps before fits, it is that.
///
/// A segment that a run has begun it goes on with where that ends at the next time to be met; so a
/// run that is resumed takes the steps of one that never stopped. Where other times are asked for,
/// these count from the place on where the run stands.
/// @throws SettingError  of end_time, where these are more than `most` steps
TimeSteps lay_out(TimesWanted const& wanted, TimePosition const& from = {});

/// Whether two times, or a time and a later one, are the same but for rounding.
[[nodiscard]] bool same_time(double a_s, double b_s);

}  // namespace isotherm
