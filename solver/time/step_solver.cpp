#include "solver/time/step_solver.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/core/stopwatch.hpp"

namespace isotherm {

namespace {

/// Bound on the change of a steady value by a step, in half units in the last place of the largest
/// value. The field is rounded when it is stored and when it is corrected, and steps are not solved
/// beyond the rounding floor.
constexpr double roundings_of_step = 8.0;

}  // namespace

/// See take_divided_steps().
template <class Real>
struct StepSolver<Real>::DividedSteps {
  StepSolver& solver;

  void store_start() { solver.store_start(); }
  StepError attempt(DividedStep const& step) { return solver.attempt(step); }
  void undo(DividedStep const& step) { solver.return_to_start(step.from_s); }
  void accepted(DividedStep const& step) {
    if (solver.observer_) solver.observer_(step.to_s);
  }
};

template <class Real>
StepSolver<Real>::StepSolver(SolverRequest const& request, bool decides_at_floor)
    : Base(request, ResidualMonitor::Changes::of_time_steps),
      is_second_order_(method_.name == "crank_nicolson"),
      decides_at_floor_(decides_at_floor),
      schedule_(method_.check_every) {
  if (method_.adaptive.tolerance > 0.0) control_.emplace(method_.adaptive);
}

template <class Real>
void StepSolver<Real>::advance_to(std::int64_t target) {
  Base::check_target(target);
  Stopwatch const watch(Base::advancing_s_);
  take_length_of_check();
  check();
  while (!monitor_.stopped() && !stalled_ && iteration_ < target) {
    if (!control_) take_step_length(steps_.step_after(iteration_));
    // The change of a step is measured only at checks.
    if (is_checked(iteration_ + 1)) prepare_checked_step();
    step();
    ++iteration_;
    checked_ = false;
    if (control_) take_length_of_check();
    check();
  }
  if (iteration_ >= method_.iterations && iteration_ > 0) Base::judge_last_field();
}

template <class Real>
SolverState StepSolver<Real>::state() {
  SolverState state = Base::state();
  if (control_) state.steps = control_->state();
  return state;
}

template <class Real>
void StepSolver<Real>::resume(SolverState const& state) {
  Base::resume(state);
  checked_ = false;
  if (control_) control_->restore(state.steps.value_or(StepState{}));
}

template <class Real>
void StepSolver<Real>::step() {
  double const from_s = time_s();
  double const to_s = steps_.time_of(iteration_ + 1);
  if (!control_) return step_between(from_s, to_s, iteration_ == 0);
  DividedSteps steps{*this};
  take_divided_steps(*control_, from_s, to_s, steps);
}

template <class Real>
void StepSolver<Real>::step_between(double from_s, double to_s, bool is_first) {
  if (!is_second_order_) return step_backward_euler(to_s);
  if (!is_first) return step_crank_nicolson(from_s, to_s);
  // Rannacher's start.
  step_backward_euler(0.5 * (from_s + to_s));
  step_backward_euler(to_s);
}

template <class Real>
StepError StepSolver<Real>::attempt(DividedStep const& step) {
  bool const is_first = iteration_ == 0 && step.from_s == time_s();
  take_step_length(step.length_s);
  step_between(step.from_s, step.to_s, is_first);
  store_whole_step();
  return_to_start(step.from_s);
  take_step_length(0.5 * step.length_s);
  step_between(step.from_s, step.middle_s, is_first);
  step_between(step.middle_s, step.to_s, false);
  double const difference = difference_from_whole_step();
  // The first step of crank_nicolson is one of backward Euler of half the length, whose halves are
  // followed by a more accurate step: their error is a third of the difference, too.
  return {is_second_order_ ? difference / 3.0 : difference, is_second_order_ && !is_first ? 2 : 1};
}

template <class Real>
void StepSolver<Real>::take_length_of_check() {
  if (!control_) return take_step_length(steps_.step_to(iteration_));
  double const next_s = time_s() + steps_.step_after(iteration_);
  take_step_length(0.5 * control_->first_length(time_s(), next_s));
}

template <class Real>
void StepSolver<Real>::check() {
  if (checked_ || !is_checked(iteration_)) return;
  measure_change_in_time();
  Base::fetch();
  checked_ = true;
  if (iteration_ == 0 || !monitor_.may_stop()) return;
  bool const claims = monitor_.within_tolerance();
  Base::judge(claims, !claims && has_reached_rounding(), decides_at_floor_);
}

template <class Real>
bool StepSolver<Real>::has_reached_rounding() {
  double const step_s = steps_.step_to(iteration_);
  if (is_driven_in_time() || !Base::change_exceeds_rounding(step_s) || !monitor_.stagnates()) {
    return false;
  }
  double const change = monitor_.largest_change() * step_s;
  double const rounding = monitor_.measure_rounding();
  if (change > roundings_of_step * rounding && change > rounding_floor_of_change(rounding)) {
    return false;
  }
  monitor_.take_rounding_floor();
  return true;
}

/// Crank–Nicolson steps multiply a wave with the eigenvalue λ by (2 − z) / (2 + z), z = λ Δt, so
/// the rounding errors of successive steps accumulate. Their variance reaches 1/(2z) + 1/2 + z/8
/// times that of one step, at most 1 + z/8 if z ≥ 1. The sign of a short wave alternates from step
/// to step.
///
/// The magnitude a of such a wave falls by 4 a / z in a step. If that is less than a rounding, it
/// may be lost, and two fields follow each other for ever. Steps then change values by up to z/2
/// roundings, by the same in all of them.
template <class Real>
double StepSolver<Real>::rounding_floor_of_change(double rounding) {
  if (!is_second_order_) return roundings_of_step * rounding;
  double const waves = 2.0 * half_eigenvalue_bound() * steps_.step_to(iteration_);
  double const accumulated = roundings_of_step * std::sqrt(1.0 + waves / 8.0);
  return rounding * (monitor_.repeats() ? std::max(accumulated, 0.5 * waves) : accumulated);
}

template class StepSolver<float>;
template class StepSolver<double>;

}  // namespace isotherm
