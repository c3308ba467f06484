#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernels/core/queue/memory.hpp"
#include "kernels/core/stopwatch.hpp"
#include "kernels/core/timeline/timeline.hpp"
#include "kernels/multigrid/residual.hpp"
#include "solver/discretise/initial.hpp"
#include "solver/iteration/field_solver.hpp"
#include "solver/iteration/largest_change.hpp"
#include "solver/multigrid/defect_correction.hpp"
#include "solver/multigrid/stagnation_detector.hpp"
#include "solver/nonlinear/newton_control.hpp"
#include "solver/nonlinear/nonlinear_operator.hpp"
#include "solver/nonlinear/reference_problem.hpp"
#include "solver/problem/breakdown.hpp"

namespace isotherm {

/// Solves −∇·κ(u)∇u + a u = f(u), with faces that may depend on u, by Newton's method.
///
/// Each iteration solves the linear problem (L + D/φ) w = F and adds t w / φ to the field. Here L
/// has the constant conductances of the reference problem, φ = κ(u) / κ(reference value), D =
/// −q'(u) is the reaction term of the local inflow, and t ≤ 1 makes the residual fall. The matrix
/// is symmetric, and is Newton's up to the error of Simpson's rule (NonlinearOperator). Multigrid
/// cycles precondition conjugate gradients. They are solved as accurately as Newton's method can
/// use (NewtonControl).
///
/// A source that rises with u makes D negative. If the matrix is then not positive definite, the
/// linear problem is solved again without the negative part.
///
/// All calls are collective. The iteration is judged by F alone, evaluated in float64.
template <class CorrectionReal, int dimension>
class NonlinearSolver final : public FieldSolver<double> {
  using Base = FieldSolver<double>;
  using Grids = HeterogeneousGrids<CorrectionReal, dimension>;
  using Base::iteration_, Base::method_, Base::monitor_, Base::plan_, Base::problem_;
  using Base::queue_, Base::ranks_, Base::remark_, Base::space_, Base::stalled_, Base::subdomain;

