#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/run/log/run_log.hpp"
#include "app/run/schedule/residual_forecast.hpp"
#include "solver/solver.hpp"

namespace isotherm::app {

/// The present state of a run, as the progress display needs it.
struct ProgressState {
  std::int64_t iteration = 0;
  std::optional<double> reference{};   ///< reference of relative residuals
  std::optional<Residual> residual{};  ///< the last one
  double points_per_second = 0.0;      ///< speed of the last chunk
};

/// The conditions that end a run.
struct Goal {
  std::int64_t limit = 0;  ///< the last iteration
  double tolerance = 0.0;  ///< relative; 0 for none
  RelativeTo relative_to = RelativeTo::field;
  bool may_stop = false;  ///< a `stop` condition may end the run before `limit`
};

/// The number of iterations left, and its certainty.
struct IterationsLeft {
  /// Exact, forecast from residuals, or an upper bound.
  enum class Known { exactly, about, at_most };
  double count = 0.0;
  Known known = Known::exactly;
};

/// Estimates the number of iterations left. Without a tolerance it is exact, or bounded by
/// the limit if the run may stop. With a tolerance it is forecast from the residuals, or if they
/// allow no forecast, bounded by the limit.
IterationsLeft iterations_left(ProgressState const& state, Goal const& goal,
                               std::span<Residual const> history);

/// Returns "about 2:19 min left, 12.3 GCell/s, iteration 500 of at most 20000, residual 1.23e-04,
/// relative 4.50e-06". The most important part comes first, because a narrow terminal shows only
/// the beginning.
std::string progress_text(ProgressState const& state, Goal const& goal, IterationsLeft const& left,
                          double seconds_left);

/// Shows the progress of a run: as a bar if the log has a terminal for it, else as lines at
/// intervals that grow from one second to ten minutes.
class Progress {
 public:
  /// Starts the clock of the run's speed.
  /// @param log    must outlive this object
  /// @param first  iteration at which the run starts
  Progress(RunLog& log, std::int64_t first, Goal goal);

  /// Updates the display.
  /// @param news  residuals since the last call
  void show(ProgressState const& state, std::vector<Residual> const& news);

 private:
  using Clock = std::chrono::steady_clock;

  /// Returns the mean time of an iteration, in seconds.
  [[nodiscard]] double seconds_an_iteration(std::int64_t iteration) const;

  RunLog& log_;
  std::int64_t first_;
  Goal goal_;
  ResidualHistory history_{};  ///< of residuals, or of estimated errors
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_line_ = start_;
  std::chrono::duration<double> interval_{1.0};  ///< between two lines
};

}  // namespace isotherm::app
