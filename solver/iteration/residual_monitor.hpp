#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "kernels/core/precision.hpp"
#include "kernels/multigrid/value_range.hpp"
#include "kernels/sweep/reduce.hpp"
#include "solver/discretise/scheme.hpp"
#include "solver/iteration/check_schedule.hpp"
#include "solver/iteration/error_estimate.hpp"
#include "solver/iteration/solver_interface.hpp"
#include "solver/problem/conditions.hpp"
#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// Measures residuals in the sweeps that follow the checks. It fetches them one check later, or
/// many at a time if no decision depends on them. It estimates the error of the field from the
/// changes of the iteration, and decides whether the tolerance is reached.
///
/// measure(), the sweep, and measured() only enqueue work. fetch() waits for a sweep that lies a
/// whole check interval back, so the device never runs out of work.
class ResidualMonitor {
 public:
  /// The changes from which the error is estimated.
  enum class Changes {
    of_cycles,            ///< corrections of cycles, measured in addition to the residual
    of_conjugate_cycles,  ///< the same for conjugate gradients
    of_sweeps,            ///< changes of the sweep that measures the residual
    of_other_sweeps,      ///< changes of a sweep, measured in addition to the residual
    in_time,              ///< the residual itself, which is u_t
    of_time_steps         ///< changes of a time step, measured in addition to the residual
  };

  /// What the monitor measures.
  struct Subject {
    /// Precision of the field. Values are known to half a unit in the last place of the largest
    /// one: no estimate of the error is smaller, and no change of a sweep or a time step.
    Precision precision;
    Changes changes;
    double factor;          ///< residual = factor · change, see Scheme
    std::int64_t unknowns;  ///< of the whole grid
    /// Returns the range of this rank's values of the field.
    std::function<ValueRange()> range;
  };

  /// @param ranks  must outlive the monitor
  /// @param settings  the stopping criteria, the checks and the time steps
  ResidualMonitor(mpi::Communicator const& ranks, Queue& queue, MethodSettings settings,
                  Subject subject);

  /// Sets the function that finds the error of the field, see ErrorCheck; its argument is `enough`.
  void set_check(std::function<std::optional<double>(double)> check) { check_ = std::move(check); }

  /// Sets a bound on the error: the norm of the error is at most `bound` times that of the
  /// residual. None: errors are only estimated from changes.
  void set_error_bound(std::optional<double> bound) { error_bound_ = bound; }

  /// Sets the width of the range that errors are relative to if that of the field is larger, which
  /// then is far from the solution.
  void set_largest_width(double width) { largest_width_ = width; }

  /// Sets the factor of later measurements, for steps of another length.
  /// @param decides  false for steps so short that their change is mostly rounding. Their residuals
  ///                 are reported, but neither end the run nor serve as a reference.
  void set_factor(double factor, bool decides = true) {
    factor_ = factor;
    decides_ = decides;
  }

  /// Maximum number of residuals that are measured before they are fetched.
  static constexpr int max_pending = 64;
  /// Returns an upper bound on the bytes that it allocates, see Buffer::footprint.
  static std::size_t footprint(Backend backend) {
    return ChangeReader::footprint(backend, max_pending + 1);
  }
  /// True if a residual may end the run, so that it has to be known before later ones are measured.
  [[nodiscard]] bool may_stop() const {
    return settings_.tolerance > 0.0 || settings_.absolute_tolerance > 0.0;
  }

  /// Enqueues clearing the accumulators for the sweeps that follow `iteration` and the next `count`
  /// − 1 checks. Returns the first of the accumulators of their changes, which are contiguous.
  /// @pre  All residuals measured before have been fetched.
  Change* measure(Queue& queue, std::int64_t iteration, int count = 1);
  /// Returns the accumulator of the additional change of a single residual. @pre  measure() with a
  /// count of 1 has been called.
  [[nodiscard]] Change* beside() const { return reader_.device() + pending_; }
  /// Announces that this change has been accumulated. It will be multiplied by `factor` and has a
  /// gain (see ChangeSample). Without this call the residual has no change.
  void measured_additional(double factor, double gain = 0.0);
  /// Enqueues fetching what measure() announced.
  void measured(Queue& queue);

  /// Adds the change that led to the field of the newest residual, after the residual is known;
  /// instead of measured_additional(). Collective.
  void add_change(Change const& change, double factor, double gain);
  /// Begins a run with the residual of the initial field, which is known already.
  void begin_with(double residual);

