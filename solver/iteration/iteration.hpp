#pragma once

#include <algorithm>
#include <functional>
#include <type_traits>
#include <utility>

#include "kernels/core/stopwatch.hpp"
#include "kernels/core/timeline/timeline.hpp"
#include "kernels/updates/heterogeneous_rules.hpp"
#include "solver/discretise/given/given_value.hpp"
#include "solver/iteration/check_schedule.hpp"
#include "solver/iteration/field_solver.hpp"
#include "solver/level/level.hpp"
#include "solver/level/random_delays.hpp"

namespace isotherm {

/// The coefficients of steps of one length: scheme, update and operator.
template <class Update, class Operator>
struct StepRule {
  Scheme scheme;
  Update update;
  Operator op;
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
class Iteration final : public FieldSolver<typename Operator::Real> {
  using Base = FieldSolver<typename Operator::Real>;
  using Base::iteration_, Base::method_, Base::monitor_, Base::plan_, Base::queue_, Base::stalled_;
  using Base::steps_, Base::varies_in_time_;

 public:
  using Real = typename Operator::Real;

  /// True for heterogeneous media whose conductances are fields.
  static constexpr bool heterogeneous =
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
  Iteration(SolverRequest const& request, Update const& update, Operator const& stencil,
            RuleOfStep rule_of)
      : Base(request, changes),
        delays_(Base::ranks_),
        step_s_(plan_.scheme.time_step_s),
        rule_of_(std::move(rule_of)),
        update_(update),
        level_(Base::problem_, Base::space_, stencil, passes().full().steps),
        schedule_(method_.check_every) {
    Base::make_source();
    Base::set_first_boundary();
    make_compatible();
    // A tolerance relative to the first residual needs no other reference.
    if (monitor_.may_stop() && method_.relative_to != RelativeTo::first) {
      auto const evaluated_in = heterogeneous ? std::nullopt : std::optional(precision_of<Real>);
      Base::measure_reference(evaluated_in, [&] { measure_residual(); });
    }
    Base::set_initial_state();
  }

  /// Enqueues passes until the target, the tolerance or stagnation. The host waits only for
  /// residuals that decide, and those lie a check back.
  void advance_to(std::int64_t target) override {
    Base::check_target(target);
    Stopwatch const watch(Base::advancing_s_);
    if (iteration_ == 0 && !monitor_.last() && starts_at_solution()) accept_exact_field();
    while (!monitor_.stopped() && !stalled_ && iteration_ < target) {
      // A pass never crosses a change of the step length or an output time.
      take_step_length();
      std::int64_t const alike = std::min(target, steps_.next_end(iteration_));
      passes().resident() && !monitor_.may_stop() ? advance_past_checks(alike)
                                                  : advance_once(alike);
    }
    // At the end of the run the residual of the last check is read, too.
    if (iteration_ < method_.iterations) return;
    Base::fetch();
    Base::judge_last_field();
  }

  [[nodiscard]] bool converged() const override {
    return monitor_.stopped() || (iteration_ >= method_.iterations && monitor_.within_tolerance());
  }

 private:
  [[nodiscard]] PassPlans const& passes() const { return plan_.passes; }
  [[nodiscard]] DistributedField<Real>& field() override { return level_.field(); }
  [[nodiscard]] DistributedField<Real> const& field() const override { return level_.field(); }
  [[nodiscard]] Links<Real> links() const override { return level_.links(); }

  /// Returns true if the initial field is a constant that solves the steady problem: it equals all
  /// given values, and nothing else makes the solution vary, since the reference residual vanishes.
  /// Sweeps would add rounding to it. Collective.
  bool starts_at_solution() {
    bool const has_reference = monitor_.may_stop() && method_.relative_to != RelativeTo::first;
    if (!has_reference || monitor_.reference() || step_s_ > 0.0) return false;
    ValueRange range = Base::range_meter_.measure(queue_, std::as_const(*this).field().view(),
                                                  Base::subdomain().owned());
    range.add(ambient_range(Base::problem_, Base::subdomain()));
    return Base::ranks_.max(range.largest) == Base::ranks_.min(range.smallest);
  }
  /// Reports a residual of 0 and ends the run.
  void accept_exact_field() {
    (void)monitor_.measure(queue_, 0);
    monitor_.measured(queue_);
    Base::fetch();
    monitor_.stop();
  }
  /// Makes the source of a steady problem compatible with its null space, see FloatingComponents.
  /// Collective.
  void make_compatible() {
    Problem const& problem = Base::problem_;
    if (!Base::source_ || !may_have_null_space(problem)) return;
    FloatingComponents<Real> components(Base::ranks_, problem, Base::subdomain(), queue_);
    Base::remark_ =
        components.make_compatible(Base::source_->field().writable(), plan_.scheme.residual_factor);
  }
  /// Measures the residual of the field by a sweep of it, which is not a step of the run.
  void measure_residual() {
    Change* const change = monitor_.measure(queue_, 0);
    if (passes().resident()) {
      level_.pass_resident(update_, 1, Base::source(), {change, 1, 1, 1});
    } else {
      sweep(passes().at_most(1), change);
    }
    monitor_.measured(queue_);
  }
  /// Returns true if iterations have reached the precision of the field: changes stagnate and are
  /// mere rounding at every point. The remaining error is then that of rounding. Collective.
  bool has_reached_rounding() {
    if (varies_in_time_ || !monitor_.stagnates()) return false;
    // In time, the measured change is a rate.
    constexpr bool in_time = changes == ResidualMonitor::Changes::in_time;
    double const change = monitor_.largest_change() * (in_time ? measured_step_s_ : 1.0);
    // One unit in the last place may come and go. A relaxation also rounds the terms of a row.
    constexpr double roundings = in_time ? 2.0 : 8.0;
    if (change > roundings * monitor_.measure_rounding()) return false;
    monitor_.take_rounding_floor();
    return true;
  }

