#pragma once

#include <cstdint>

namespace isotherm {

/// Cuts a run into chunks of about half a second, between which it looks at signals and clocks.
/// Chunks end where the solver ends a pass over memory anyway, so they cost no shorter passes. All
/// ranks give it the same numbers and so take the same chunks.
class Chunking {
 public:
  /// @param check_every         iterations between residuals, 0: none. The iteration after a check
  ///                            always ends a pass
  /// @param steps               iterations in one pass
  /// @param iterations_per_s    a first guess, rather above what the machine does
  Chunking(std::int64_t check_every, int steps, double iterations_per_s);

  /// The iteration at which the chunk that starts at `from` ends; `event`, where a chunk must end,
  /// is the latest. from < result <= event.
  [[nodiscard]] std::int64_t next(std::int64_t from, std::int64_t event) const;
  /// Adapts the length of chunks to the time that one took on the slowest rank.
  void adapt(std::int64_t iterations, double seconds);

 private:
  [[nodiscard]] std::int64_t last_pass_end(std::int64_t from, std::int64_t target) const;

  std::int64_t check_every_;
  std::int64_t steps_;
  double length_;  // iterations
};

/// The first multiple of `every` after `iteration`, or `limit` where that is nearer or every is 0.
std::int64_t next_multiple(std::int64_t iteration, std::int64_t every, std::int64_t limit);

}  // namespace isotherm
