#include "solver/problem/time_steps.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/core/text.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

namespace {

/// Relative difference of two times that a few roundings explain.
constexpr double few_roundings = 4.0 * std::numeric_limits<double>::epsilon();

/// Returns true if `steps` steps lead from one time to the other, up to rounding.
bool fits(double step_s, double steps, double begin_s, double end_s) {
  return std::abs(steps * step_s - (end_s - begin_s)) <= few_roundings * end_s;
}

/// Lays out one segment after the other.
class Layout {
 public:
  Layout(TimesWanted const& wanted, TimePosition const& from)
      : wanted_(wanted), iteration_(from.iteration), time_s_(from.time_s) {
    // A begun segment whose steps are longer than now allowed is abandoned.
    if (!from.segment) return;
    double const longest_s = longest_before(from.segment->begin_s);
    if (from.segment->step_s <= longest_s) begun_ = from.segment;
  }

  /// Returns all segments, beginning with the one that the run is in. Call it only once.
  /// @throws SettingError  as lay_out() does
  std::vector<TimeSegment> segments() {
    check_end();
    std::vector<double> times = wanted_.met_s;
    for (StepsUntil const& part : wanted_.parts) times.push_back(part.until_s);
    std::ranges::sort(times);
    if (wanted_.end_s) times.push_back(*wanted_.end_s);
    // Times up to the run's position are in the past.
    std::erase_if(times, [&](double time_s) {
      return time_s <= time_s_ || (time_s_ > 0.0 && same_time(time_s, time_s_));
    });
    std::optional<double> const next = times.empty() ? std::nullopt : std::optional(times.front());
    if (!begun_) begun_ = legacy_segment(next);
    continue_segment(next);
    for (double const time_s : times) {
      if (!wanted_.end_s && iteration_ >= wanted_.maximum) break;
      // Equal times in the list need one segment only.
      if (time_s > time_s_) add_up_to(time_s);
    }
    // After the last requested time, steps of Δt follow without end.
    bool const ends = !laid_out_.empty() && laid_out_.back().last == TimeSegment::endless;
    if (!wanted_.end_s && !ends) laid_out_.push_back({iteration_, time_s_, wanted_.step_s});
    if (laid_out_.empty()) laid_out_.push_back({iteration_, time_s_, wanted_.step_s});
    return std::move(laid_out_);
  }

 private:
  /// Refuses an end that needs more steps than can be counted.
  void check_end() const {
    if (!wanted_.end_s) return;
    double const ratio = steps_to_end();
    // Each output time may cost an additional step.
    if (ratio + static_cast<double>(wanted_.met_s.size()) < static_cast<double>(wanted_.maximum)) {
      return;
    }
    throw SettingError("end_time", "is " + shortest(*wanted_.end_s) + ", which needs " +
                                       shortest(ratio) + " time steps of " +
                                       shortest(wanted_.step_s) + " (too many to count)");
  }

  /// Returns the number of steps from the run's position to its end, which may be a fraction.
  [[nodiscard]] double steps_to_end() const {
    double count = 0.0;
    double from_s = time_s_;
    for (StepsUntil const& part : wanted_.parts) {
      count += std::max(0.0, part.until_s - from_s) / part.step_s;
      from_s = std::max(from_s, part.until_s);
    }
    return count + std::max(0.0, *wanted_.end_s - from_s) / wanted_.step_s;
  }

  /// Returns the wanted length of the steps that follow a time.
  [[nodiscard]] double wanted_step_after(double time_s) const {
    for (StepsUntil const& part : wanted_.parts) {
      if (time_s < part.until_s && !same_time(time_s, part.until_s)) return part.step_s;
    }
    return wanted_.step_s;
  }

  /// Returns the maximum length that steps after a time may keep from those before them.
  [[nodiscard]] double longest_before(double time_s) const {
    constexpr double rounding = 1e-9;
    return std::min(wanted_step_after(time_s) * (1.0 + rounding), wanted_.longest_s);
  }

