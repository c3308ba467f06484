#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "decomposition/field/distributed_field.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "kernels/core/stopwatch.hpp"
#include "kernels/core/timeline/timeline.hpp"
#include "kernels/multigrid/residual.hpp"
#include "solver/iteration/largest_change.hpp"
#include "solver/iteration/residual_monitor.hpp"
#include "solver/iteration/solver_request.hpp"
#include "solver/multigrid/defect_correction.hpp"
#include "solver/multigrid/stagnation_detector.hpp"
#include "solver/nonlinear/newton_control.hpp"
#include "solver/nonlinear/nonlinear_operator.hpp"

namespace isotherm {

/// Newton's method for F(u) = 0 (NonlinearOperator).
///
/// Each iteration solves the linear problem (L + D/φ) w = F and adds t w / φ to the field. Here L
/// has the constant conductances of the reference problem, φ = κ(u) / κ(reference value), D is the
/// negative derivative of the local terms of F, and t ≤ 1 makes the residual fall. The matrix is
/// symmetric, and is Newton's up to the error of Simpson's rule. Multigrid cycles precondition
/// conjugate gradients. They are solved as accurately as Newton's method can use (NewtonControl).
///
/// A source that rises with u makes D negative. If the matrix is then not positive definite, the
/// linear problem is solved again without the negative part.
///
///     newton.begin();                                   // F of the present field
///     while (newton.norm() > wanted && newton.improve()) {}
///
/// All calls are collective. Neither copyable nor movable.
template <class CorrectionReal, int dimension>
class Newton {
  using Linear = DefectCorrection<double, CorrectionReal, dimension,
                                  HeterogeneousGrids<CorrectionReal, dimension>>;

 public:
  /// Sets up the operator and the linear problems.
  /// @param problem  the nonlinear problem; must outlive the object, like all other references
  /// @param reference  its reference_problem()
  /// @param linear   the same, or with a reaction coefficient that makes it definite
  /// @param field    whose values are improved
  /// @param reduction_s  to which the seconds spent in reductions are added
  Newton(mpi::Communicator const& ranks, Problem const& problem, Problem const& reference,
         Problem const& linear, SolverPlan const& plan, MultigridSettings const& settings,
         FieldSpace<double>& space, DistributedField<double>& field, double& reduction_s)
      : ranks_(&ranks),
        reference_(&reference),
        space_(&space),
        field_(&field),
        reduction_s_(&reduction_s),
        residual_(space),
        step_(space),
        reaction_(space),
        operator_(ranks, problem, reference, space),
        linear_(ranks, linear, without_shift(plan), settings_of_grids(settings), space),
        reader_(space.queue()) {}

  /// Returns an upper bound on the bytes that it allocates, see Buffer::footprint.
  static std::size_t footprint(Problem const& reference, Problem const& linear,
                               SolverPlan const& plan, MultigridSettings const& settings) {
    Backend const backend = plan.execution.backend;
    Extent3 const n = plan.subdomain.extent();
    Index3 const halo = FieldSpace<double>::halo_points_of(reference.grid, 1);
    // The residual, the step and the reaction term.
    std::size_t bytes = 3 * Field<double>::footprint(backend, n, halo);
    bytes += NonlinearOperator<dimension>::footprint(reference, plan.subdomain, backend);
    bytes += Linear::footprint(linear, plan, settings_of_grids(settings)) +
             ChangeReader::footprint(backend, 1);
    // Three host arrays of values: those of the field before and after a step, and the step.
    auto const points = static_cast<std::size_t>(plan.subdomain.owned().point_count());
    return backend == Backend::cpu ? bytes + 3 * points * sizeof(double) : bytes;
  }

  /// The operator of the coarsest grid is inverted in each iteration, so by default it has few
  /// points.
  static MultigridSettings settings_of_grids(MultigridSettings settings) {
    if (!settings.coarsest) settings.coarsest = dimension == 2 ? 9 : 5;
    return settings;
  }

