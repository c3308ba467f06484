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

/// What a step of some length is taken with.
template <class Update, class Operator>
struct StepRule {
  Scheme scheme;
  Update update;
  Operator of;
};

/// Whether what a sweep changes is in proportion to what the field lacks of solving its equation.
/// Where it is not, the residual is evaluated by itself.
template <class Update, class Operator>
constexpr bool changes_by_residual =
    !(std::is_same_v<Update, Relax> && differs_between_points<Operator>);

/// The methods that apply one update again and again: passes over a level, and in between the
/// residuals and the decision to stop.
template <class Update, class Operator>
class Iteration final : public Solver {
 public:
  using Real = typename Operator::Real;

  static constexpr bool conducts =
      std::is_same_v<Operator, Conductances<Real, Operator::dimension>>;
  /// From what the error is estimated.
  static constexpr auto changes =
      std::is_same_v<Update, Relax>
          ? (changes_by_residual<Update, Operator> ? ResidualMonitor::Changes::of_sweeps
                                                   : ResidualMonitor::Changes::of_other_sweeps)
          : ResidualMonitor::Changes::in_time;

  using RuleOfStep = std::function<StepRule<Update, Operator>(double step_s)>;

  /// @param rule_of  makes the rule of steps of another length than the plan's scheme has; may be
  ///                 empty where there is no time
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
    if (monitor_.may_stop() && method.relative_to != RelativeTo::first) measure_reference();
    level_.set_initial();
  }

  void advance_to(std::int64_t target) override {
    require(target <= end_, "iteration " + std::to_string(target) +
                                " was asked for, but the run's " + "settings end at " +
                                std::to_string(end_));
    Stopwatch const watch(advancing_s_);
    while (!monitor_.stopped() && !stalled_ && iteration_ < target) {
      take_step_length();
      std::int64_t const alike = std::min(target, steps_.next_end(iteration_));
      plans_.resident() && !monitor_.may_stop() ? advance_past_checks(alike) : advance_once(alike);
    }
    if (iteration_ >= end_) fetch();
  }

  [[nodiscard]] bool converged() const override {
    return monitor_.stopped() || (iteration_ >= end_ && monitor_.within_tolerance());
  }
  [[nodiscard]] bool stalled() const override { return stalled_ && !converged(); }
  [[nodiscard]] std::int64_t iteration() const override { return iteration_; }
  [[nodiscard]] SolverState state() override {
    fetch_residuals();
    return {iteration_,           monitor_.first(), monitor_.last(),
            monitor_.reference(), time_s(),         steps_.leading_to(iteration_),
            monitor_.changes(),   monitor_.range()};
  }
  [[nodiscard]] double time_s() const override { return steps_.time_of(iteration_); }
  std::vector<Residual> take_residuals() override {
    fetch_residuals();
    return monitor_.take();
  }

  [[nodiscard]] AnyFieldView field_view() const override { return level_.field().view(); }
  void read_field(Values values) override { level_.field().read(of_this_precision(values)); }
  void take_field(FieldCopy& copy, Values values) override {
    level_.field().take(copy, of_this_precision(values));
  }
  void restore(ConstValues values, SolverState const& state) override {
    require(state.iteration >= 0 && state.iteration <= end_,
            "a state of iteration " + std::to_string(state.iteration) +
                " cannot be restored: the run's settings go from 0 to " + std::to_string(end_));
    level_.field().write(of_this_precision(values));
    go_on_from(state);
  }
  void set_initial(ConstValues values) override {
    level_.field().write(of_this_precision(values));
    go_on_from({});
    level_.set_boundary(time_s());
  }
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
  [[nodiscard]] SolverTimes times() const override {
    double const halo_s = level_.halo().seconds();
    double const reduction_s = monitor_.seconds();
    return {std::max(0.0, advancing_s_ - halo_s - reduction_s), halo_s, reduction_s};
  }
  [[nodiscard]] Queue& queue() override { return queue_; }

 private:
  /// By a sweep of the field that is constant but for its boundary values.
  void measure_reference() {
    double const level = level_.set_constant();
    Change* const change = monitor_.measure(queue_, 0);
    if (plans_.resident()) {
      level_.pass_resident(update_, 1, {change, 1, 1, 1});
    } else {
      sweep(plans_.at_most(1), change);
    }
    monitor_.measured(queue_);
    monitor_.take_as_reference(conducts ? 0.0 : rounding_of_sweep(precision_of<Real>, level));
  }
  void fetch_residuals() {
    Stopwatch const watch(advancing_s_);
    fetch();
  }
  /// Of a field that is no longer finite the cause is told where it is known.
  void fetch() {
    if (varies_in_time_) level_.check_varying();
    monitor_.fetch();
  }
  void go_on_from(SolverState const& state) {
    level_.forget_faults();
    iteration_ = state.iteration;
    monitor_.restore(state);
    stalled_ = false;
  }
  /// Whether steps have come to the end of the precision: what they change is rounding at every
  /// point, and falls no more. Then the error is what rounding leaves.
  bool has_reached_rounding() {
    if (!monitor_.stagnates()) return false;
    double const half_unit = precision_of<Real> == Precision::float32 ? 0x1p-24 : 0x1p-53;
    double const change = monitor_.largest_change() * (steps_.empty() ? 1.0 : step_s_);
    double const rounding = half_unit * monitor_.measure_range().magnitude();
    if (change > rounding) return false;
    monitor_.take_rounding_floor(16.0 * rounding);
    return true;
  }

  /// The rule of the next step, where that is of another length than the last.
  void take_step_length() {
    double const step_s = steps_.step_after(iteration_);
    if (step_s == step_s_) return;
    StepRule<Update, Operator> const rule = rule_of_(step_s);
    step_s_ = step_s;
    update_ = rule.update;
    level_.set_operator(rule.of, rule.scheme, time_s());
    monitor_.set_factor(rule.scheme.residual_factor, tells_residual(step_s));
  }
  /// The change in a step is rounded to the field's precision, whatever the length of the step.
  [[nodiscard]] bool tells_residual(double step_s) const {
    constexpr double least_part = precision_of<Real> == Precision::float32 ? 0.5 : 1e-3;
    return step_s >= least_part * longest_step_s_;
  }

  /// One pass, or, where the tolerance has been reached, all passes to the check that says so.
  void advance_once(std::int64_t target) {
    // A residual that is evaluated by itself is that of the field before the whole pass.
    std::int64_t const longest = changes_by_residual<Update, Operator> ? longest_pass() : 1;
    Stretch const stretch = schedule_.next(iteration_, target, longest);
    if (stretch.check) fetch();
    bool const reached = stretch.check && monitor_.within_tolerance();
    bool const stagnates =
        stretch.check && !reached && monitor_.may_stop() && has_reached_rounding();
    if (reached || stagnates) {
      while (iteration_ < *stretch.check) pass(steps_towards(*stretch.check), nullptr);
      stalled_ = !monitor_.within_tolerance();
      if (!stalled_) monitor_.stop();
      return;
    }
    std::int64_t const steps = steps_towards(stretch.end);
    if (stretch.check && iteration_ + steps == stretch.end) {
      pass(steps, monitor_.measure(queue_, *stretch.check));
      monitor_.measured(queue_);
    } else {
      pass(steps, nullptr);
    }
  }

  /// One pass of a resident grid with many checks in it, of which none can end the run.
  void advance_past_checks(std::int64_t target) {
    monitor_.fetch();
    auto const checks = static_cast<int>(std::min<std::int64_t>(
        schedule_.checks_between(iteration_, target), ResidualMonitor::most_pending));
    if (checks == 0) return pass_resident(target - iteration_, {});
    std::int64_t const first = schedule_.next_check(iteration_);
    std::int64_t const end = std::min(target, first + checks * schedule_.every());
    pass_resident(end - iteration_, {monitor_.measure(queue_, first, checks),
                                     first + 1 - iteration_, schedule_.every(), checks});
    monitor_.measured(queue_);
  }

  /// Steps that a pass takes where enough are left. A resident grid takes any number; with two
  /// passes from check to check the one is under way while the host fetches the last residual.
  [[nodiscard]] std::int64_t longest_pass() const {
    if (!plans_.resident()) return plans_.full().steps;
    return schedule_.every() > 0 ? (schedule_.every() + 1) / 2 : end_;
  }
  /// Steps of the next pass on the way to iteration `end`.
  [[nodiscard]] std::int64_t steps_towards(std::int64_t end) const {
    std::int64_t const left = end - iteration_;
    return plans_.resident() ? std::min(left, longest_pass()) : plans_.at_most(left).steps;
  }

  /// Enqueues `steps` steps, as many as steps_towards() said.
  void pass(std::int64_t steps, Change* change) {
    delays_.sleep();
    if (plans_.resident()) {
      return pass_resident(
          steps, change != nullptr ? MeasuredSteps{change, steps, 1, 1} : MeasuredSteps{});
    }
    SweepPlan const& plan = plans_.at_most(steps);
    require(plan.steps == steps, "a pass takes other steps than were counted");
    level_.set_varying_source(time_s());
    sweep(plan, change);
    iteration_ += steps;
    level_.set_varying_boundary(time_s());
  }

  void sweep(SweepPlan const& plan, Change* change) {
    if constexpr (changes_by_residual<Update, Operator>) {
      level_.pass(update_, plan, change);
    } else {
      if (change != nullptr) level_.measure(change);
      level_.pass(update_, plan, change != nullptr ? monitor_.beside() : nullptr);
      if (change != nullptr) monitor_.measured_beside(1.0);
    }
  }

  /// Nothing that a resident grid is swept with depends on the time.
  void pass_resident(std::int64_t steps, MeasuredSteps const& measured) {
    level_.pass_resident(update_, steps, measured);
    iteration_ += steps;
  }

  static std::span<Real> of_this_precision(Values values) { return span_of<Real>(values); }
  static std::span<Real const> of_this_precision(ConstValues values) {
    return span_of<Real const>(values);
  }

  mpi::Communicator ranks_;
  RandomDelays delays_;  // before what takes memory, as it may be refused
  Problem problem_;
  std::int64_t end_;
  bool varies_in_time_;
  TimeSteps steps_;
  double longest_step_s_;  ///< of the run; 0 without time
  double step_s_;          ///< of the steps that update and operator are for
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