  /// Restores the segment of files that did not store one. They were written by versions with a
  /// single step length, so all steps had the length Δt if the time confirms it.
  [[nodiscard]] std::optional<TimeSegment> legacy_segment(std::optional<double> next) const {
    double const step_s = wanted_.step_s;
    if (iteration_ == 0 || static_cast<double>(iteration_) * step_s != time_s_) return {};
    TimeSegment segment{.step_s = step_s};
    if (!next) return segment;
    double const steps = std::rint(*next / step_s);
    if (steps > static_cast<double>(iteration_) && fits(step_s, steps, 0.0, *next)) {
      segment.last = static_cast<std::int64_t>(steps);
      segment.end_s = *next;
    }
    return segment;
  }

  /// Lays out the segment that the run is in: to its end if that is the next requested time, else
  /// up to the run's position.
  void continue_segment(std::optional<double> next) {
    if (!begun_) return;
    TimeSegment segment = *begun_;
    bool const has_end = segment.last != TimeSegment::endless;
    // The end is the same, or both are endless with the same step.
    bool const same_end = next ? has_end && segment.end_s == *next
                               : !has_end && segment.step_s == wanted_.step_s && !wanted_.end_s;
    // The begun segment continues to its end.
    if (same_end && segment.last > iteration_) {
      iteration_ = segment.last;
      time_s_ = segment.end_s;
    } else if (segment.first < iteration_) {
      // Another end is requested, so the segment ends at the run's position.
      segment.last = iteration_;
      segment.end_s = time_s_;
    } else {
      return;
    }
    laid_out_.push_back(segment);
  }

  /// Lays out a segment up to a requested time.
  void add_up_to(double time_s) {
    double const wanted_s = wanted_step_after(time_s_);
    TimeSegment segment{iteration_, time_s_, wanted_s};
    double const count = count_to(time_s, wanted_s);
    double const before_s = laid_out_.empty() ? 0.0 : laid_out_.back().step_s;
    // A list of step lengths determines them without regard to the steps before.
    bool const as_before =
        wanted_.parts.empty() && before_s > 0.0 && before_s <= longest_before(time_s_);
    // Exactly Δt if it fits, else the previous length if that fits, else an equal division.
    if (!fits(wanted_s, count, time_s_, time_s)) {
      segment.step_s = as_before && fits(before_s, count, time_s_, time_s)
                           ? before_s
                           : (time_s - time_s_) / count;
    }
    segment.last = iteration_ += static_cast<std::int64_t>(count);
    segment.end_s = time_s_ = time_s;
    laid_out_.push_back(segment);
  }

  /// Returns the number of steps to a requested time: the least that keeps steps within Δt, and one
  /// more if rounding would make them longer than the longest stable step.
  [[nodiscard]] double count_to(double time_s, double wanted_s) const {
    constexpr double rounding = 1e-9;
    double const length_s = time_s - time_s_;
    double const ratio = length_s / wanted_s;
    double const nearest = std::rint(ratio);
    bool const whole = std::abs(ratio - nearest) < rounding * ratio && nearest >= 1.0;
    // A time beyond the end of a run of counted steps need not be reached, so the bound is
    // harmless.
    constexpr double maximum = 2.0 * static_cast<double>(max_iterations);
    double const count = std::min(whole ? nearest : std::ceil(ratio), maximum);
    bool const is_exact = fits(wanted_s, count, time_s_, time_s);
    // An equal division may exceed the stable limit by rounding.
    return is_exact || length_s / count <= wanted_.longest_s ? count : count + 1.0;
  }

  TimesWanted const& wanted_;
  std::int64_t iteration_;              ///< end of the steps that are laid out
  double time_s_;                       ///< the time there
  std::optional<TimeSegment> begun_{};  ///< the segment that the run is in
  std::vector<TimeSegment> laid_out_{};
};

/// Returns the time of an iteration of a segment; at its end, the requested time itself.
double time_within(TimeSegment const& segment, std::int64_t iteration) {
  if (iteration == segment.last) return segment.end_s;
  return segment.begin_s + static_cast<double>(iteration - segment.first) * segment.step_s;
}

/// Returns the first segment that ends at `iteration` or later.
auto ending_from(std::vector<TimeSegment> const& segments, std::int64_t iteration) {
  return std::ranges::lower_bound(segments, iteration, {}, &TimeSegment::last);
}

/// Returns the first segment that ends after `iteration`.
auto ending_after(std::vector<TimeSegment> const& segments, std::int64_t iteration) {
  return std::ranges::upper_bound(segments, iteration, {}, &TimeSegment::last);
}

}  // namespace

