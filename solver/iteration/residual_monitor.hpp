#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "kernels/sweep/reduce.hpp"
#include "solver/discretise/scheme.hpp"
#include "solver/iteration/check_schedule.hpp"
#include "solver/iteration/solver_interface.hpp"
#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// Measures residuals in the sweeps that follow the checks, and fetches them one check later, or,
/// where nothing depends on them, many at a time.
///
/// measure → sweep → measured enqueue only; fetch() waits for a sweep that, at the next check, lies
/// a whole interval of work back, so the device never runs dry.
class ResidualMonitor {
 public:
  /// How residuals are measured and what they may end.
  struct Criterion {
    double tolerance = 0.0;  ///< of the reference; 0: nothing ends the run
    Norm norm = Norm::l2;
    std::optional<double> reference{};  ///< none: the first residual
    double absolute = 0.0;              ///< a residual that is small enough in any case
  };

  /// @param ranks     outlives the monitor
  /// @param factor    residual = factor · change, see Scheme
  /// @param unknowns  of the whole grid
  ResidualMonitor(mpi::Communicator const& ranks, Queue& queue, CheckSchedule const& schedule,
                  Criterion const& criterion, double factor, TimeSteps steps,
                  std::int64_t unknowns);

  /// The factor of what is measured from now on, in steps of another length.
  /// @param decides  of a step that is too short a change is mostly rounding: it is told, and ends
  ///                 no run, nor is anything related to it
  void set_factor(double factor, bool decides = true) {
    factor_ = factor;
    decides_ = decides;
  }

  /// As many residuals can be measured before they are fetched.
  static constexpr int most_pending = 64;
  /// See Buffer::footprint.
  static std::size_t footprint(Backend backend) {
    return ChangeReader::footprint(backend, most_pending);
  }
  /// True where a residual may end the run, so that it has to be known before later ones are
  /// measured.
  [[nodiscard]] bool may_stop() const {
    return criterion_.tolerance > 0.0 || criterion_.absolute > 0.0;
  }

  /// Enqueues clearing the accumulators for the sweeps that follow `iteration` and the `count` − 1
  /// checks after it, and returns where they are to accumulate their changes, one behind the other.
  /// The residuals measured before have been fetched.
  Change* measure(Queue& queue, std::int64_t iteration, int count = 1);
  /// Enqueues fetching what measure() announced.
  void measured(Queue& queue);

  /// Waits for the measured residuals, if any are not known yet. Collective.
  /// @throws Error  on every rank, where the field is no longer finite, or the squares of a
  /// residual
  ///                that decides are beyond float64
  void fetch();
  /// True where the newest known residual that decides is within the tolerance.
  [[nodiscard]] bool within_tolerance() const;

  /// What has been measured last becomes what the tolerance is relative to, and is forgotten: the
  /// residual of a field that is zero but for its boundary values. A field that is the solution
  /// leaves the first residual as the reference.
  void take_as_reference();
  /// The first residual is the reference, whatever was taken before.
  void relate_to_first() { criterion_.reference.reset(); }
  /// What the tolerance is relative to, as far as it is known.
  [[nodiscard]] std::optional<double> reference() const {
    return criterion_.reference ? criterion_.reference : first_;
  }
  /// The largest residual that is within the tolerance, as far as it is known.
  [[nodiscard]] double allowed() const {
    return std::max(criterion_.tolerance * reference().value_or(0.0), criterion_.absolute);
  }

  /// The run ends here, as a check has found the tolerance reached.
  void stop() { stopped_ = true; }
  [[nodiscard]] bool stopped() const { return stopped_; }

  /// Residuals fetched since the last call of this function.
  std::vector<Residual> take();
  /// Of those that decide.
  [[nodiscard]] std::optional<double> first() const { return first_; }
  [[nodiscard]] std::optional<Residual> last() const { return last_; }
  /// Forgets everything, then goes on from what `state` knows.
  void restore(SolverState const& state);
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  /// What float64 makes of the squares of a residual's values.
  enum class Squares { sound, too_small, too_large };
  /// A residual. Where squares vanish it is the largest value, which is no smaller than the norm
  /// l2, so that nothing passes for zero that is not.
  struct Reduced {
    double value;
    Squares squares = Squares::sound;
  };
  [[nodiscard]] Reduced reduced(Change const& change);
  void add(std::int64_t iteration, Change const& change);

  mpi::Communicator const* ranks_;
  CheckSchedule schedule_;
  Criterion criterion_;
  double factor_;          ///< of the next measurement
  double pending_factor_;  ///< of those that are not known yet
  bool decides_ = true;    ///< what is measured next
  bool pending_decides_ = true;
  TimeSteps steps_;
  std::int64_t unknowns_;
  ChangeReader reader_;
  std::int64_t pending_from_ = 0;  ///< first iteration whose residual is not known yet
  int pending_ = 0;                ///< how many there are
  std::optional<double> first_{};
  std::optional<Residual> last_{};
  std::vector<Residual> fresh_{};
  bool stopped_ = false;
  double seconds_ = 0.0;
};

/// What the settings ask for. The reference is not known yet.
inline ResidualMonitor::Criterion criterion_of(MethodSettings const& method) {
  return {method.tolerance, method.norm, {}, method.absolute_tolerance};
}

}  // namespace isotherm
