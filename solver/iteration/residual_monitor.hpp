#pragma once

#include <optional>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "kernels/sweep/reduce.hpp"
#include "solver/iteration/solver_interface.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// Measures residuals in the sweeps that follow the checks, and learns them one check later, or,
/// where nothing depends on them, many at a time.
///
/// measure → sweep → measured enqueue only; learn() waits for a sweep that, at the next check, lies
/// a whole interval of work back, so the device never runs dry.
class ResidualMonitor {
 public:
  /// @param ranks     outlives the monitor
  /// @param factor    residual = factor · change
  /// @param unknowns  of the whole grid
  ResidualMonitor(mpi::Communicator const& ranks, Queue& queue, MethodSettings const& method,
                  double factor, std::int64_t unknowns);

  /// The first check at or after `iteration`, or the largest number where nothing is checked.
  [[nodiscard]] std::int64_t next_check(std::int64_t iteration) const;

  /// As many residuals can be measured before they are learnt.
  static constexpr int most_pending = 64;
  /// Checks at or after `iteration` and before `end`, but at most most_pending.
  [[nodiscard]] int checks_between(std::int64_t iteration, std::int64_t end) const;
  /// True where no residual ends the run, so that later ones may be measured before it is known.
  [[nodiscard]] bool only_records() const { return method_.tolerance <= 0.0; }

  /// Enqueues clearing the accumulators for the sweeps that follow `iteration` and the `count` − 1
  /// checks after it, and returns where they are to accumulate their changes, one behind the other.
  /// The residuals measured before have been learnt.
  Change* measure(Queue& queue, std::int64_t iteration, int count = 1);
  /// Enqueues fetching what measure() announced.
  void measured(Queue& queue);

  /// Waits for the measured residuals, if any are not known yet. Collective.
  /// @throws Error  on every rank, where the field is no longer finite
  void learn();
  /// True where the newest known residual is within the tolerance.
  [[nodiscard]] bool within_tolerance() const;

  /// Residuals learnt since the last call of this function.
  std::vector<Residual> take();
  [[nodiscard]] std::optional<double> first() const { return first_; }
  [[nodiscard]] std::optional<Residual> last() const { return last_; }
  /// Forgets everything, then goes on from what `state` knows.
  void restore(SolverState const& state);
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  [[nodiscard]] double reduced(Change const& change);
  void learn(std::int64_t iteration, Change const& change);

  mpi::Communicator const* ranks_;
  MethodSettings method_;
  double factor_;
  std::int64_t unknowns_;
  ChangeReader reader_;
  std::int64_t pending_from_ = 0;  ///< first iteration whose residual is not known yet
  int pending_ = 0;                ///< how many there are
  std::optional<double> first_{};
  std::optional<Residual> last_{};
  std::vector<Residual> fresh_{};
  double seconds_ = 0.0;
};

}  // namespace isotherm
