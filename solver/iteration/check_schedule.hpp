#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

namespace isotherm {

/// The extent of the next pass on the way to a target iteration.
struct Stretch {
  std::int64_t end = 0;  ///< the iteration that the pass may reach at most
  /// The check that the pass may cross, if any. The sweep after the check measures its residual; it
  /// is the last sweep of the pass and ends at `end`.
  std::optional<std::int64_t> check{};
};

/// Schedules the checks: residuals are measured by the sweeps that follow the iterations 0,
/// `every`, 2 `every` and so forth. The schedule depends on the iteration only, so a resumed run
/// has the same checks.
class CheckSchedule {
 public:
  /// @param every  iterations between checks; 0: never
  explicit CheckSchedule(std::int64_t every) : every_(every) {}

  /// Returns the number of iterations between checks; 0 if there are none.
  [[nodiscard]] std::int64_t every() const { return every_; }

  /// Returns the first check at or after `iteration`; the largest integer if there are no checks.
  [[nodiscard]] std::int64_t next_check(std::int64_t iteration) const {
    if (every_ == 0) return std::numeric_limits<std::int64_t>::max();
    std::int64_t const past = iteration % every_;
    return past == 0 ? iteration : iteration + (every_ - past);
  }

  /// Returns the number of checks at or after `iteration` and before `end`.
  [[nodiscard]] std::int64_t checks_between(std::int64_t iteration, std::int64_t end) const {
    std::int64_t const first = next_check(iteration);
    return first >= end ? 0 : (end - first - 1) / every_ + 1;
  }

  /// Returns how far the next pass from `iteration` may go towards `target`, with at most `longest`
  /// steps. It ends at the next check, or, if it can reach further, one step beyond it: the
  /// measuring sweep must be the last of its pass.
  [[nodiscard]] Stretch next(std::int64_t iteration, std::int64_t target,
                             std::int64_t longest) const {
    std::int64_t const check = next_check(iteration);
    if (check < target && check < iteration + longest) return {check + 1, check};
    return {std::min(target, check), std::nullopt};
  }

 private:
  std::int64_t every_;
};

}  // namespace isotherm
