#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/core/stopwatch.hpp"
#include "kernels/updates/conducting_rules.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/given_value.hpp"
#include "solver/iteration/check_schedule.hpp"
#include "solver/iteration/residual_monitor.hpp"
#include "solver/iteration/solver_interface.hpp"
#include "solver/iteration/solver_plan.hpp"
#include "solver/level/level.hpp"
#include "solver/level/random_delays.hpp"

namespace isotherm {

/// The coefficients of steps of one length: scheme, update and operator.
template <class Update, class Operator>
struct StepRule {
  Scheme scheme;
  Update update;
  Operator of;
};

/// True if the change of a sweep is proportional to the residual of the field. Otherwise the
/// residual is evaluated in a pass of its own.
template <class Update, class Operator>
constexpr bool changes_by_residual =
    !(std::is_same_v<Update, Relax> && differs_between_points<Operator>);

/// A stationary iteration or explicit time integration: applies the same update again and again,
/// measures residuals at checks, and decides when to stop.
///
/// Sweeps are enqueued without waiting. A residual is read at the check after the one that measured
/// it, so the device always has work. Several steps may be fused in a pass; a resident grid runs
/// any number of steps in one launch.
template <class Update, class Operator>
class Iteration final : public Solver {
 public:
  using Real = typename Operator::Real;

  /// True for heterogeneous media whose conductances are fields.
  /// Half a unit in the last place of 1: the relative error of rounding to the field's precision.
  static constexpr double half_unit = precision_of<Real> == Precision::float32 ? 0x1p-24 : 0x1p-53;
  static constexpr bool conducts =
      std::is_same_v<Operator, Conductances<Real, Operator::dimension>>;
  /// The changes from which the error is estimated.
  static constexpr auto changes =
      std::is_same_v<Update, Relax>
          ? (changes_by_residual<Update, Operator> ? ResidualMonitor::Changes::of_sweeps
                                                   : ResidualMonitor::Changes::of_other_sweeps)
          : ResidualMonitor::Changes::in_time;

  /// Makes the coefficients of steps of the length `step_s`.
  using RuleOfStep = std::function<StepRule<Update, Operator>(double step_s)>;

  /// Allocates the level, sets boundary and initial values, and measures the reference residual.
  /// Collective.
  /// @param rule_of  makes the coefficients of steps whose length differs from the plan's; may be
  ///                 empty for a method without time
  /// @throws ValueRefusal  on every rank, if a value is not finite or the source is incompatible
  Iteration(mpi::Communicator const& ranks, Problem const& problem, MethodSettings const& method,
            SolverPlan const& plan, Update const& update, Operator const& of, RuleOfStep rule_of)
      : ranks_(ranks.get()),
        delays_(ranks_),
        problem_(problem),
        end_(method.iterations),
        varies_in_time_(varies_in_time(problem)),
        steps_(time_steps_of(method)),
        longest_step_s_(steps_.empty() ? 0.0 : steps_.lengths_between(0, end_).second),
        step_s_(plan.scheme.time_step_s),
        rule_of_(std::move(rule_of)),
        plans_(plan.passes),
        update_(update),
        queue_(plan.execution.backend, plan.execution.device),
        level_(ranks_, problem_, plan.subdomain, queue_, of, plan.scheme, plans_.full().steps,
               plan.execution.transport),
        schedule_(method.check_every),
        monitor_(ranks_, queue_, schedule_, criterion_of(method), changes,
                 plan.scheme.residual_factor, steps_, level_.unknowns()),
        range_meter_(queue_),
        remark_(level_.make_compatible(plan.scheme.residual_factor)) {
    monitor_.set_range([this, ambient = ambient_range(problem_, plan.subdomain)] {
      ValueRange range = range_meter_.measure(queue_, std::as_const(level_).field().view(),
                                              level_.subdomain().owned(), level_.links());
      range.add(ambient);
      return range;
    });
    // Residuals relative to the first one need no other reference.
    monitor_.set_half_unit(half_unit);
    if (monitor_.may_stop() && method.relative_to != RelativeTo::first) measure_reference();
    level_.set_initial();
  }

