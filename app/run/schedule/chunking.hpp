#pragma once

#include <cstdint>

// Chunks of iterations. Between two chunks the run checks for signals, time limits and output that
// is due; within a chunk it does not communicate for that purpose. A chunk is long enough (0.5 s)
// to make these checks cheap, and short enough to answer a signal soon.

namespace isotherm::app {

/// Divides a run into chunks of approximately half a second.
///
/// A chunk ends at an event, or at an iteration at which the solver ends a pass over memory in any
/// case. So chunks make no pass shorter, and temporal blocking keeps its full effect. All ranks
/// call the members with the same numbers, so they agree on the chunks without communication.
///
///   Chunking chunking(check_every, solver.plan().steps, 1e6);
///   std::int64_t const target = chunking.next(iteration, next_output);
///   solver.advance_to(target);
///   chunking.adapt(target - iteration, ranks.max(seconds));
class Chunking {
 public:
  /// @param check_every       iterations between two residuals; 0 for none. The iteration after a
  ///                          check always ends a pass
  /// @param steps             iterations of one pass (temporal blocking)
  /// @param iterations_per_s  a first guess of the speed, rather too high than too low
  Chunking(std::int64_t check_every, int steps, double iterations_per_s);

  /// Returns the iteration at which the chunk that starts at `from` ends: from < result <= event.
  /// @param event  the next iteration at which a chunk must end
  [[nodiscard]] std::int64_t next(std::int64_t from, std::int64_t event) const;
  /// Adapts the length of the next chunks to the measured speed.
  /// @param seconds  time that the chunk took on the slowest rank
  void adapt(std::int64_t iterations, double seconds);

 private:
  /// Returns the end of the last pass that ends at `target` or before; at least one pass.
  [[nodiscard]] std::int64_t last_pass_end(std::int64_t from, std::int64_t target) const;

  std::int64_t check_every_;  ///< iterations; 0 for no checks
  std::int64_t steps_;        ///< iterations of a pass, at least 1
  double length_;             ///< of the next chunk, in iterations
};

/// Returns the first multiple of `every` after `iteration`, or `limit` if that is smaller or
/// `every` is 0. Does not overflow, even if `limit` is the largest integer.
/// @pre iteration <= limit
std::int64_t next_multiple(std::int64_t iteration, std::int64_t every, std::int64_t limit);

}  // namespace isotherm::app