bool is_sound(TimePosition const& position) {
  auto const& [iteration, time_s, segment] = position;
  if (iteration < 0 || !std::isfinite(time_s) || time_s < 0.0) return false;
  if (!segment) return true;
  auto const& [first, begin_s, step_s, last, end_s] = *segment;
  bool const ordered = 0 <= first && first <= iteration && iteration <= last && 0.0 <= begin_s &&
                       begin_s <= time_s && time_s <= end_s;
  if (!ordered || !std::isfinite(step_s) || step_s <= 0.0) return false;
  constexpr double rounding = 1e-9;  // of times computed in a different order
  auto const leads_to = [&](std::int64_t there, double at_s) {
    double const reached_s = begin_s + static_cast<double>(there - first) * step_s;
    return std::abs(reached_s - at_s) <= rounding * std::abs(at_s);
  };
  return leads_to(iteration, time_s) && (last == TimeSegment::endless || leads_to(last, end_s));
}

double TimeSteps::time_of(std::int64_t iteration) const {
  return time_within(leading_to(iteration), iteration);
}

double TimeSteps::step_after(std::int64_t iteration) const {
  auto const found = ending_after(segments_, iteration);
  return found == segments_.end() ? segments_.back().step_s : found->step_s;
}

TimeSegment const& TimeSteps::leading_to(std::int64_t iteration) const {
  auto const found = ending_from(segments_, iteration);
  return found == segments_.end() ? segments_.back() : *found;
}

std::int64_t TimeSteps::next_end(std::int64_t iteration) const {
  auto const found = ending_after(segments_, iteration);
  return found == segments_.end() ? TimeSegment::endless : found->last;
}

bool TimeSteps::ends_at(std::int64_t iteration) const {
  auto const found = ending_from(segments_, iteration);
  return found != segments_.end() && found->last == iteration && iteration != TimeSegment::endless;
}

std::pair<double, double> TimeSteps::lengths_between(std::int64_t from, std::int64_t limit) const {
  double minimum = step_after(from);
  double maximum = minimum;
  for (auto at = ending_after(segments_, from); at != segments_.end() && at->first < limit; ++at) {
    minimum = std::min(minimum, at->step_s);
    maximum = std::max(maximum, at->step_s);
  }
  return {minimum, maximum};
}

TimeSteps lay_out(TimesWanted const& wanted, TimePosition const& from) {
  return TimeSteps(Layout(wanted, from).segments());
}

void lay_out_steps(MethodSettings& method) {
  lay_out_steps(method, {.time_s = method.start_time_s});
}

void lay_out_steps(MethodSettings& method, TimePosition const& from) {
  // Without an end, the number of iterations is the run's length.
  TimesWanted wanted{method.time_step_s, method.longest_step_s, method.times_s, method.end_time_s,
                     method.step_parts};
  wanted.maximum = method.end_time_s ? max_iterations : method.iterations;
  method.time_steps = lay_out(wanted, from);
  if (!method.end_time_s) return;
  // Nothing is left to do if the end has been passed already.
  std::int64_t const last = method.time_steps.segments().back().last;
  method.iterations = last == TimeSegment::endless ? from.iteration : last;
}

std::pair<double, double> step_lengths(MethodSettings const& method) {
  TimeSteps const steps = time_steps_of(method);
  return steps.lengths_between(steps.segments().front().first, method.iterations);
}

TimeSteps time_steps_of(MethodSettings const& method) {
  if (!method.time_steps.empty()) return method.time_steps;
  return TimeSteps({TimeSegment{.begin_s = method.start_time_s, .step_s = method.time_step_s}});
}

bool same_time(double a_s, double b_s) {
  constexpr double rounding = 1e-12;
  return std::abs(a_s - b_s) <= rounding * std::max(std::abs(a_s), std::abs(b_s));
}

}  // namespace isotherm
