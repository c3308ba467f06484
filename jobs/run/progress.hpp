#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "jobs/run/residual_forecast.hpp"
#include "jobs/run/run_log.hpp"
#include "solver/solver.hpp"

namespace isotherm {

/// How far a run has come, as progress reports it.
struct ProgressState {
  std::int64_t iteration = 0;
  std::optional<double> reference{};  ///< what residuals are relative to
  std::optional<Residual> residual{};
  double points_per_second = 0.0;  ///< of the last chunk
};

/// What ends a run.
struct Goal {
  std::int64_t limit = 0;  ///< the last iteration
  double tolerance = 0.0;  ///< relative; 0: none
  RelativeTo relative_to = RelativeTo::field;
};

/// How many iterations are left.
struct IterationsLeft {
  enum class Known { exactly, about, at_most };
  double count = 0.0;
  Known known = Known::exactly;
};

/// All up to the limit; or, of a run that ends at a tolerance, as many as the residuals so far let
/// expect, and where they do not, all up to the limit at most.
IterationsLeft iterations_left(ProgressState const& state, Goal const& goal,
                               std::span<Residual const> history);

/// "about 2:19 min left, 12.3 GCell/s, iteration 500 of at most 20000, residual 1.23e-04,
/// relative 4.50e-06": what matters most comes first, as a terminal may show the beginning only.
std::string progress_text(ProgressState const& state, Goal const& goal, IterationsLeft const& left,
                          double seconds_left);

/// Shows how a run gets on: a bar where there is a terminal for it, else lines at intervals that
/// grow from one second to ten minutes.
class Progress {
 public:
  /// @param first  the iteration at which the run starts
  Progress(RunLog& log, std::int64_t first, Goal goal);

  /// @param news  residuals that came since the last call
  void show(ProgressState const& state, std::vector<Residual> const& news);

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] double seconds_an_iteration(std::int64_t iteration) const;

  RunLog& log_;
  std::int64_t first_;
  Goal goal_;
  ResidualHistory history_{};
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_line_ = start_;
  std::chrono::duration<double> interval_{1.0};
};

}  // namespace isotherm