  /// Sets the coefficients of the next step if its length differs from the last one's.
  void take_step_length() {
    double const step_s = steps_.step_after(iteration_);
    if (step_s == step_s_) return;
    StepRule<Update, Operator> const rule = rule_of_(step_s);
    step_s_ = step_s;
    update_ = rule.update;
    level_.set_operator(rule.op);
    Base::set_scheme(rule.scheme);
    // Only the residual of a step that is long enough may end the run.
    monitor_.set_factor(rule.scheme.residual_factor, Base::change_exceeds_rounding(step_s));
  }

  /// Runs one pass. If the tolerance has been reached, runs all passes to the check that reports
  /// it, so every decomposition and caller stops at the same iteration. The error of that field is
  /// checked.
  void advance_once(std::int64_t target) {
    // A residual evaluated in its own pass belongs to the field before the whole pass.
    std::int64_t const longest = changes_by_residual<Update, Operator> ? longest_pass() : 1;
    Stretch const stretch = schedule_.next(iteration_, target, longest);
    // The residual of the previous check is needed now.
    if (stretch.check) Base::fetch();
    bool const reached = stretch.check && monitor_.within_tolerance();
    bool const stagnates =
        stretch.check && !reached && monitor_.may_stop() && has_reached_rounding();
    if (reached || stagnates) {
      // The residual of the previous check has just been read and ends the run here.
      while (iteration_ < *stretch.check) pass(steps_towards(*stretch.check), nullptr);
      return Base::judge(reached, stagnates);
    }
    std::int64_t const steps = steps_towards(stretch.end);
    // The last sweep of this pass measures the residual of the check.
    if (stretch.check && iteration_ + steps == stretch.end) {
      if (Base::change_exceeds_rounding(step_s_)) measured_step_s_ = step_s_;
      pass(steps, monitor_.measure(queue_, *stretch.check));
      monitor_.measured(queue_);
    } else {
      pass(steps, nullptr);
    }
  }

  /// Runs one launch of a resident grid across many checks, none of which can end the run.
  void advance_past_checks(std::int64_t target) {
    monitor_.fetch();
    // The monitor bounds the number of pending checks.
    auto const checks = static_cast<int>(std::min<std::int64_t>(
        schedule_.checks_between(iteration_, target), ResidualMonitor::max_pending));
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
    if (!passes().resident()) return passes().full().steps;
    return schedule_.every() > 0 ? (schedule_.every() + 1) / 2 : method_.iterations;
  }
  /// Returns the number of steps of the next pass towards iteration `end`.
  [[nodiscard]] std::int64_t steps_towards(std::int64_t end) const {
    std::int64_t const left = end - iteration_;
    return passes().resident() ? std::min(left, longest_pass()) : passes().at_most(left).steps;
  }

  /// Enqueues `steps` steps; the number comes from steps_towards().
  void pass(std::int64_t steps, Change* change) {
    delays_.sleep();
    if (passes().resident()) {
      return pass_resident(
          steps, change != nullptr ? MeasuredSteps{change, steps, 1, 1} : MeasuredSteps{});
    }
    SweepPlan const& plan = passes().at_most(steps);
    require(plan.steps == steps, "a pass takes another number of steps than planned");
    // Sources are those at the begin of a step, boundary values those at its end.
    Base::set_source_time(Base::time_s());
    sweep(plan, change);
    iteration_ += steps;
    Base::set_varying_boundary(Base::time_s());
  }

  /// Enqueues a pass. Without proportional changes, the residual is evaluated before it, and the
  /// changes of the last sweep are measured for the error estimate.
  void sweep(SweepPlan const& plan, Change* change) {
    TimelineScope const scope("pass", queue_);
    if constexpr (changes_by_residual<Update, Operator>) {
      level_.pass(update_, plan, source_of(plan), change);
    } else {
      if (change != nullptr) level_.measure(Base::source(), change);
      level_.pass(update_, plan, source_of(plan), change != nullptr ? monitor_.beside() : nullptr);
      if (change != nullptr) monitor_.measured_additional(1.0);
    }
  }

  /// Returns the source as a pass of a kernel variant reads it: fused steps need its halo.
  [[nodiscard]] FieldView<Real const> source_of(SweepPlan const& plan) {
    return Base::source_ && plan.steps > 1 ? Base::source_->field().with_halo() : Base::source();
  }

  /// Enqueues a launch of a resident grid. Nothing it depends on varies in time.
  void pass_resident(std::int64_t steps, MeasuredSteps const& measured) {
    TimelineScope const scope("pass", queue_);
    level_.pass_resident(update_, steps, Base::source(), measured);
    iteration_ += steps;
  }

  RandomDelays delays_;           // before the level allocates, because its constructor may throw
  double step_s_;                 ///< of the steps that `update_` and the operator belong to
  double measured_step_s_ = 0.0;  ///< of the step that measured the newest residual that decides
  RuleOfStep rule_of_;
  Update update_;
  Level<Operator> level_;
  CheckSchedule schedule_;
};

}  // namespace isotherm
