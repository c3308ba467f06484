#pragma once

#include <cstdint>
#include <optional>

#include "solver/iteration/check_schedule.hpp"
#include "solver/iteration/field_solver.hpp"
#include "solver/time/step_control.hpp"

namespace isotherm {

/// The common base of implicit methods: takes the time steps of the settings, checks the field
/// between them, and decides whether it is steady.
///
/// The first step of crank_nicolson consists of two half steps of backward_euler. They damp short
/// waves, which a Crank–Nicolson step would only reverse (R. Rannacher, 1984).
///
/// If steps have to bound their error, each step of the settings is an interval that StepControl
/// divides.
///
/// A derived class owns the field and solves the systems. All functions are collective.
template <class Real>
class StepSolver : public FieldSolver<Real> {
  using Base = FieldSolver<Real>;

 public:
  void advance_to(std::int64_t target) override;
  [[nodiscard]] SolverState state() override;

 protected:
  using Base::iteration_, Base::method_, Base::monitor_, Base::stalled_, Base::steps_, Base::time_s;

  /// @param decides_at_floor  at the rounding floor the check of a claim decides if there is no
  ///                          estimate of the error
  StepSolver(SolverRequest const& request, bool decides_at_floor);

  /// The next call of advance_to() measures the residual first.
  void resume(SolverState const& state) override;

  /// True if steps are divided to bound their error.
  [[nodiscard]] bool divides_steps() const { return control_.has_value(); }
  /// True if the field of an iteration is checked.
  [[nodiscard]] bool is_checked(std::int64_t iteration) const {
    return schedule_.next_check(iteration) == iteration;
  }

  /// Prepares steps of this length, if it has changed.
  virtual void take_step_length(double step_s) = 0;
  /// Called before a step of the settings after which the field is checked.
  virtual void prepare_checked_step() = 0;
  /// Take a step from the present field, from and to these times, in the length that was set last.
  /// @throws NotConverged  on every rank, if its system cannot be solved
  virtual void step_backward_euler(double to_s) = 0;
  virtual void step_crank_nicolson(double from_s, double to_s) = 0;

  /// Enqueues measuring u_t of the present field, and the change by the step that led to it.
  virtual void measure_change_in_time() = 0;
  /// Returns half of a bound on the largest eigenvalue of the operator whose time integral is the
  /// field, in 1/s.
  virtual double half_eigenvalue_bound() = 0;
  /// True if a coefficient, a source or a given value varies in time.
  [[nodiscard]] virtual bool is_driven_in_time() const { return Base::varies_in_time_; }

  // Of divided steps.
  /// Stores the field as the start of the next step.
  virtual void store_start() = 0;
  /// Replaces the field by that start. @param from_s  its time
  virtual void return_to_start(double from_s) = 0;
  /// Stores the field as that after a whole step.
  virtual void store_whole_step() = 0;
  /// Returns the maximum norm of the difference between that field and the present one.
  [[nodiscard]] virtual double difference_from_whole_step() = 0;

 private:
  struct DividedSteps;

  /// Advances the field by one step of the settings.
  void step();
  /// Advances the field by one step of the method. @param is_first  it begins with the initial
  /// field
  void step_between(double from_s, double to_s, bool is_first);
  /// Takes a step at once and in two halves, and estimates the error of the halves.
  [[nodiscard]] StepError attempt(DividedStep const& step);
  /// Prepares the steps with whose operator the present field is checked: those of the length that
  /// led to it, or of the next divided step. A resumed run then has the same operator.
  void take_length_of_check();
  /// Measures the residual of the field if a check is due. Ends the run if the field is within the
  /// tolerance, or if steps change nothing but rounding.
  ///
  /// Nothing ends at iteration 0, because a run takes at least one step. The residual of a resumed
  /// field is measured and reported once more.
  void check();
  /// Returns true if steps change nothing but rounding at every point, and the changes stagnate.
  /// The remaining error is then that of rounding.
  [[nodiscard]] bool has_reached_rounding();
  /// Returns a bound on the change of a value by a step if the field is steady except for rounding.
  /// @param rounding  half a unit in the last place of the largest value
  [[nodiscard]] double rounding_floor_of_change(double rounding);

  bool is_second_order_;  ///< crank_nicolson
  bool decides_at_floor_;
  CheckSchedule schedule_;
  std::optional<StepControl> control_{};  ///< if steps bound their error
  bool checked_ = false;                  ///< the residual of the present field has been measured
};

}  // namespace isotherm
