#pragma once

#include <cstddef>
#include <vector>

#include "kernels/core/queue/queue.hpp"

namespace isotherm {

/// Measures the time that a queue spends on the field and on each level of its corrections. Each
/// change between them records an event on the queue, so nothing waits until seconds() is called.
///
///     LevelClock clock(queue, levels);
///     clock.enter_level(0);                               // then enqueue work of the finest level
///     std::vector<double> const seconds = clock.seconds();   // [0]: field, [n + 1]: level n
class LevelClock {
 public:
  /// Starts the clock with the field. `queue` must outlive the clock.
  LevelClock(Queue& queue, std::size_t levels);

  /// Attributes what is enqueued from now on to the field.
  void enter_field() { enter(0); }
  /// Attributes what is enqueued from now on to a level; level 0 is the finest.
  void enter_level(std::size_t level) { enter(level + 1); }

  /// Waits for the work enqueued up to now.
  /// @returns  seconds since the start: the field's, then each level's
  [[nodiscard]] std::vector<double> seconds();

 private:
  /// An event at which another part begins.
  struct Change {
    std::size_t to;  ///< 0: the field, n + 1: level n
    Event event;
  };
  /// Records an event if the part changes.
  void enter(std::size_t part);

  Queue* queue_;
  std::size_t parts_;              ///< the field and all levels
  std::vector<Change> changes_{};  ///< in the order of the queue
};

}  // namespace isotherm