 public:
  /// Sets up the linear problems, the boundary and initial values, and the reference of residuals.
  /// Collective.
  /// @param problem  the nonlinear problem
  /// @param request  of its reference_problem()
  /// @throws ValueRefusal  on every rank, if a given value or a coefficient is invalid
  NonlinearSolver(SolverRequest const& request, Problem const& problem)
      : Base(request, ResidualMonitor::Changes::of_cycles),
        given_(problem),
        field_(space_),
        residual_(space_),
        step_(space_),
        reaction_(space_),
        operator_(ranks_, given_, problem_, space_),
        linear_(ranks_, problem_, plan_, method_.multigrid, space_),
        reader_(queue_) {
    Base::set_first_boundary();
    (void)Base::measure_reference(std::nullopt, [&] {
      take_values();
      operator_.evaluate(field_, {}, monitor_.measure(queue_, 0));
      monitor_.measured(queue_);
    });
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

  [[nodiscard]] std::int64_t inner_iterations() const override { return inner_iterations_; }
  [[nodiscard]] TransportDescription transport_description() const override {
    return linear_.transport_description();
  }
  /// Evaluates the source for the present field.
  void read_source(Values values) override {
    std::vector<double> const u = values_of_field();
    auto const source = span_of<double>(values);
    each_point([&](Index3 global, std::size_t n) {
      source[n] = value_at(given_.source, given_.grid, global, 0.0, u[n]);
    });
  }

 private:
  [[nodiscard]] DistributedField<double>& field() override { return field_; }
  [[nodiscard]] DistributedField<double> const& field() const override { return field_; }
  [[nodiscard]] Links<double> links() const override { return linear_.links(); }
  [[nodiscard]] double halo_seconds() const override {
    return Base::halo_seconds() + linear_.halo_seconds();
  }
  void resume(SolverState const& state) override {
    Base::resume(state);
    evaluated_ = is_at_rounding_floor_ = false;
    control_ = NewtonControl{};
    if (!state.changes.empty()) control_.restore(state.changes.back().gain);
  }

  /// Calls visit(global index, dense index) for this rank's points, on all threads.
  template <class Visit>
  void each_point(Visit const& visit) const {
    Extent3 const n = subdomain().extent();
    for_each_row(subdomain().owned(), [&](std::int64_t j, std::int64_t k) {
      Index3 global = subdomain().to_global(Index3{0, j, k});
      auto const first = static_cast<std::size_t>((k * n.y + j) * n.x);
      for (std::size_t i = 0; i < static_cast<std::size_t>(n.x); ++i, ++global.x) {
        visit(global, first + i);
      }
    });
  }
  [[nodiscard]] std::vector<double> values_of_field() const {
    std::vector<double> u(static_cast<std::size_t>(subdomain().owned().point_count()));
    field_.read(u);
    return u;
  }
  /// Sets the coefficients for the values of the field. Collective.
  void take_values() {
    u_ = values_of_field();
    operator_.set_values(u_);
  }

  /// Returns the norm, over all ranks, of what `work` adds to a Change. Collective; waits.
  template <class Work>
  double norm_of(Work const& work) {
    Change const change = changes_of(work);
    TimelineScope const scope("check");
    Stopwatch const watch(Base::reduction_s_);
    return std::sqrt(ranks_.sum(change.sum_of_squares));
  }
  template <class Work>
  Change changes_of(Work const& work) {
    reader_.clear(queue_);
    work(reader_.device());
    TimelineScope const scope("check");
    reader_.fetch(queue_);
    return reader_.read();
  }
  /// Evaluates F for the values that were set last, and returns its norm. Collective.
  double evaluate() {
    return norm_of(
        [&](Change* change) { operator_.evaluate(field_, residual_.writable(), change); });
  }

  /// Evaluates the residual of a new or resumed field.
  void begin() {
    take_values();
    norm_ = evaluate();
    require_sound(
        std::isfinite(norm_),
        "a coefficient that depends on u is not valid for the field of iteration " +
            std::to_string(iteration_) +
            " (conductivities must be positive and all values finite; give initial values "
            "within the range of the solution)");
    measure_residual();
    monitor_.measured(queue_);
    monitor_.fetch();
    evaluated_ = true;
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
    return control_.was_whole() && monitor_.last()->value <= method_.tolerance * reference;
  }

  /// Runs one iteration: a linear problem, and the update of the field by a part of its solution.
  void improve() {
    solve_linear_problem();
    std::vector<double> const direction = direction_of_step();
    std::vector<double> const before = u_;
    double const norm_before = norm_;
    control_.begin(longest_part(direction));
    while (!try_part(before, direction, norm_before)) {
      if (control_.shorten()) continue;
      return give_up(before, direction);
    }
    control_.next(norm_before, norm_);
    ++iteration_;
    report(direction);
  }

  /// Sets the field to a part of a step, and returns whether the residual falls. Collective.
  bool try_part(std::vector<double> const& before, std::vector<double> const& direction,
                double norm_before) {
    double const part = control_.part();
    for (std::size_t n = 0; n < before.size(); ++n) u_[n] = before[n] + part * direction[n];
    field_.write(u_);
    operator_.set_values(u_);
    norm_ = evaluate();
    return control_.accepts(norm_before, norm_);
  }
  /// Ends the iteration: no part of a step reduces the residual, by rounding or because Newton's
  /// method does not converge. Near the solution the step that was not taken is the error of the
  /// field, up to terms of second order. Collective.
  void give_up(std::vector<double> const& before, std::vector<double> const& direction) {
    u_ = before;
    field_.write(u_);
    operator_.set_values(u_);
    norm_ = evaluate();
    stalled_ = true;
    is_at_rounding_floor_ = is_rounding();
    if (!is_at_rounding_floor_) {
      remark_ = "Newton's method does not converge from the field of iteration " +
                std::to_string(iteration_) + " (other initial values may help)";
    } else if (monitor_.may_stop()) {
      step_.write(direction);
      monitor_.take_correction(
          changes_of([&](Change* to) { linear_.measure_values(step_.view(), to); }));
    }
  }
  /// True if rounding the values explains each row of the residual. Collective.
  [[nodiscard]] bool is_rounding() {
    constexpr double roundings = 16.0;  // half units in the last place
    Change const change =
        changes_of([&](Change* to) { operator_.evaluate(field_, {}, to, /*by_diagonal=*/true); });
    return largest_change(ranks_, change) <= roundings * monitor_.measure_rounding();
  }

  /// Enqueues passing the norms of F, which evaluate() has left in the reader, to the monitor.
  void measure_residual() {
    Change* const measured = monitor_.measure(queue_, iteration_);
    copy_bytes(queue_, measured, reader_.device(), sizeof(Change));
  }
  /// Passes the residual of the new field, and the step that led there, to the monitor. Collective.
  void report(std::vector<double> const& direction) {
    step_.write(direction);
    measure_residual();
    linear_.measure_values(step_.view(), monitor_.beside());
    monitor_.measured_additional(control_.part(), control_.state());
    monitor_.measured(queue_);
    monitor_.fetch();
  }

  /// Returns δu = w / φ, where w is the solution of the linear problem.
  [[nodiscard]] std::vector<double> direction_of_step() {
    std::vector<double> direction(u_.size());
    step_.read(direction);
    each_point([&](Index3 global, std::size_t n) {
      if (direction[n] != 0.0) direction[n] /= operator_.scaling(global, u_[n]);
    });
    return direction;
  }
  /// Returns the largest part of a step that leaves temperatures of radiating points positive.
  [[nodiscard]] double longest_part(std::vector<double> const& direction) {
    if (!operator_.inflow().radiates()) return 1.0;
    double longest = 1.0;
    Extent3 const n = subdomain().extent();
    for (std::size_t p = 0; p < direction.size(); ++p) {
      auto const at = static_cast<std::int64_t>(p);
      Index3 const local{at % n.x, at / n.x % n.y, at / (n.x * n.y)};
      longest = std::min(longest, operator_.inflow().longest_part(subdomain().to_global(local),
                                                                  u_[p], direction[p]));
    }
    return ranks_.min(longest);
  }

  /// Solves (L + D/φ) w = F until its residual is within the tolerance of the control. Collective.
  void solve_linear_problem() {
    if (!operator_.inflow().depends_on_u()) {
      (void)run_cycles();
      return;
    }
    set_reaction(/*only_positive=*/false);
    if (run_cycles()) return;
    set_reaction(/*only_positive=*/true);
    (void)run_cycles();
  }
  /// Sets the reaction term D/φ of the linear problem. Collective.
  void set_reaction(bool only_positive) {
    Extent3 const n = subdomain().extent();
    reaction_.evaluate(subdomain().owned(), [&](Index3 p) {
      auto const at = static_cast<std::size_t>((p.z * n.y + p.y) * n.x + p.x);
      Index3 const global = subdomain().to_global(p);
      double const slope = operator_.inflow().slope(global, u_[at]);
      double const term = slope / operator_.scaling(global, u_[at]);
      bool const is_left_out = !std::isfinite(term) || (only_positive && term < 0.0);
      return is_left_out ? 0.0 : term;
    });
    linear_.set_reaction(problem_, subdomain(), reaction_.with_halo());
  }
  /// Runs conjugate-gradient steps from w = 0. Collective.
  /// @returns  false if the matrix is not positive definite
  bool run_cycles() {
    constexpr int maximum = 100;
    step_.fill(step_.owned(), 0.0);
    (void)linear_.rescale(norm_);
    double const first = linear_residual();
    double residual = first;
    StagnationDetector stagnation(5);
    for (int cycle = 0; cycle < maximum && residual > control_.tolerance() * first; ++cycle) {
      linear_.find_correction_by_cycle(cycle);
      if (!(linear_.curvature() > 0.0)) return false;
      linear_.correct(step_);
      ++inner_iterations_;
      (void)linear_.rescale(residual);
      residual = linear_residual();
      if (!std::isfinite(residual)) return false;
      if (stagnation.add(residual)) break;
    }
    return true;
  }
  /// Evaluates the residual of the linear problem as the source of the next cycle; returns its
  /// norm.
  double linear_residual() {
    return norm_of([&](Change* change) { linear_.evaluate(step_, residual_.view(), change); });
  }

  Problem given_;  ///< the nonlinear problem; problem_ is its reference problem
  DistributedField<double> field_;
  DistributedField<double> residual_;  ///< F
  DistributedField<double> step_;      ///< w, then δu
  DistributedField<double> reaction_;  ///< D/φ
  NonlinearOperator<dimension> operator_;
  DefectCorrection<double, CorrectionReal, dimension, Grids> linear_;
  ChangeReader reader_;
  NewtonControl control_{};
  std::vector<double> u_{};  ///< this rank's values of the field
  double norm_ = 0.0;        ///< of F, as the sum of squares over all points
  std::int64_t inner_iterations_ = 0;
  bool evaluated_ = false;             ///< the residual of the field is known
  bool is_at_rounding_floor_ = false;  ///< the iteration has ended there
};

}  // namespace isotherm