  void advance_to(std::int64_t target) override {
    require(target <= end_, "iteration " + std::to_string(target) +
                                " was asked for, but the run's " + "settings end at " +
                                std::to_string(end_));
    Stopwatch const watch(advancing_s_);
    while (!monitor_.stopped() && !stalled_ && iteration_ < target) {
      // A pass never crosses a change of the step length, nor a time that has to be met.
      take_step_length();
      std::int64_t const alike = std::min(target, steps_.next_end(iteration_));
      plans_.resident() && !monitor_.may_stop() ? advance_past_checks(alike) : advance_once(alike);
    }
    // At the end of the run the residual of the last check is read, too.
    if (iteration_ < end_) return;
    fetch();
    if (!monitor_.stopped() && monitor_.confirms(iteration_, true)) monitor_.stop();
  }

  [[nodiscard]] bool converged() const override {
    return monitor_.stopped() || (iteration_ >= end_ && monitor_.within_tolerance());
  }
  [[nodiscard]] bool stalled() const override { return stalled_ && !converged(); }
  [[nodiscard]] std::int64_t iteration() const override { return iteration_; }
  [[nodiscard]] SolverState state() override {
    fetch_residuals();
    return {iteration_,         monitor_.first(),
            monitor_.last(),    monitor_.reference(),
            time_s(),           steps_.leading_to(iteration_),
            monitor_.changes(), monitor_.range(),
            monitor_.refuted(), monitor_.found_error()};
  }
  [[nodiscard]] double time_s() const override { return steps_.time_of(iteration_); }
  std::vector<Residual> take_residuals() override {
    fetch_residuals();
    return monitor_.take();
  }

  [[nodiscard]] AnyFieldView field_view() const override { return level_.field().view(); }
  /// The values may be copied while later passes are enqueued.
  void read_field(Values values) override { level_.field().read(of_this_precision(values)); }
  void take_field(FieldCopy& copy, Values values) override {
    level_.field().take(copy, of_this_precision(values));
  }
  /// Resumes from stored values; boundary values are part of them.
  void restore(ConstValues values, SolverState const& state) override {
    require(state.iteration >= 0 && state.iteration <= end_,
            "a state of iteration " + std::to_string(state.iteration) +
                " cannot be restored: the run's settings go from 0 to " + std::to_string(end_));
    level_.field().write(of_this_precision(values));
    go_on_from(state);
  }
  /// Starts anew from given values; boundary values are set again.
  void set_initial(ConstValues values) override {
    level_.field().write(of_this_precision(values));
    go_on_from({});
    level_.set_boundary(time_s());
  }
  void check_claims_by(ErrorCheck check) override {
    if (!check) return monitor_.set_check({});
    monitor_.set_check(
        [this, check = std::move(check)](double enough) { return check(ranks_, *this, enough); });
  }
  /// Evaluates the source f at the field's time.
  void read_source(Values values) override {
    evaluate_owned(level_.subdomain(), problem_.source, time_s(), of_this_precision(values));
  }

  void wait() override {
    Stopwatch const watch(advancing_s_);
    queue_.wait();
  }

  [[nodiscard]] Subdomain const& subdomain() const override { return level_.subdomain(); }
  [[nodiscard]] SweepPlan const& plan() const override { return plans_.full(); }
  [[nodiscard]] std::string remark() const override { return remark_; }
  [[nodiscard]] std::string transport_name() const override {
    return level_.halo().transport_name();
  }
  /// Computation is the time in advance_to() and wait() that neither halos nor reductions need.
  [[nodiscard]] SolverTimes times() const override {
    double const halo_s = level_.halo().seconds();
    double const reduction_s = monitor_.seconds();
    return {std::max(0.0, advancing_s_ - halo_s - reduction_s), halo_s, reduction_s};
  }
  [[nodiscard]] Queue& queue() override { return queue_; }

