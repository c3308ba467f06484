#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "jobs/run/run_log.hpp"
#include "solver/solver.hpp"

namespace isotherm {

/// How far a run has come, as progress reports it.
struct Standing {
  std::int64_t iteration = 0;
  std::optional<double> first_residual{};
  std::optional<Residual> residual{};
  double points_per_second = 0.0;  ///< of the last chunk
  double iterations_per_second = 0.0;
};

/// Shows how a run gets on: a bar where there is a terminal for it, else lines at intervals that
/// grow from one second to ten minutes.
class Progress {
 public:
  /// @param tolerance  of the run, relative to the first residual; 0: none
  Progress(RunLog& log, std::int64_t first, std::int64_t limit, double tolerance);

  void show(Standing const& standing);

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] std::string describe(Standing const& standing) const;
  [[nodiscard]] double iterations_left(Standing const& standing) const;
  void learn(Standing const& standing);

  RunLog& log_;
  std::int64_t first_;
  std::int64_t limit_;
  double tolerance_;
  std::optional<Residual> newest_{};
  double decay_ = 0.0;  // of the residual's logarithm, an iteration; 0: not known
  Clock::time_point last_line_ = Clock::now();
  std::chrono::duration<double> interval_{1.0};
};

}  // namespace isotherm
