#pragma once

#include <cstdint>

#include "case/case.hpp"

namespace isotherm::app {

/// The iterations at which a run writes snapshots, except the final field: every n iterations, and
/// at output times that the time steps meet exactly. All ranks have the same schedule.
///
///   SnapshotSchedule const schedule(chosen);
///   for (auto i = schedule.next(0, limit); i < limit; i = schedule.next(i, limit)) …
class SnapshotSchedule {
 public:
  /// @param chosen  a case whose time steps are laid out
  explicit SnapshotSchedule(Case const& chosen);

  /// Returns true if the field that a run starts with is written.
  [[nodiscard]] bool at_start() const { return at_start_; }
  /// Returns true if a snapshot is due at this iteration.
  [[nodiscard]] bool is_due(std::int64_t iteration) const;
  /// Returns the first iteration after `iteration` at which a snapshot is due, or `limit` if that
  /// is smaller.
  [[nodiscard]] std::int64_t next(std::int64_t iteration, std::int64_t limit) const;
  /// Returns the number of snapshots due after `from` and before `limit`.
  [[nodiscard]] std::int64_t count(std::int64_t from, std::int64_t limit) const;

 private:
  [[nodiscard]] bool at_multiple(std::int64_t iteration) const {
    return every_ > 0 && iteration % every_ == 0;
  }

  /// Returns true if this iteration ends at an output time.
  [[nodiscard]] bool at_output_time(std::int64_t iteration) const;
  /// Returns the first later iteration that ends at an output time, or the largest integer.
  [[nodiscard]] std::int64_t next_output_time(std::int64_t iteration) const;

  std::int64_t every_;  ///< iterations; 0 for none by count
  bool at_start_;
  TimeSteps steps_;               ///< a segment ends at each output time
  bool has_other_ends_ = false;   ///< segments also end where the step length changes
  std::vector<double> listed_{};  ///< the output times, if so
};

/// Returns true if the run writes checkpoints by time although the case mentions neither `every`
/// nor `every_minutes`. Such checkpoints are omitted if the disk has no room for them, and they
/// take at most a fiftieth of the run's time.
bool has_default_checkpoints(Case const& chosen);

/// Returns true if a checkpoint is due by time, `since_last_s` seconds after the last one. A
/// default checkpoint waits longer if the run had to wait for the last one.
/// @param last_wait_s  seconds that the solver waited for the last checkpoint; 0 before the first
bool is_due_by_time(Case const& chosen, double since_last_s, double last_wait_s = 0.0);

/// Returns the number of multiples of `every` after `from` and before `limit`; 0 if `every` is 0.
std::int64_t multiples_between(std::int64_t every, std::int64_t from, std::int64_t limit);

}  // namespace isotherm::app