 private:
  /// Measures the residual of the field that is constant except for its boundary values, by a sweep
  /// of it. The initial values are set afterwards.
  void measure_reference() {
    double const level = level_.set_constant();
    Change* const change = monitor_.measure(queue_, 0);
    if (plans_.resident()) {
      level_.pass_resident(update_, 1, {change, 1, 1, 1});
    } else {
      sweep(plans_.at_most(1), change);
    }
    monitor_.measured(queue_);
    monitor_.take_as_reference(conducts ? 0.0
                                        : rounding_of_sweep(problem_, precision_of<Real>, level));
  }
  /// Reads pending residuals; the time counts as the solver's.
  void fetch_residuals() {
    Stopwatch const watch(advancing_s_);
    fetch();
  }
  /// Reads pending residuals. A value that was not finite when it was set is reported first, since
  /// it is the cause of a residual that is not.
  void fetch() {
    if (varies_in_time_) level_.check_varying();
    monitor_.fetch();
  }
  /// Resumes from a state; {} starts anew.
  void go_on_from(SolverState const& state) {
    level_.forget_faults();
    iteration_ = state.iteration;
    monitor_.restore(state);
    stalled_ = false;
  }
  /// Returns true if iterations have reached the precision of the field: changes stagnate and are
  /// mere rounding at every point. The remaining error is then that of rounding. Collective.
  bool has_reached_rounding() {
    if (varies_in_time_ || !monitor_.stagnates()) return false;
    // In time, the measured change is a rate.
    double const change = monitor_.largest_change() * (steps_.empty() ? 1.0 : measured_step_s_);
    double const rounding = half_unit * monitor_.measure_range().magnitude();
    // One unit in the last place may come and go.
    if (change > 2.0 * rounding) return false;
    // An allowance for the error that rounding leaves in the solution.
    monitor_.take_rounding_floor(16.0 * rounding);
    return true;
  }

  /// Sets the coefficients of the next step if its length differs from the last one's.
  void take_step_length() {
    double const step_s = steps_.step_after(iteration_);
    if (step_s == step_s_) return;
    StepRule<Update, Operator> const rule = rule_of_(step_s);
    step_s_ = step_s;
    update_ = rule.update;
    level_.set_operator(rule.of, rule.scheme, time_s());
    monitor_.set_factor(rule.scheme.residual_factor, tells_residual(step_s));
  }
  /// Returns true if a step is long enough for its change to be more than rounding, so its residual
  /// may end the run. The change is rounded to the field's precision, however short the step is.
  [[nodiscard]] bool tells_residual(double step_s) const {
    constexpr double least_part = precision_of<Real> == Precision::float32 ? 0.5 : 1e-3;
    return step_s >= least_part * longest_step_s_;
  }

  /// Runs one pass. If the tolerance has been reached, runs all passes to the check that reports
  /// it, so every decomposition and caller stops at the same iteration. The error of that field is
  /// checked.
  void advance_once(std::int64_t target) {
    // A residual evaluated in its own pass belongs to the field before the whole pass.
    std::int64_t const longest = changes_by_residual<Update, Operator> ? longest_pass() : 1;
    Stretch const stretch = schedule_.next(iteration_, target, longest);
    // The residual of the previous check is needed now.
    if (stretch.check) fetch();
    bool const reached = stretch.check && monitor_.within_tolerance();
    bool const stagnates =
        stretch.check && !reached && monitor_.may_stop() && has_reached_rounding();
    if (reached || stagnates) {
      // The residual of the previous check has just been read and ends the run here.
      while (iteration_ < *stretch.check) pass(steps_towards(*stretch.check), nullptr);
      // After a refuted claim the run continues, unless no later iteration changes the field.
      bool const confirmed =
          monitor_.confirms(iteration_) || (stagnates && monitor_.confirms(iteration_, true));
      if (confirmed) monitor_.stop();
      stalled_ = !confirmed && (stagnates || monitor_.is_exact());
      return;
    }
    std::int64_t const steps = steps_towards(stretch.end);
    // The last sweep of this pass measures the residual of the check.
    if (stretch.check && iteration_ + steps == stretch.end) {
      if (tells_residual(step_s_)) measured_step_s_ = step_s_;
      pass(steps, monitor_.measure(queue_, *stretch.check));
      monitor_.measured(queue_);
    } else {
      pass(steps, nullptr);
    }
  }

