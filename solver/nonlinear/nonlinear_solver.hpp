#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/core/number_text.hpp"
#include "kernels/core/queue/memory.hpp"
#include "kernels/core/stopwatch.hpp"
#include "solver/discretise/initial.hpp"
#include "solver/iteration/field_solver.hpp"
#include "solver/multigrid/switch_report.hpp"
#include "solver/nonlinear/newton.hpp"
#include "solver/nonlinear/radiative_start.hpp"
#include "solver/nonlinear/reference_problem.hpp"
#include "solver/problem/breakdown.hpp"

namespace isotherm {

/// Solves −∇·κ(u)∇u + a u = f(u), with faces that may depend on u, by Newton's method (Newton). An
/// iteration is one linear problem.
///
/// All calls are collective. The iteration is judged by F alone, evaluated in float64.
template <class CorrectionReal, int dimension>
class NonlinearSolver final : public FieldSolver<double> {
  using Base = FieldSolver<double>;
  using Base::iteration_, Base::method_, Base::monitor_, Base::plan_, Base::problem_;
  using Base::queue_, Base::ranks_, Base::remark_, Base::space_, Base::stalled_;

 public:
  /// Sets up the linear problems, the boundary and initial values, and the reference of residuals.
  /// Collective.
  /// @param problem  the nonlinear problem
  /// @param request  of its reference_problem()
  /// @throws ValueRefusal  on every rank, if a given value or a coefficient is invalid
  NonlinearSolver(SolverRequest const& request, Problem problem)
      : Base(request, ResidualMonitor::Changes::of_cycles),
        given_(std::move(problem)),
        field_(space_),
        newton_(ranks_, given_, problem_, problem_, plan_, method_.multigrid, space_, field_,
                Base::reduction_s_) {
    Base::set_first_boundary();
    (void)Base::measure_reference(
        std::nullopt,
        [&] {
          newton_.take_values();
          newton_.function().evaluate(field_, {}, monitor_.measure(queue_, 0));
          monitor_.measured(queue_);
        },
        &given_);
    Base::set_initial_state();
  }

  void advance_to(std::int64_t target) override {
    Base::check_target(target);
    Stopwatch const watch(Base::advancing_s_);
    if (!evaluated_) begin();
    while (!monitor_.stopped() && !stalled_ && iteration_ < target) {
      if (has_ended()) break;
      improve();
    }
    if (has_ended()) monitor_.stop();
  }

  [[nodiscard]] std::string take_event() override { return switches_.take(); }
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
    newton_.evaluate_function(given_.source, 0.0, span_of<double>(values));
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
    evaluated_ = is_at_rounding_floor_ = false;
    newton_.control() = NewtonControl{};
    if (!state.changes.empty()) newton_.control().restore(state.changes.back().gain);
  }

  /// Evaluates the residual of a new or resumed field.
  void begin() {
    if (iteration_ == 0) warm_up();
    require_sound(
        std::isfinite(newton_.begin()),
        "a coefficient that depends on u is not valid for the field of iteration " +
            std::to_string(iteration_) +
            " (conductivities must be positive and all values finite; give initial values "
            "within the range of the solution)");
    measure_residual();
    monitor_.measured(queue_);
    monitor_.fetch();
    evaluated_ = true;
  }

  /// Warms a field up that is too cold to show what it will radiate (radiative_start()).
  void warm_up() {
    std::vector<double> u = newton_.read_field();
    auto const start =
        radiative_start(ranks_, given_, space_.subdomain(), newton_.function().inflow(), u);
    if (!start) return;
    for (std::size_t n = 0; n < u.size(); ++n) {
      if (newton_.is_unknown(n)) u[n] = std::max(u[n], *start);
    }
    field_.write(u);
  }

  /// True if the residual and the estimated error are within the tolerance. A step that was
  /// shortened shows nothing about the error.
  [[nodiscard]] bool has_ended() const {
    if (monitor_.is_exact()) return true;
    if (iteration_ == 0 || !monitor_.within_tolerance()) return false;
    if (method_.relative_to != RelativeTo::field || is_at_rounding_floor_) return true;
    double const absolute = method_.absolute_tolerance;
    if (absolute > 0.0 && monitor_.last()->value <= absolute) return true;
    double const reference = monitor_.reference().value_or(0.0);
    return newton_.control().was_whole() && monitor_.last()->value <= method_.tolerance * reference;
  }

  /// Runs one iteration.
  void improve() {
    bool const is_improved = newton_.improve(monitor_.measure_rounding());
    switches_.note(newton_.linear(), iteration_ + 1);
    if (!is_improved) return give_up();
    ++iteration_;
    report();
  }
  /// Ends the iteration: no part of a step reduces the residual. Collective.
  void give_up() {
    stalled_ = true;
    is_at_rounding_floor_ = newton_.is_rounding(monitor_.measure_rounding());
    if (is_at_rounding_floor_) {
      if (monitor_.may_stop()) monitor_.take_correction(newton_.norms_of(newton_.direction()));
      return;
    }
    monitor_.forget_error();
    remark_ = "Newton's method does not converge from the field of iteration " +
              std::to_string(iteration_) + ": no part of its step reduces the residual" +
              reduction() + " (other initial values may help)";
  }
  /// Returns by how much the residual has fallen, for a message.
  [[nodiscard]] std::string reduction() const {
    auto const first = monitor_.first();
    if (!first || !(*first > 0.0) || !monitor_.last()) return "";
    return ", which is " + six_digits(monitor_.last()->value / *first) + " of the first";
  }

  /// Enqueues passing the norms of F, which the last evaluation has left, to the monitor.
  void measure_residual() {
    copy_bytes(queue_, monitor_.measure(queue_, iteration_), newton_.norms(), sizeof(Change));
  }
  /// Passes the residual of the new field, and Newton's step at the field before it, to the
  /// monitor. Collective.
  void report() {
    measure_residual();
    newton_.measure_change(newton_.direction(), monitor_);
    monitor_.measured_additional(1.0, newton_.control().state());
    monitor_.measured(queue_);
    monitor_.fetch();
    // A part of a step leaves an error that the step does not show.
    if (!newton_.control().was_whole()) monitor_.forget_error();
  }

  Problem given_;  ///< the nonlinear problem; problem_ is its reference problem
  DistributedField<double> field_;
  Newton<CorrectionReal, dimension> newton_;
  SwitchReport switches_{};
  bool evaluated_ = false;             ///< the residual of the field is known
  bool is_at_rounding_floor_ = false;  ///< the iteration has ended there
};

}  // namespace isotherm