  /// Waits for the measured residuals, if any are not known yet. Collective.
  /// @throws Error  on every rank, if the field is no longer finite, or the squares of a residual
  ///                that decides are beyond float64
  void fetch();
  /// True if the newest known residual that decides, or the error that is estimated from it, is
  /// within the tolerance.
  [[nodiscard]] bool within_tolerance() const {
    return first_ && claims_convergence(settings_, newest());
  }
  /// Returns true if the field is within the tolerance and the check does not find a larger error.
  /// If it does, later estimates are multiplied by the ratio of both until the number of iterations
  /// has doubled. Collective.
  /// @param iteration  of the present field
  /// @param is_last    the run ends here: a field whose earlier claim was refuted is checked, too,
  ///                   and the state remains that of a run that continues
  /// @param at_floor   iterations change nothing but rounding: the check decides if there is no
  ///                   estimate
  bool confirms(std::int64_t iteration, bool is_last = false, bool at_floor = false);
  /// The last claim that was refuted.
  [[nodiscard]] std::optional<Refutation> const& refuted() const { return refuted_; }
  /// The error that the check has found since the newest residual, relative to the range.
  [[nodiscard]] std::optional<double> found_error() const { return found_error_; }
  /// True if the newest residual is exactly 0, so the field is the discrete solution.
  [[nodiscard]] bool is_exact() const { return last_ && last_->value == 0.0; }
  /// True if the newest changes do not fall (ErrorEstimate::stagnates).
  [[nodiscard]] bool stagnates() const { return estimate_.stagnates(); }
  [[nodiscard]] bool stagnates(double share) const { return estimate_.stagnates(share); }
  /// True if the newest changes have exactly the same size (ErrorEstimate::repeats).
  [[nodiscard]] bool repeats() const { return estimate_.repeats(); }
  /// The largest value that the newest change, or residual of a sweep, has at any point.
  [[nodiscard]] double largest_change() const { return largest_change_; }
  /// Sets the error of the newest residual's field to that of rounding. Collective.
  /// @pre  The newest changes are rounding.
  void take_rounding_floor();
  /// Sets the error of the newest residual's field to the size of a correction that was found for
  /// this field, but not added. Collective.
  void take_correction(Change const& correction);
  /// Marks the error of the newest residual's field as unknown: its changes do not show it.
  void forget_error();
  /// Measures how much rounding may change a value of the field: half a unit in the last place of
  /// the largest one. Collective.
  [[nodiscard]] double measure_rounding() { return half_unit_ * measure_range().magnitude(); }

  /// Makes the last measured residual the reference, and forgets everything else. It must be the
  /// residual of the field that is constant except for its boundary values. If it is 0 or mere
  /// rounding, the first residual of the run remains the reference.
  /// @param rounding  bound on the change that rounding makes a sweep add to the constant field
  void take_as_reference(double rounding);
  /// Returns the norm that residuals are relative to, as far as it is known.
  [[nodiscard]] std::optional<double> reference() const {
    bool const first = settings_.relative_to == RelativeTo::first || !reference_;
    return first ? first_ : reference_;
  }
  /// Returns the largest residual that ends the run, as far as it is known.
  [[nodiscard]] double allowed() const { return allowed_residual(settings_, newest()); }

  /// Ends the run, because a check has found that the tolerance is reached.
  void stop() { stopped_ = true; }
  [[nodiscard]] bool stopped() const { return stopped_; }

