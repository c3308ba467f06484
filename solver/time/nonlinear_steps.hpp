#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/core/number_text.hpp"
#include "kernels/core/stopwatch.hpp"
#include "solver/discretise/initial.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/iteration/check_schedule.hpp"
#include "solver/iteration/field_solver.hpp"
#include "solver/iteration/largest_change.hpp"
#include "solver/nonlinear/newton.hpp"
#include "solver/nonlinear/reference_problem.hpp"
#include "solver/problem/breakdown.hpp"
#include "solver/problem/conditions.hpp"
#include "solver/time/implicit.hpp"
#include "solver/time/step_control.hpp"

namespace isotherm {

/// Advances c(u) u_t = ∇·κ(u)∇u − a u + f(u) by implicit time steps, with faces that may depend on
/// u. Each step solves by Newton's method, with the net heat flow F and the heat content H = ∫ c
/// du:
///
///   backward_euler   V (H(u) − H(before)) / Δt = F(u)
///   crank_nicolson   V (H(u) − H(before)) / Δt = (F(u) + F(before)) / 2
///
/// So the heat that a medium stores is what has flowed in, to the accuracy of the solution. The
/// first step of crank_nicolson consists of two half steps of backward_euler, which damp short
/// waves.
///
/// If steps have to bound their error, each step of the settings is an interval that StepControl
/// divides.
///
/// A step depends on no field but the one before it, so a resumed run continues with the same bits.
/// All calls are collective.
template <class CorrectionReal, int dimension>
class NonlinearSteps final : public FieldSolver<double> {
  using Base = FieldSolver<double>;
  using Base::iteration_, Base::method_, Base::monitor_, Base::plan_, Base::problem_;
  using Base::queue_, Base::ranks_, Base::space_, Base::stalled_, Base::steps_, Base::time_s;

 public:
  /// Sets up the linear problems, the boundary and initial values, and the reference of residuals.
  /// Collective.
  /// @param problem  the nonlinear problem
  /// @param request  of its reference_problem(), with a scheme for it
  /// @throws ValueRefusal  on every rank, if a given value or a coefficient is invalid
  NonlinearSteps(SolverRequest const& request, Problem problem)
      : Base(request, ResidualMonitor::Changes::of_time_steps),
        given_(std::move(problem)),
        of_step_(problem_of_step(problem_, plan_.scheme)),
        field_(space_),
        newton_(ranks_, given_, problem_, of_step_, plan_, settings_of_cycles(method_), space_,
                field_, Base::reduction_s_),
        schedule_(method_.check_every) {
    if (method_.adaptive.tolerance > 0.0) control_.emplace(method_.adaptive);
    Base::set_first_boundary();
    if (monitor_.may_stop() && method_.relative_to != RelativeTo::first) {
      Base::measure_reference(
          std::nullopt, [&] { measure_change_in_time(); }, &given_);
    }
    Base::set_initial_state();
  }

  /// Returns settings of cycles that do not depend on earlier steps, which a resumed run lacks.
  static MultigridSettings settings_of_cycles(MethodSettings const& method) {
    MultigridSettings settings = method.multigrid;
    if (settings.hierarchy == HierarchyKind::automatic) settings.hierarchy = HierarchyKind::grids;
    return settings;
  }

  /// Returns the problem of the linear problems of a step. Its reaction coefficient, that of the
  /// heat capacity, is a first value; Newton's method replaces it.
  static Problem problem_of_step(Problem reference, Scheme const& scheme) {
    reference.reaction = scheme.shift * medium_units(reference).rate();
    return reference;
  }

  void advance_to(std::int64_t target) override {
    Base::check_target(target);
    Stopwatch const watch(Base::advancing_s_);
    check();
    while (!monitor_.stopped() && !stalled_ && iteration_ < target) {
      step();
      ++iteration_;
      checked_ = false;
      check();
    }
    if (iteration_ >= method_.iterations && iteration_ > 0) Base::judge_last_field();
  }

