#pragma once

#include <cstddef>
#include <vector>

#include "kernels/core/queue.hpp"

namespace isotherm {

/// How long a queue works on a field, and on each level of its corrections. Each change from one to
/// another is an event on the queue, so work is not waited for before seconds() asks.
class LevelClock {
 public:
  /// Starts; what is enqueued belongs to the field.
  LevelClock(Queue& queue, std::size_t levels);

  /// What is enqueued from now on belongs to the field.
  void enter_field() { enter(0); }
  /// … to a level, [0] the finest.
  void enter_level(std::size_t level) { enter(level + 1); }

  /// Waits for the work so far. @returns  seconds since the start: the field's, then each level's
  [[nodiscard]] std::vector<double> seconds();

 private:
  struct Change {
    std::size_t to;  ///< 0: the field, n + 1: level n
    Event event;
  };
  void enter(std::size_t part);

  Queue* queue_;
  std::size_t parts_;
  std::vector<Change> changes_{};
};

}  // namespace isotherm