  /// Runs one launch of a resident grid across many checks, none of which can end the run.
  void advance_past_checks(std::int64_t target) {
    monitor_.fetch();
    // At most as many checks as the monitor can hold.
    auto const checks = static_cast<int>(std::min<std::int64_t>(
        schedule_.checks_between(iteration_, target), ResidualMonitor::most_pending));
    if (checks == 0) return pass_resident(target - iteration_, {});
    std::int64_t const first = schedule_.next_check(iteration_);
    // The launch ends at the check after those, or at the target.
    std::int64_t const end = std::min(target, first + checks * schedule_.every());
    pass_resident(end - iteration_, {monitor_.measure(queue_, first, checks),
                                     first + 1 - iteration_, schedule_.every(), checks});
    monitor_.measured(queue_);
  }

  /// Returns the maximum number of steps of a pass. A resident grid could run any number. Two
  /// passes between checks keep the device busy while the host reads the last residual.
  [[nodiscard]] std::int64_t longest_pass() const {
    if (!plans_.resident()) return plans_.full().steps;
    return schedule_.every() > 0 ? (schedule_.every() + 1) / 2 : end_;
  }
  /// Returns the number of steps of the next pass towards iteration `end`.
  [[nodiscard]] std::int64_t steps_towards(std::int64_t end) const {
    std::int64_t const left = end - iteration_;
    return plans_.resident() ? std::min(left, longest_pass()) : plans_.at_most(left).steps;
  }

  /// Enqueues `steps` steps; the number comes from steps_towards().
  void pass(std::int64_t steps, Change* change) {
    delays_.sleep();
    if (plans_.resident()) {
      return pass_resident(
          steps, change != nullptr ? MeasuredSteps{change, steps, 1, 1} : MeasuredSteps{});
    }
    SweepPlan const& plan = plans_.at_most(steps);
    require(plan.steps == steps, "a pass takes other steps than were counted");
    // Sources are those at the begin of a step, boundary values those at its end.
    level_.set_varying_source(time_s());
    sweep(plan, change);
    iteration_ += steps;
    level_.set_varying_boundary(time_s());
  }

  /// Enqueues a pass. Without proportional changes, the residual is evaluated before it, and the
  /// changes of the last sweep are measured for the error estimate.
  void sweep(SweepPlan const& plan, Change* change) {
    if constexpr (changes_by_residual<Update, Operator>) {
      level_.pass(update_, plan, change);
    } else {
      if (change != nullptr) level_.measure(change);
      level_.pass(update_, plan, change != nullptr ? monitor_.beside() : nullptr);
      if (change != nullptr) monitor_.measured_beside(1.0);
    }
  }

  /// Enqueues a launch of a resident grid. Nothing it depends on varies in time.
  void pass_resident(std::int64_t steps, MeasuredSteps const& measured) {
    level_.pass_resident(update_, steps, measured);
    iteration_ += steps;
  }

  /// Returns the values as a span of the field's precision.
  static std::span<Real> of_this_precision(Values values) { return span_of<Real>(values); }
  static std::span<Real const> of_this_precision(ConstValues values) {
    return span_of<Real const>(values);
  }

  mpi::Communicator ranks_;
  RandomDelays delays_;  // before members that allocate, because its constructor may throw
  Problem problem_;
  std::int64_t end_;     ///< the last iteration of the run
  bool varies_in_time_;  ///< a boundary value or the source does
  TimeSteps steps_;
  double longest_step_s_;         ///< of the run; 0 without time
  double step_s_;                 ///< of the steps that `update_` and the operator belong to
  double measured_step_s_ = 0.0;  ///< of the step that measured the newest residual that decides
  RuleOfStep rule_of_;
  PassPlans plans_;
  Update update_;
  Queue queue_;
  Level<Operator> level_;
  CheckSchedule schedule_;
  ResidualMonitor monitor_;
  RangeMeter range_meter_;
  std::string remark_;
  bool stalled_ = false;
  std::int64_t iteration_ = 0;
  double advancing_s_ = 0.0;
};

}  // namespace isotherm
