#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/core/number_text.hpp"
#include "solver/discretise/initial.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/discretise/stable_step.hpp"
#include "solver/iteration/largest_change.hpp"
#include "solver/multigrid/hierarchy_trial.hpp"
#include "solver/nonlinear/newton.hpp"
#include "solver/nonlinear/reference_problem.hpp"
#include "solver/problem/breakdown.hpp"
#include "solver/problem/conditions.hpp"
#include "solver/time/implicit.hpp"
#include "solver/time/step_solver.hpp"

namespace isotherm {

/// Advances c(u) u_t = ∇·κ(u)∇u − a u + f(u) by implicit time steps, with faces that may depend on
/// u. Each step solves by Newton's method, with the net heat flow F and the heat content H = ∫ c
/// du:
///
///   backward_euler   V (H(u) − H(before)) / Δt = F(u)
///   crank_nicolson   V (H(u) − H(before)) / Δt = (F(u) + F(before)) / 2
///
/// So the heat that a medium stores is what has flowed in, to the accuracy of the solution.
///
/// A step depends on no field but the one before it, so a resumed run continues with the same bits.
/// All calls are collective.
template <class CorrectionReal, int dimension>
class NonlinearSteps final : public StepSolver<double> {
  using Base = StepSolver<double>;
  using Base::iteration_, Base::method_, Base::monitor_, Base::plan_, Base::problem_;
  using Base::queue_, Base::ranks_, Base::space_, Base::steps_, Base::time_s;

 public:
  /// Sets up the linear problems, the boundary and initial values, and the reference of residuals.
  /// Collective.
  /// @param problem  the nonlinear problem
  /// @param request  of its reference_problem(), with a scheme for it
  /// @throws ValueRefusal  on every rank, if a given value or a coefficient is invalid
  NonlinearSteps(SolverRequest const& request, Problem problem)
      : Base(request, /*decides_at_floor=*/true),
        given_(std::move(problem)),
        of_step_(problem_of_step(problem_, plan_.scheme)),
        field_(space_),
        newton_(ranks_, given_, problem_, of_step_, plan_, method_.multigrid, space_, field_,
                Base::reduction_s_) {
    newton_.choose_hierarchy();
    Base::remark_ = remark_on_slow_grids(newton_.linear());
    Base::set_first_boundary();
    if (monitor_.may_stop() && method_.relative_to != RelativeTo::first) {
      Base::measure_reference(
          std::nullopt, [&] { measure_change_in_time(); }, &given_);
    }
    Base::set_initial_state();
  }

  /// Returns the problem of the linear problems of a step. Its reaction coefficient, that of the
  /// heat capacity, is a first value; Newton's method replaces it.
  static Problem problem_of_step(Problem reference, Scheme const& scheme) {
    reference.reaction = scheme.shift * medium_units(reference).rate();
    return reference;
  }

  [[nodiscard]] SolverState state() override {
    SolverState state = Base::state();
    state.hierarchy = newton_.linear().hierarchy();
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
    before_.clear();
  }

  /// Sets the coefficients of steps of this length.
  void take_step_length(double step_s) override {
    if (step_s == plan_.scheme.time_step_s) return;
    method_.time_step_s = step_s;
    plan_.scheme = implicit_scheme(problem_, method_);
    monitor_.set_factor(plan_.scheme.residual_factor);
  }
  void prepare_checked_step() override { before_ = newton_.read_field(); }

  /// Enqueues measuring the net heat flow of the present field as a rate of change, and the change
  /// of the step that led to it.
  void measure_change_in_time() override {
    newton_.function().set_time(time_s());
    newton_.take_values();
    newton_.function().evaluate(field_, {}, monitor_.measure(queue_, iteration_));
    if (!before_.empty()) {
      newton_.measure_change(difference(newton_.values(), before_), monitor_);
      monitor_.measured_additional(1.0 / steps_.step_to(iteration_));
      before_.clear();
    }
    monitor_.measured(queue_);
  }
  [[nodiscard]] bool is_driven_in_time() const override { return varies_in_time(given_); }
  /// Examines all points of the reference problem at the first call, an equal part on each rank.
  double half_eigenvalue_bound() override {
    if (!bound_of_reference_) {
      bound_of_reference_ = ranks_.max(inverse_stable_step(problem_, ranks_.rank(), ranks_.size()));
    }
    return newton_.half_eigenvalue_bound(*bound_of_reference_);
  }

  void step_backward_euler(double to_s) override { solve(std::nullopt, to_s); }
  void step_crank_nicolson(double from_s, double to_s) override { solve(from_s, to_s); }
  // Divided steps.
  void store_start() override { start_ = newton_.read_field(); }
  void return_to_start(double /*from_s*/) override {
    newton_.function().set_step(std::nullopt);
    field_.write(start_);
  }
  void store_whole_step() override { whole_ = newton_.read_field(); }
  [[nodiscard]] double difference_from_whole_step() override {
    Change const change = newton_.norms_of(difference(newton_.read_field(), whole_));
    return largest_change(ranks_, change);
  }
  /// Returns the first array of values minus the second one.
  static std::vector<double> difference(std::vector<double> values,
                                        std::vector<double> const& others) {
    for (std::size_t n = 0; n < values.size(); ++n) values[n] -= others[n];
    return values;
  }

  /// Makes the field that at time `to_s`. Collective.
  /// @param from_s  the time at which the flows of the present field are added; none: the flows at
  ///                the end alone enter
  void solve(std::optional<double> from_s, double to_s) {
    StepTerms terms;
    terms.rate = plan_.scheme.shift / medium_units(problem_).capacity;
    terms.before = newton_.read_field();
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
  std::optional<double>
      bound_of_reference_{};      ///< half_eigenvalue_bound() of the reference problem
  std::vector<double> before_{};  ///< the field before a step that is measured; empty: not known
  std::vector<double> start_{};   ///< the field before a divided step
  std::vector<double> whole_{};   ///< after the same step, taken at once
};

}  // namespace isotherm