  [[nodiscard]] NonlinearOperator<dimension>& function() { return operator_; }
  [[nodiscard]] Linear const& linear() const { return linear_; }
  [[nodiscard]] NewtonControl& control() { return control_; }
  [[nodiscard]] NewtonControl const& control() const { return control_; }
  /// This rank's values of the field (dense, x fastest), and the direction of the last iteration.
  [[nodiscard]] std::vector<double> const& values() const { return u_; }
  [[nodiscard]] std::vector<double> const& direction() const { return direction_; }
  /// The norm of F / V, as the square root of the sum of squares over all points.
  [[nodiscard]] double norm() const { return norm_; }
  /// The norms of F that the last evaluation has left on the device.
  [[nodiscard]] Change const* norms() const { return reader_.device(); }
  /// The number of cycles since the beginning.
  [[nodiscard]] std::int64_t cycles() const { return cycles_; }
  /// Host time spent in halo exchanges of the linear problems, in seconds.
  [[nodiscard]] double halo_seconds() const { return linear_.halo_seconds(); }

  /// Reads this rank's values of the field.
  [[nodiscard]] std::vector<double> read_field() const {
    std::vector<double> u(static_cast<std::size_t>(subdomain().owned().point_count()));
    field_->read(u);
    return u;
  }
  /// Sets the coefficients for the values of the field.
  void take_values() {
    u_ = read_field();
    operator_.set_values(u_);
  }
  /// Evaluates F for the present field. Returns its norm, which is NaN or infinite if a coefficient
  /// is not valid.
  double begin() {
    take_values();
    return norm_ = evaluate();
  }
  /// Reads F of the last evaluation.
  [[nodiscard]] std::vector<double> residual() const {
    std::vector<double> values(u_.size());
    residual_.read(values);
    return values;
  }

  /// Runs one iteration: a linear problem, and the update of the field by a part of its solution.
  /// @pre  begin() has evaluated the field
  /// @returns  false if no part reduces the residual, by rounding or because Newton's method does
  ///           not converge. The field is then as before. Near the solution the direction is the
  ///           error of the field, up to terms of second order.
  [[nodiscard]] bool improve() {
    solve_linear_problem();
    direction_ = direction_of_step();
    std::vector<double> const before = u_;
    double const norm_before = norm_;
    control_.begin(longest_part());
    bool const is_found = operator_.is_step() && gain_ > 0.0 ? find_minimum(before, norm_before)
                                                             : find_smaller(before, norm_before);
    if (!is_found) set_field(before);
    if (is_found) control_.next(norm_before, norm_);
    return is_found;
  }
  /// True if the last iteration has reduced the residual.
  [[nodiscard]] bool has_reduced() const { return has_reduced_; }
  /// True if rounding the values explains each row of the residual.
  /// @param rounding  half a unit in the last place of the largest value
  [[nodiscard]] bool is_rounding(double rounding) {
    constexpr double roundings = 16.0;  // half units in the last place
    Change const change =
        changes_of([&](Change* to) { operator_.evaluate(*field_, {}, to, /*by_diagonal=*/true); });
    return largest_change(*ranks_, change) <= roundings * rounding;
  }

  /// Enqueues adding the norms of a change of the field to the residual that is being measured.
  void measure_change(std::vector<double> const& values, ResidualMonitor& monitor) {
    measure(values, monitor.beside());
  }
  /// Returns the norms of an array of values at this rank's unknown points.
  Change norms_of(std::vector<double> const& values) {
    return changes_of([&](Change* to) { measure(values, to); });
  }
  /// Evaluates a function for the present field at this rank's points.
  void evaluate_function(ScalarFunction const& function, double time_s, std::span<double> values) {
    take_values();
    each_point([&](Index3 global, std::size_t n) {
      values[n] = value_at(function, reference_->grid, global, time_s, u_[n]);
    });
  }

