#include "app/run/schedule/snapshot_schedule.hpp"

#include <algorithm>

#include "app/run/schedule/chunking.hpp"

// Two schedules are merged: multiples of snapshot_every, and the ends of the segments of time
// steps, which are the output times. With a list of step lengths, segments also end where the
// length changes, without output.

namespace isotherm::app {

SnapshotSchedule::SnapshotSchedule(Case const& chosen)
    : every_(chosen.output.snapshot_every),
      at_start_(every_ > 0 || chosen.output.snapshot_interval_s > 0.0),
      steps_(time_steps_of(chosen.method)) {
  has_other_ends_ = !chosen.method.step_parts.empty();
  if (has_other_ends_) listed_ = chosen.method.times_s;
}

bool SnapshotSchedule::at_output_time(std::int64_t iteration) const {
  if (!steps_.ends_at(iteration)) return false;
  double const time_s = steps_.time_of(iteration);
  return !has_other_ends_ ||
         std::ranges::any_of(listed_, [&](double listed_s) { return same_time(listed_s, time_s); });
}

std::int64_t SnapshotSchedule::next_output_time(std::int64_t iteration) const {
  std::int64_t at = steps_.next_end(iteration);
  while (at != TimeSegment::endless && !at_output_time(at)) at = steps_.next_end(at);
  return at;
}

bool SnapshotSchedule::is_due(std::int64_t iteration) const {
  return at_multiple(iteration) || at_output_time(iteration);
}

std::int64_t SnapshotSchedule::next(std::int64_t iteration, std::int64_t limit) const {
  return std::min(next_multiple(iteration, every_, limit), next_output_time(iteration));
}

std::int64_t SnapshotSchedule::count(std::int64_t from, std::int64_t limit) const {
  std::int64_t count = multiples_between(every_, from, limit);
  // Output times that coincide with a multiple are counted once.
  for (std::int64_t at = next_output_time(from); at < limit; at = next_output_time(at)) {
    count += at_multiple(at) ? 0 : 1;
  }
  return count;
}

bool has_default_checkpoints(Case const& chosen) {
  return chosen.checkpoint.every_minutes > 0.0 && !chosen.said.contains("checkpoint.every") &&
         !chosen.said.contains("checkpoint.every_minutes");
}

bool is_due_by_time(Case const& chosen, double since_last_s, double last_wait_s) {
  constexpr double min_ratio = 50.0;  // of the time between two default checkpoints to the wait
  double const minutes = chosen.checkpoint.every_minutes;
  double const affordable_s = has_default_checkpoints(chosen) ? min_ratio * last_wait_s : 0.0;
  return minutes > 0.0 && since_last_s >= std::max(60.0 * minutes, affordable_s);
}

std::int64_t multiples_between(std::int64_t every, std::int64_t from, std::int64_t limit) {
  // Multiples up to n, not counting 0, are n / every.
  std::int64_t const last = std::max(from, limit - 1);
  return every == 0 ? 0 : last / every - from / every;
}

}  // namespace isotherm::app
