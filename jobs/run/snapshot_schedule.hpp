#pragma once

#include <cstdint>

#include "jobs/case/case.hpp"

namespace isotherm {

/// When a run writes snapshots, but for the one at its end: after so many iterations, and at the
/// times that its steps have to meet.
class SnapshotSchedule {
 public:
  /// Of a case whose steps are laid out.
  explicit SnapshotSchedule(Case const& chosen);

  /// Of the field that a run begins with.
  [[nodiscard]] bool at_start() const { return at_start_; }
  [[nodiscard]] bool is_due(std::int64_t iteration) const;
  /// The first iteration after this one at which one is due, or `limit` where that is nearer.
  [[nodiscard]] std::int64_t next(std::int64_t iteration, std::int64_t limit) const;
  /// How many are due after `from` and before `limit`.
  [[nodiscard]] std::int64_t count(std::int64_t from, std::int64_t limit) const;

 private:
  [[nodiscard]] bool at_multiple(std::int64_t iteration) const {
    return every_ > 0 && iteration % every_ == 0;
  }

  std::int64_t every_;
  bool at_start_;
  TimeSteps steps_;
};

/// True if `every_minutes` asks for a checkpoint `since_last_s` seconds after the last one.
bool is_due_by_time(CheckpointSettings const& settings, double since_last_s);

/// Multiples of `every`, if that is not 0, after `from` and before `limit`.
std::int64_t multiples_between(std::int64_t every, std::int64_t from, std::int64_t limit);

}  // namespace isotherm