 private:
  /// Calls visit(global index, dense index) for this rank's points, on all threads.
  template <class Visit>
  void each_point(Visit const& visit) const {
    Subdomain const& subdomain = space_->subdomain();
    Extent3 const n = subdomain.extent();
    for_each_row(subdomain.owned(), [&](std::int64_t j, std::int64_t k) {
      Index3 global = subdomain.to_global(Index3{0, j, k});
      auto const first = static_cast<std::size_t>((k * n.y + j) * n.x);
      for (std::size_t i = 0; i < static_cast<std::size_t>(n.x); ++i, ++global.x) {
        visit(global, first + i);
      }
    });
  }

  /// Returns the plan of the linear problems, whose diagonal terms are reaction terms.
  static SolverPlan without_shift(SolverPlan plan) {
    plan.scheme.shift = 0.0;
    return plan;
  }
  [[nodiscard]] Subdomain const& subdomain() const { return space_->subdomain(); }
  [[nodiscard]] Queue& queue() const { return space_->queue(); }

  /// Enqueues adding the norms of an array of values at unknown points to `change`.
  void measure(std::vector<double> const& values, Change* change) {
    step_.write(values);
    linear_.measure_values(step_.view(), change);
  }
  /// Returns the norm, over all ranks, of what `work` adds to a Change. Waits.
  template <class Work>
  double norm_of(Work const& work) {
    Change const change = changes_of(work);
    TimelineScope const scope("check");
    Stopwatch const watch(*reduction_s_);
    return std::sqrt(ranks_->sum(change.sum_of_squares));
  }
  template <class Work>
  Change changes_of(Work const& work) {
    reader_.clear(queue());
    work(reader_.device());
    TimelineScope const scope("check");
    reader_.fetch(queue());
    return reader_.read();
  }
  /// Evaluates F for the values that were set last, and returns its norm.
  double evaluate() {
    return norm_of(
        [&](Change* change) { operator_.evaluate(*field_, residual_.writable(), change); });
  }
  /// Sets the field to these values, and evaluates F.
  void set_field(std::vector<double> values) {
    u_ = std::move(values);
    field_->write(u_);
    operator_.set_values(u_);
    norm_ = evaluate();
  }
  /// Sets the field to a part of a step.
  void take_part(std::vector<double> const& before) {
    double const part = control_.part();
    std::vector<double> values(before.size());
    for (std::size_t n = 0; n < before.size(); ++n) values[n] = before[n] + part * direction_[n];
    set_field(std::move(values));
  }
  /// Finds a part of a step that reduces the residual, by halving it.
  [[nodiscard]] bool find_smaller(std::vector<double> const& before, double norm_before) {
    for (take_part(before); !control_.accepts(norm_before, norm_); take_part(before)) {
      if (!control_.shorten()) return has_reduced_ = false;
    }
    return has_reduced_ = true;
  }
  /// Finds a part of a step that halves the residual, or brings the product F · w close to 0.
  ///
  /// F is minus the gradient of a function of Kirchhoff's transform. It is convex in a time step
  /// unless a source rises with u. The product is its slope along the step, so steps lead to its
  /// minimum, although capacities may jump. A smaller residual is no criterion there: latent heat
  /// makes it rise first.
  [[nodiscard]] bool find_minimum(std::vector<double> const& before, double norm_before) {
    constexpr int trials = 20;
    constexpr double small = 0.1;
    double low = 0.0, at_low = gain_, high = 0.0, at_high = 0.0;
    for (int trial = 0; trial < trials; ++trial) {
      take_part(before);
      has_reduced_ = control_.accepts(norm_before, norm_);
      if (norm_ <= 0.5 * norm_before) return true;
      double const part = control_.part(), product = std::isfinite(norm_) ? gain_now() : -gain_;
      bool const is_short = product > 0.0 && high == 0.0;
      if (std::isfinite(norm_) && (is_short || std::abs(product) <= small * gain_)) return true;
      (product > 0.0 ? low : high) = part;
      (product > 0.0 ? at_low : at_high) = product;
      double const share = std::clamp(at_low / (at_low - at_high), 0.1, 0.9);
      control_.choose(low + share * (high - low));
    }
    if (low == 0.0) return has_reduced_ = false;
    control_.choose(low);
    take_part(before);
    has_reduced_ = control_.accepts(norm_before, norm_);
    return true;
  }
  /// Returns the product F · w of the present field and the last step, over all ranks.
  [[nodiscard]] double gain_now() {
    std::vector<double> const flow = residual();
    double sum = 0.0;
    for (std::size_t n = 0; n < flow.size(); ++n) {
      if (scaled_[n] != 0.0) sum += flow[n] * scaled_[n];
    }
    Stopwatch const watch(*reduction_s_);
    return ranks_->sum(sum);
  }

