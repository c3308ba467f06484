#include "app/run/schedule/time_limit.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

#include "case/basics/text/wording.hpp"

// Margin = end of MPI + last checkpoint + current chunk + a rest for summary and launcher. All but
// the rest are measured, with factors for their variation.

namespace isotherm::app {

namespace {

constexpr double slow_disk = 1e8;  // bytes/s, assumed before the first file
constexpr double max_guess_share =
    0.25;  // maximum share of the available time that a guess may reserve
constexpr double write_varies_by = 2.0;  // safety factor: disks are shared, and a picture follows
constexpr double chunk_varies_by = 1.5;  // safety factor
/// Share of the time for summary, log, and the launcher's own end.
constexpr double part_to_end = 0.02;
constexpr double min_to_end_s = 1.0;   // minimum of that
constexpr double max_min_share = 0.1;  // maximum share of the available time that it may reserve
constexpr double max_to_end_s = 30.0;  // maximum of that
constexpr double max_s = 1e9;          // 30 years

/// Parses a finite number of seconds; nothing if the text is anything else.
std::optional<double> seconds_of(std::string_view text) {
  double seconds = 0.0;
  // from_chars() does not depend on the locale.
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  bool const whole = error == std::errc{} && end == text.data() + text.size();
  return whole && std::isfinite(seconds) ? std::optional(seconds) : std::nullopt;
}

/// Returns the end of the SLURM job as a deadline, or nothing, with a warning if the text is
/// unusable.
std::optional<Deadline> end_of_job(char const* text, double now_s,
                                   std::vector<std::string>& warnings) {
  if (text == nullptr) return std::nullopt;
  auto const end_s = seconds_of(text);
  if (end_s && *end_s - now_s > max_s) return std::nullopt;  // an unlimited job
  // A deadline in the past would stop every run at its first chunk.
  if (end_s && *end_s > now_s) return Deadline{*end_s - now_s, "the end of the SLURM job"};
  warnings.push_back(fmt::format(
      "SLURM_JOB_END_TIME=\"{}\" in the environment {}; it is ignored", one_line(text, 40),
      end_s ? "is in the past" : "is not a number of seconds since 1970"));
  return std::nullopt;
}

}  // namespace

std::optional<Deadline> deadline_of(std::optional<double> wall_time_s, char const* slurm_end_time,
                                    double start_s, std::vector<std::string>& warnings) {
  auto job = end_of_job(slurm_end_time, start_s, warnings);
  if (wall_time_s && (!job || *wall_time_s <= job->after_s)) {
    // The case's limit decides if it is the earlier one.
    return Deadline{*wall_time_s, "run.wall_time"};
  }
  return job;
}

/// A guess may not reserve so much that a short run has no time to compute.
TimeLimit::TimeLimit(std::optional<Deadline> deadline, double bytes,
                     std::function<double()> elapsed_s, bool in_background, double launch_s)
    : deadline_(std::move(deadline)),
      pending_field_(in_background ? 1.0 : 0.0),
      first_guess_s_(deadline_ ? std::min(bytes / slow_disk, max_guess_share * deadline_->after_s)
                               : 0.0),
      launch_s_(deadline_ ? std::min(launch_s, max_guess_share * deadline_->after_s) : 0.0),
      elapsed_s_(std::move(elapsed_s)) {}

void TimeLimit::wrote(double seconds) {
  // The maximum rather than the mean: the last checkpoint may be the slowest.
  longest_write_s_ = std::max(longest_write_s_.value_or(0.0), seconds);
}

void TimeLimit::advanced(double seconds) {
  longest_chunk_s_ = std::max(longest_chunk_s_.value_or(0.0), seconds);
}

bool TimeLimit::must_stop() const {
  return deadline_ && longest_chunk_s_ && elapsed_s_() + margin_s() >= deadline_->after_s;
}

double TimeLimit::margin_s() const {
  if (!deadline_) return 0.0;
  // The last checkpoint, and a field before it that may still be written.
  double const write_s = longest_write_s_ ? (write_varies_by + pending_field_) * *longest_write_s_
                                          : (1.0 + pending_field_) * first_guess_s_;
  double const smallest = std::min(min_to_end_s, max_min_share * deadline_->after_s);
  return launch_s_ + write_s + chunk_varies_by * longest_chunk_s_.value_or(0.0) +
         std::clamp(part_to_end * deadline_->after_s, smallest, max_to_end_s);
}

}  // namespace isotherm::app