  [[nodiscard]] SolverState state() override {
    SolverState state = Base::state();
    if (control_) state.steps = control_->state();
    return state;
  }
  [[nodiscard]] std::int64_t inner_iterations() const override { return newton_.cycles(); }
  [[nodiscard]] TransportDescription transport_description() const override {
    return newton_.linear().transport_description();
  }
  /// Evaluates the source for the present field.
  void read_source(Values values) override {
    newton_.evaluate_function(given_.source, time_s(), span_of<double>(values));
  }

 private:
  [[nodiscard]] DistributedField<double>& field() override { return field_; }
  [[nodiscard]] DistributedField<double> const& field() const override { return field_; }
  [[nodiscard]] Links<double> links() const override { return newton_.linear().links(); }
  [[nodiscard]] double halo_seconds() const override {
    return Base::halo_seconds() + newton_.halo_seconds();
  }
  void resume(SolverState const& state) override {
    Base::resume(state);
    checked_ = false;
    start_.clear();
    if (control_) control_->restore(state.steps.value_or(StepState{}));
  }

  /// Sets the coefficients of steps of this length.
  void take_step_length(double step_s) {
    if (step_s == plan_.scheme.time_step_s) return;
    method_.time_step_s = step_s;
    plan_.scheme = implicit_scheme(problem_, method_);
    monitor_.set_factor(plan_.scheme.residual_factor);
  }

  /// Enqueues measuring the net heat flow of the present field as a rate of change, and the change
  /// of the step that led to it.
  void measure_change_in_time() {
    newton_.function().set_time(time_s());
    newton_.take_values();
    newton_.function().evaluate(field_, {}, monitor_.measure(queue_, iteration_));
    if (!start_.empty()) {
      std::vector<double> const& u = newton_.values();
      for (std::size_t n = 0; n < u.size(); ++n) start_[n] = u[n] - start_[n];
      newton_.measure_change(start_, monitor_);
      monitor_.measured_additional(1.0 / steps_.step_to(iteration_));
      start_.clear();
    }
    monitor_.measured(queue_);
  }
  /// Measures the residual of the field if a check is due. Ends the run if the field is within the
  /// tolerance, or if steps change nothing but rounding. Collective.
  void check() {
    if (checked_ || schedule_.next_check(iteration_) != iteration_) return;
    measure_change_in_time();
    Base::fetch();
    checked_ = true;
    if (iteration_ == 0 || !monitor_.may_stop()) return;
    bool const claims = monitor_.within_tolerance();
    Base::judge(claims, !claims && has_reached_rounding(), /*at_floor=*/true);
  }
  /// Returns true if steps change nothing but rounding at every point, and the changes stagnate.
  /// Collective.
  bool has_reached_rounding() {
    constexpr double roundings = 8.0;  // half units in the last place of the largest value
    double const step_s = steps_.step_to(iteration_);
    if (varies_in_time(given_) || !Base::change_exceeds_rounding(step_s)) return false;
    if (!monitor_.stagnates()) return false;
    if (monitor_.largest_change() * step_s > roundings * monitor_.measure_rounding()) return false;
    monitor_.take_rounding_floor();
    return true;
  }

  /// Advances the field by one step of the settings. Collective.
  /// @throws NotConverged  on every rank, if Newton's method does not converge; if steps are
  ///                       divided, if a step would be too short
  void step() {
    double const from_s = time_s();
    double const to_s = steps_.time_of(iteration_ + 1);
    std::vector<double> start = newton_.read_field();
    if (control_) {
      DividedSteps steps{*this};
      take_divided_steps(*control_, from_s, to_s, steps);
    } else {
      take_step_length(steps_.step_after(iteration_));
      step_between(start, from_s, to_s, iteration_ == 0);
    }
    start_ = std::move(start);
  }
  /// Advances the field by one step of the method. Collective.
  /// @param start     the field's values
  /// @param is_first  the step begins with the initial field
  void step_between(std::vector<double> const& start, double from_s, double to_s, bool is_first) {
    bool const is_second_order = method_.name == "crank_nicolson";
    if (!is_second_order || !is_first) {
      return solve(start, is_second_order ? std::optional(from_s) : std::nullopt, to_s);
    }
    // Rannacher's start: two half steps of backward Euler.
    solve(start, std::nullopt, 0.5 * (from_s + to_s));
    solve(newton_.read_field(), std::nullopt, to_s);
  }
  /// See take_divided_steps().
  struct DividedSteps {
    NonlinearSteps& solver;
    std::vector<double> start{};  ///< the field before the step