  /// Returns δu = w / φ, where w is the solution of the linear problem.
  [[nodiscard]] std::vector<double> direction_of_step() {
    std::vector<double> direction(u_.size());
    step_.read(direction);
    if (operator_.is_step()) {
      scaled_ = direction;
      gain_ = gain_now();
    }
    each_point([&](Index3 global, std::size_t n) {
      if (direction[n] != 0.0) direction[n] /= operator_.scaling(global, u_[n]);
    });
    return direction;
  }
  /// Returns the largest part of a step that leaves temperatures of radiating points positive.
  [[nodiscard]] double longest_part() {
    if (!operator_.inflow().radiates()) return 1.0;
    double longest = 1.0;
    Extent3 const n = subdomain().extent();
    for (std::size_t p = 0; p < direction_.size(); ++p) {
      auto const at = static_cast<std::int64_t>(p);
      Index3 const local{at % n.x, at / n.x % n.y, at / (n.x * n.y)};
      longest = std::min(longest, operator_.inflow().longest_part(subdomain().to_global(local),
                                                                  u_[p], direction_[p]));
    }
    return ranks_->min(longest);
  }

  /// Solves (L + D/φ) w = F until its residual is within the tolerance of the control.
  void solve_linear_problem() {
    if (!operator_.has_slope()) {
      (void)run_cycles();
      return;
    }
    set_reaction(/*only_positive=*/false);
    if (run_cycles()) return;
    set_reaction(/*only_positive=*/true);
    (void)run_cycles();
  }
  /// Sets the reaction term D/φ of the linear problem.
  void set_reaction(bool only_positive) {
    Extent3 const n = subdomain().extent();
    reaction_.evaluate(subdomain().owned(), [&](Index3 p) {
      auto const at = static_cast<std::size_t>((p.z * n.y + p.y) * n.x + p.x);
      Index3 const global = subdomain().to_global(p);
      double const slope = operator_.slope(global, u_[at]);
      double const term = slope / operator_.scaling(global, u_[at]);
      bool const is_left_out = !std::isfinite(term) || (only_positive && term < 0.0);
      return is_left_out ? 0.0 : term;
    });
    linear_.set_reaction(*reference_, subdomain(), reaction_.with_halo());
  }
  /// Runs conjugate-gradient steps from w = 0.
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
      ++cycles_;
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

  mpi::Communicator const* ranks_;
  Problem const* reference_;
  FieldSpace<double>* space_;
  DistributedField<double>* field_;
  double* reduction_s_;
  DistributedField<double> residual_;  ///< F
  DistributedField<double> step_;      ///< w, then δu
  DistributedField<double> reaction_;  ///< D/φ
  NonlinearOperator<dimension> operator_;
  Linear linear_;
  ChangeReader reader_;
  NewtonControl control_{};
  std::vector<double> u_{};          ///< this rank's values of the field
  std::vector<double> direction_{};  ///< δu of the last iteration
  std::vector<double> scaled_{};     ///< w of the last iteration of a time step
  double gain_ = 0.0;                ///< F · w before it
  bool has_reduced_ = false;         ///< the last iteration has reduced the residual
  double norm_ = 0.0;                ///< of F, as the sum of squares over all points
  std::int64_t cycles_ = 0;
};

}  // namespace isotherm
