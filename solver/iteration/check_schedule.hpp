#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

namespace isotherm {

/// A stretch of iterations on the way to a target.
struct Stretch {
  std::int64_t end = 0;  ///< how far the next pass may go at most
  /// The check that the pass may reach: what it leaves beyond the check is the sweep that measures
  /// the check's residual, and ends at `end`.
  std::optional<std::int64_t> check{};
};

/// When residuals are measured: by the sweeps that follow the iterations 0, `every`, 2 `every` … .
class CheckSchedule {
 public:
  /// @param every  0: never
  explicit CheckSchedule(std::int64_t every) : every_(every) {}

  [[nodiscard]] std::int64_t every() const { return every_; }

  /// The first check at or after `iteration`, or the largest number where nothing is checked.
  [[nodiscard]] std::int64_t next_check(std::int64_t iteration) const {
    if (every_ == 0) return std::numeric_limits<std::int64_t>::max();
    std::int64_t const past = iteration % every_;
    return past == 0 ? iteration : iteration + (every_ - past);
  }

  /// Checks at or after `iteration` and before `end`.
  [[nodiscard]] std::int64_t checks_between(std::int64_t iteration, std::int64_t end) const {
    std::int64_t const first = next_check(iteration);
    return first >= end ? 0 : (end - first - 1) / every_ + 1;
  }

  /// What the next pass from `iteration`, of at most `longest` steps, may do on the way to
  /// `target`: go up to the next check, or a step beyond it where it reaches so far. The sweep that
  /// measures is the last of its pass.
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
