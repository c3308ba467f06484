#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "kernels/core/stopwatch.hpp"
#include "kernels/core/timeline/timeline.hpp"
#include "kernels/multigrid/residual.hpp"
#include "kernels/sweep/legendre_stage.hpp"
#include "solver/discretise/given/given_value.hpp"
#include "solver/iteration/check_schedule.hpp"
#include "solver/iteration/field_solver.hpp"
#include "solver/level/field_pair.hpp"
#include "solver/level/level_operator.hpp"
#include "solver/level/random_delays.hpp"
#include "solver/time/rkl2.hpp"

namespace isotherm {

/// Advances the diffusion equation by steps of RKL2 (rkl2.hpp). Each stage applies the operator
/// once, to Y_{j−1}, and replaces Y_{j−2} by Y_j. The field before the step and its rate of change
/// are kept during the step.
///
/// Boundary values, fixed points and the source are those at the times of the stages. A step
/// depends on no field but the one before it, so a resumed run continues with the same bits.
///
/// The residual of a check is u_t of its field, as for ftcs: the first stage of the next step
/// computes it. All calls are collective.
template <class Operator>
class Rkl2Solver final : public FieldSolver<typename Operator::Real> {
  using Base = FieldSolver<typename Operator::Real>;
  using Base::iteration_, Base::method_, Base::monitor_, Base::plan_, Base::problem_, Base::queue_;
  using Base::space_, Base::stalled_, Base::steps_, Base::subdomain, Base::varies_in_time_;

 public:
  using Real = typename Operator::Real;

  /// True for heterogeneous media whose conductances are fields.
  static constexpr bool has_conductance_fields =
      std::is_same_v<Operator, Conductances<Real, Operator::dimension>>;
  static constexpr bool heterogeneous =
      !std::is_same_v<Operator, ConstantWeights<Real, Operator::dimension>>;

  /// Allocates the fields, sets boundary and initial values, and measures the reference residual.
  /// @throws ValueRefusal  on every rank, if a value is not finite
  explicit Rkl2Solver(SolverRequest const& request)
      : Base(request, ResidualMonitor::Changes::in_time),
        delays_(Base::ranks_),
        step_s_(plan_.scheme.time_step_s),
        stable_step_s_(stable_step(problem_, method_)),
        pair_(space_, free_box(problem_, subdomain(), 1)),
        start_(space_),
        rate_(space_),
        operator_(operator_of(plan_.scheme), problem_, space_),
        schedule_(method_.check_every) {
    choose_stages();
    Base::make_source();
    Base::set_first_boundary();
    if (monitor_.may_stop() && method_.relative_to != RelativeTo::first) {
      auto const evaluated_in =
          has_conductance_fields ? std::nullopt : std::optional(precision_of<Real>);
      Base::measure_reference(evaluated_in, [&] {
        take_first_stage();
        measure_rate(0);
      });
    }
    Base::set_initial_state();
  }