  /// Returns the residuals fetched since the last call.
  std::vector<Residual> take();
  /// The first and the last of the residuals that may end the run.
  [[nodiscard]] std::optional<double> first() const { return first_; }
  [[nodiscard]] std::optional<Residual> last() const { return last_; }
  [[nodiscard]] std::vector<ChangeSample> const& changes() const { return estimate_.samples(); }
  [[nodiscard]] std::optional<MeasuredRange> range() const {
    return range_ ? std::optional(MeasuredRange{*range_, moved_since_range_, largest_change_})
                  : std::nullopt;
  }
  /// Forgets everything and resumes from `state`.
  void restore(SolverState const& state);
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  /// Whether float64 can represent the squares of a residual's values.
  enum class Squares { sound, too_small, too_large };
  /// A norm over all ranks. If the squares underflow, it is the largest value, which bounds the
  /// norm l2 from above. Only a residual of zero is therefore reported as zero.
  struct Reduced {
    double value = 0.0;
    double largest = 0.0;
    Squares squares = Squares::sound;
  };
  [[nodiscard]] Reduced reduced(Change const& change);
  /// Sets the error of the newest residual's field, unless it is larger than the range. Collective.
  void take_error(double left);
  void add(std::int64_t iteration, Change const& change);
  void add_to_estimate(std::int64_t iteration, Reduced const& change);
  void add_beside(std::int64_t iteration, Change const& measured);
  /// Returns the part of the state on which tolerances depend.
  [[nodiscard]] SolverState newest() const {
    SolverState state{0, first_, last_, reference()};
    state.found_error = found_error_;
    return state;
  }
  [[nodiscard]] bool is_by_cycle() const {
    return changes_ == Changes::of_cycles || changes_ == Changes::of_conjugate_cycles;
  }
  [[nodiscard]] bool is_in_time() const {
    return changes_ == Changes::in_time || changes_ == Changes::of_time_steps;
  }
  /// Returns the change, but no less than half a unit in the last place of the field's values:
  /// rounding may have swallowed it.
  [[nodiscard]] Reduced at_least_rounding(Reduced change);
  /// Measures the range of the field's values now. Collective.
  ValueRange const& measure_range();
  [[nodiscard]] std::optional<double> bounded_error() const;
  void estimate_error();
  /// Sets the estimated error of the newest residual's field. @param range  of the field's values
  void set_error(double error, double range);
  /// Notes that the error that the check has found refutes the estimate, and replaces it.
  void refute(std::int64_t iteration, double range);
  /// Returns the range that errors are relative to. Values that differ by rounding alone are one
  /// value, of which the error is a share.
  [[nodiscard]] double scale_of(ValueRange const& range, double rounding) const {
    return range.width() > rounding ? width_of(range) : range.magnitude();
  }
  [[nodiscard]] double width_of(ValueRange const& range) const {
    return std::min(range.width(), largest_width_);
  }

  mpi::Communicator const* ranks_;
  MethodSettings settings_;
  CheckSchedule schedule_;
  Changes changes_;
  double factor_;                ///< of the next measurement
  double pending_factor_;        ///< of those that are not known yet
  bool decides_ = true;          ///< the next measurement may end the run
  bool pending_decides_ = true;  ///< those that are not known yet may
  TimeSteps steps_;
  std::int64_t unknowns_;
  ChangeReader reader_;
  std::int64_t pending_from_ = 0;              ///< first iteration whose residual is not known yet
  int pending_ = 0;                            ///< number of residuals that are not known yet
  std::optional<double> additional_factor_{};  ///< of the additional change; none: no such change
  double additional_gain_ = 0.0;               ///< ChangeSample::gain of it
  double ratio_ = 0.0;                         ///< of the newest residual to the one before
  double slowest_ = 0.0;                       ///< ChangeSample::slowest
  double half_unit_;                           ///< half a unit in the last place of 1
  ErrorEstimate estimate_;
  std::function<ValueRange()> range_here_;
  std::function<std::optional<double>(double)> check_{};
  std::optional<double> error_bound_{};
  std::optional<Refutation> refuted_{};
  std::optional<double> found_error_{};
  std::int64_t found_at_ = 0;  ///< iteration of the field that has this error
  std::optional<ValueRange> range_{};
  double largest_width_ = std::numeric_limits<double>::infinity();
  std::optional<ValueRange> initial_range_{};  ///< if nothing given makes the solution vary
  double moved_since_range_ = 0.0;  ///< how far a value may have moved since it was measured
  double largest_change_ = 0.0;
  std::optional<double> reference_{};
  std::optional<double> first_{};
  std::optional<Residual> last_{};
  std::vector<Residual> fresh_{};
  bool stopped_ = false;
  double seconds_ = 0.0;
};

/// Returns a bound on the change of a field that is `level` everywhere by a sweep with weights that
/// sum to 1, due to rounding. 0 if the problem has a source or prescribed fluxes, because their
/// small changes accumulate over the sweeps.
inline double rounding_of_sweep(Problem const& problem, Precision precision, double level) {
  if (needs_source_field(problem)) return 0.0;
  return 6.0 * half_unit(precision) * std::abs(level);
}

}  // namespace isotherm