    void store_start() { start = solver.newton_.read_field(); }
    StepError attempt(DividedStep const& step) { return solver.attempt(step, start); }
    void undo(DividedStep const& /*step*/) {
      solver.newton_.function().set_step(std::nullopt);
      solver.field_.write(start);
    }
    void accepted(DividedStep const& step) {
      if (solver.observer_) solver.observer_(step.to_s);
    }
  };
  /// Takes a step at once and in two halves, and estimates the error of the halves. Collective.
  /// @param start  the field's values
  StepError attempt(DividedStep const& step, std::vector<double> const& start) {
    bool const is_first = iteration_ == 0 && step.from_s == time_s();
    take_step_length(step.length_s);
    step_between(start, step.from_s, step.to_s, is_first);
    std::vector<double> difference = newton_.read_field();
    field_.write(start);
    take_step_length(0.5 * step.length_s);
    step_between(start, step.from_s, step.middle_s, is_first);
    step_between(newton_.read_field(), step.middle_s, step.to_s, false);
    std::vector<double> const halves = newton_.read_field();
    for (std::size_t n = 0; n < halves.size(); ++n) difference[n] -= halves[n];
    double const largest = largest_change(ranks_, newton_.norms_of(difference));
    // The first step of crank_nicolson is one of backward Euler of half the length, whose halves
    // are followed by a more accurate step: their error is a third of the difference, too.
    bool const is_second_order = method_.name == "crank_nicolson";
    return {is_second_order ? largest / 3.0 : largest, is_second_order && !is_first ? 2 : 1};
  }
  /// Makes the field that at time `to_s`. Collective.
  /// @param before  the field's values
  /// @param from_s  the time at which their flows are added; none: only those at the end count
  void solve(std::vector<double> const& before, std::optional<double> from_s, double to_s) {
    StepTerms terms;
    terms.rate = plan_.scheme.shift / medium_units(problem_).capacity;
    terms.before = before;
    if (from_s) {
      newton_.function().set_time(*from_s);
      (void)newton_.begin();
      terms.history = newton_.residual();
    }
    newton_.function().set_time(to_s);
    newton_.function().set_step(std::move(terms));
    Base::set_varying_boundary(to_s);
    iterate(to_s);
    Base::check_varying();
    newton_.function().set_step(std::nullopt);
  }
  /// Improves the field until the residual of the step is within its tolerance.
  void iterate(double to_s) {
    constexpr int maximum = 100;
    newton_.control() = NewtonControl{};
    double const first = newton_.begin();
    require_sound(std::isfinite(first),
                  "a coefficient that depends on u or t is not valid for the field before the step "
                  "to t = " +
                      six_digits(to_s) +
                      " (conductivities and capacities must be positive and all values finite)");
    for (int n = 0; newton_.norm() > method_.step_tolerance * first; ++n) {
      bool const is_found = n < maximum && newton_.improve(monitor_.measure_rounding());
      if (is_found && (newton_.has_reduced() || !is_rounding())) continue;
      if (is_rounding()) return;
      throw NotConverged(
          "the step to t = " + six_digits(to_s) + " did not converge: after " + std::to_string(n) +
          " iterations of Newton's method the residual is " + six_digits(newton_.norm() / first) +
          " of the first (a smaller [method] time_step, or a time_tolerance, may help)");
    }
  }
  /// True if rounding explains the residual of the step, or the correction that does not reduce it.
  [[nodiscard]] bool is_rounding() {
    double const rounding = monitor_.measure_rounding();
    return newton_.is_direction_rounding(rounding) || newton_.is_rounding(rounding);
  }

  Problem given_;    ///< the nonlinear problem; problem_ is its reference problem
  Problem of_step_;  ///< that of the linear problems
  DistributedField<double> field_;
  Newton<CorrectionReal, dimension> newton_;
  CheckSchedule schedule_;
  std::optional<StepControl> control_{};  ///< if steps bound their error
  std::vector<double> start_{};           ///< the field before the last step; empty: not known
  bool checked_ = false;                  ///< the residual of the present field has been measured
};

}  // namespace isotherm