  void advance_to(std::int64_t target) override {
    Base::check_target(target);
    Stopwatch const watch(Base::advancing_s_);
    while (!monitor_.stopped() && !stalled_ && iteration_ < target) {
      take_step_length();
      bool const is_check = schedule_.next_check(iteration_) == iteration_;
      if (is_check && ends_here()) return;
      step(is_check);
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
  [[nodiscard]] DistributedField<Real>& field() override { return pair_.front(); }
  [[nodiscard]] DistributedField<Real> const& field() const override { return pair_.front(); }
  [[nodiscard]] Links<Real> links() const override {
    if constexpr (has_conductance_fields) {
      return {operator_.get().x, operator_.get().y, operator_.get().z};
    } else {
      return {};
    }
  }

  /// Returns the operator of a scheme; that of a heterogeneous medium is made by LevelOperator.
  static Operator operator_of(Scheme const& scheme) {
    if constexpr (heterogeneous) {
      return {};
    } else {
      return {static_cast<Real>(scheme.weight[0]), static_cast<Real>(scheme.weight[1]),
              static_cast<Real>(scheme.weight[2])};
    }
  }
  /// Chooses the stages of steps of the present length.
  void choose_stages() {
    stages_ = rkl2_stages(rkl2_stage_count(step_s_, stable_step_s_));
    step_in_units_ = heterogeneous ? step_s_ / medium_units(problem_).time() : 1.0;
  }
  /// Returns the factors of a stage, whose rates are per unit of time with conductances.
  [[nodiscard]] LegendreFactors<Real> factors_of(LegendreStage const& stage) const {
    return {static_cast<Real>(stage.latest), static_cast<Real>(stage.older),
            static_cast<Real>(stage.rate * step_in_units_),
            static_cast<Real>(stage.first * step_in_units_)};
  }
  /// Sets the coefficients of the next step if its length differs from the last one's.
  void take_step_length() {
    double const step_s = steps_.step_after(iteration_);
    if (step_s == step_s_) return;
    step_s_ = step_s;
    method_.time_step_s = step_s;
    method_.longest_step_s = max_rkl2_span * stable_step_s_;
    Scheme const scheme = rkl2_scheme(problem_, method_);
    operator_.set(operator_of(scheme));
    choose_stages();
    Base::set_scheme(scheme);
    monitor_.set_factor(scheme.residual_factor, Base::change_exceeds_rounding(step_s));
  }

  /// Reads the residual of the previous check. Returns true if it ends the run here.
  bool ends_here() {
    Base::fetch();
    bool const reached = monitor_.within_tolerance();
    bool const is_rounding = !reached && monitor_.may_stop() && has_reached_rounding();
    if (reached || is_rounding) Base::judge(reached, is_rounding);
    return monitor_.stopped() || stalled_;
  }
  /// Returns true if steps change nothing but rounding. The operator multiplies the rounding of the
  /// field, so the change that is attributed to it grows with the length of the step.
  bool has_reached_rounding() {
    if (varies_in_time_ || !monitor_.stagnates()) return false;
    double const change = monitor_.largest_change() * measured_step_s_;
    double const stable_steps = std::max(1.0, measured_step_s_ / stable_step_s_);
    if (change > 2.0 * stable_steps * monitor_.measure_rounding()) return false;
    monitor_.take_rounding_floor();
    return true;
  }
  /// Enqueues measuring u_t of the field before the step, which the first stage has computed.
  void measure_rate(std::int64_t iteration) {
    // With a shift of −1 and no neighbours the residual is the rate.
    ResidualPass<Real, Real> pass{rate_.view(), {}, {}, unknown_points(problem_, subdomain())};
    pass.shift = -1.0;
    pass.change = monitor_.measure(queue_, iteration);
    evaluate_residual(queue_, AxisWeights<double>{}, pass);
    monitor_.measured(queue_);
  }

  /// Enqueues a step. @param is_check  measure the residual of the field before it
  void step(bool is_check) {
    delays_.sleep();
    TimelineScope const scope("pass", queue_);
    double const from_s = Base::time_s();
    Base::set_source_time(from_s);
    take_first_stage();
    if (is_check) {
      if (Base::change_exceeds_rounding(step_s_)) measured_step_s_ = step_s_;
      measure_rate(iteration_);
    }
    for (std::size_t j = 1; j < stages_.size(); ++j) {
      double const now_s = from_s + stages_[j - 1].end * step_s_;
      Base::set_varying_boundary(now_s);
      Base::set_source_time(now_s);
      take_later_stage(factors_of(stages_[j]));
    }
    ++iteration_;
    Base::set_varying_boundary(Base::time_s());
  }
  /// Enqueues the first stage of all owned points: later stages change only the unknowns.
  void take_first_stage() {
    auto const factor = factors_of(stages_.front()).rate;
    pair_.pass(1, [&](LocalBox region, auto const& /*forwards*/) {
      isotherm::take_first_stage(
          queue_, operator_.get(), factor,
          FirstStage<Real>{std::as_const(pair_).front().view(), Base::source(), start_.writable(),
                           rate_.writable(), pair_.back().writable(), region, pair_.free()});
    });
  }
  /// Enqueues a later stage. The back field holds Y_{j−2}.
  void take_later_stage(LegendreFactors<Real> const& factors) {
    pair_.pass(1, [&](LocalBox region, auto const& /*forwards*/) {
      isotherm::take_later_stage(
          queue_, operator_.get(), factors,
          LaterStage<Real>{std::as_const(pair_).front().view(), Base::source(),
                           std::as_const(start_).view(), std::as_const(rate_).view(),
                           pair_.back().writable(), intersection(region, pair_.free())});
    });
  }

  RandomDelays delays_;           // before the fields are allocated, because it may throw
  double step_s_;                 ///< of the steps that the operator belongs to
  double stable_step_s_;          ///< of FTCS
  double step_in_units_ = 1.0;    ///< τ in the unit of time of rates
  double measured_step_s_ = 0.0;  ///< of the step that measured the newest residual that decides
  std::vector<LegendreStage> stages_{};
  FieldPair<Real> pair_;          ///< Y_{j−1} and Y_{j−2}
  DistributedField<Real> start_;  ///< Y_0
  DistributedField<Real> rate_;   ///< M(Y_0)
  LevelOperator<Operator> operator_;
  CheckSchedule schedule_;
};

}  // namespace isotherm
