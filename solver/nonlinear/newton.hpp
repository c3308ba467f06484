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
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/finite_volumes.hpp"
#include "solver/iteration/largest_change.hpp"
#include "solver/iteration/residual_monitor.hpp"
#include "solver/iteration/solver_request.hpp"
#include "solver/multigrid/defect_correction.hpp"
#include "solver/multigrid/hierarchy_trial.hpp"
#include "solver/multigrid/stagnation_detector.hpp"
#include "solver/nonlinear/flexible_gmres.hpp"
#include "solver/nonlinear/flow_derivative.hpp"
#include "solver/nonlinear/newton_control.hpp"
#include "solver/nonlinear/nonlinear_operator.hpp"

namespace isotherm {

/// Newton's method for F(u) = 0 (NonlinearOperator).
///
/// Each iteration solves the linear problem (L + D/φ) w = F and adds t w / φ to the field. Here L
/// has the constant conductances of the reference problem, φ = κ(u) / κ(reference value), D is the
/// negative derivative of the local terms of F, and t ≤ 1 makes the residual fall. If κ is the same
/// function of u everywhere, this symmetric matrix is Newton's up to the error of Simpson's rule.
/// Multigrid cycles precondition conjugate gradients. They are solved as accurately as Newton's
/// method can use (NewtonControl).
///
/// If κ depends on the place, too, Newton's matrix is not symmetric (FlowDerivative). It is solved
/// by the method of generalised minimal residuals, preconditioned by the symmetric one.
///
/// A source that rises with u makes D negative. If the symmetric matrix is then not positive
/// definite, the linear problem is solved again without the negative part.
///
/// If no part of a step reduces the residual, other matrices follow: the complete derivative, then
/// that with conductances that do not vary (Picard's iteration).
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
        derivative_(ranks, problem, operator_.units(), space.subdomain()),
        gmres_(ranks),
        reader_(space.queue()) {
    is_symmetric_ = !FlowDerivative::is_needed(problem);
    weights_.resize(static_cast<std::size_t>(subdomain().owned().point_count()));
    each_point([&](Index3 global, std::size_t n) { weights_[n] = weight_of(global); });
  }

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
  /// Returns an upper bound on the bytes that matrices which are not symmetric need in addition, in
  /// host memory.
  static std::size_t derivative_footprint(Problem const& problem, SolverPlan const& plan) {
    if (plan.execution.backend != Backend::cpu) return 0;
    auto const points = static_cast<std::size_t>(plan.subdomain.owned().point_count());
    std::size_t const derivative = FlowDerivative::footprint(problem, plan.subdomain);
    // The weights are needed in any case.
    std::size_t const of_gmres = derivative == 0 ? 0 : FlexibleGmres::footprint(points);
    return points * (sizeof(double) + 1) + derivative + of_gmres;
  }

  /// The operator of the coarsest grid is inverted in each iteration, so by default it has few
  /// points.
  static MultigridSettings settings_of_grids(MultigridSettings settings) {
    if (!settings.coarsest) settings.coarsest = dimension == 2 ? 9 : 5;
    return settings;
  }

  [[nodiscard]] NonlinearOperator<dimension>& function() { return operator_; }
  [[nodiscard]] Linear const& linear() const { return linear_; }
  /// Decides once whether coarser grids or aggregates precondition all linear problems. Collective.
  /// @pre  begin() has not been called yet
  void choose_hierarchy() {
    try_coarser_grids(linear_, subdomain(), operator_.unknown(), step_, residual_);
  }
  [[nodiscard]] NewtonControl& control() { return control_; }
  [[nodiscard]] NewtonControl const& control() const { return control_; }
  /// This rank's values of the field (dense, x fastest), and the direction of the last iteration.
  [[nodiscard]] std::vector<double> const& values() const { return u_; }
  [[nodiscard]] std::vector<double> const& direction() const { return direction_; }
  /// True if this rank's point, by its dense index, is an unknown.
  [[nodiscard]] bool is_unknown(std::size_t point) const { return derivative_.is_unknown(point); }
  /// The norm of F / (c V), as the square root of the sum of squares over all points.
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
  /// @param rounding  half a unit in the last place of the largest value
  [[nodiscard]] bool improve(double rounding) {
    if (take_step(is_symmetric_ ? Matrix::symmetric : Matrix::complete)) return true;
    bool const may_help = operator_.varies() && norm_ > 0.0;
    if (!may_help || is_direction_rounding(rounding) || is_rounding(rounding)) return false;
    std::vector<double> direction = direction_;
    if (is_symmetric_) {
      if (take_step(Matrix::complete)) return true;
      direction = direction_;
    }
    if (take_step(Matrix::frozen)) return true;
    direction_ = std::move(direction);
    return false;
  }
  /// True if the last iteration has reduced the residual.
  [[nodiscard]] bool has_reduced() const { return has_reduced_; }
  /// True if rounding the values explains each row of the residual.
  /// @param rounding  half a unit in the last place of the largest value
  [[nodiscard]] bool is_rounding(double rounding) {
    Change const change =
        changes_of([&](Change* to) { operator_.evaluate(*field_, {}, to, /*by_diagonal=*/true); });
    return largest_change(*ranks_, change) <= roundings * rounding;
  }

  /// True if the last direction changes values by no more than rounding. @param rounding  as above
  [[nodiscard]] bool is_direction_rounding(double rounding) {
    return largest_change(*ranks_, norms_of(direction_)) <= roundings * rounding;
  }

  /// Enqueues adding the norms of a change of the field to the residual that is being measured.
  void measure_change(std::vector<double> const& values, ResidualMonitor& monitor) {
    measure(values, monitor.beside());
  }
  /// Returns the norms of an array of values at this rank's unknown points.
  Change norms_of(std::vector<double> const& values) {
    return changes_of([&](Change* to) { measure(values, to); });
  }
  /// Returns half of a bound on the largest eigenvalue of the linearised equation in time, in 1/s,
  /// for the values that were set last. Conductances are at most those of the reference problem
  /// times the largest φ; capacities are at least the reference's divided by the largest ratio.
  /// @param of_reference  the same of the reference problem
  [[nodiscard]] double half_eigenvalue_bound(double of_reference) {
    MediumUnits const& units = operator_.units();
    double const conduction =
        largest_of([&](Index3 p, double u) { return operator_.largest_scaling(p, u); });
    double const capacity = largest_of([&](Index3 p, double u) {
      return value_at(reference_->medium.capacity, reference_->grid, p) / operator_.capacity(p, u);
    });
    double const local = largest_of([&](Index3 p, double u) {
      return operator_.inflow().slope(p, u) * units.capacity /
             (volume(reference_->grid, units, p) * operator_.capacity(p, u) * units.time());
    });
    return of_reference * conduction * capacity + 0.5 * local;
  }
  /// Evaluates a function for the present field at this rank's points.
  void evaluate_function(ScalarFunction const& function, double time_s, std::span<double> values) {
    take_values();
    each_point([&](Index3 global, std::size_t n) {
      values[n] = value_at(function, reference_->grid, global, time_s, u_[n]);
    });
  }

 private:
  /// The errors of values that rounding explains, in half units in the last place.
  static constexpr double roundings = 16.0;

  /// The matrix of a linear problem.
  enum class Matrix {
    symmetric,  ///< with the conductances of the reference problem
    complete,   ///< the derivative of F
    frozen      ///< the same without the derivatives of the conductances
  };

  /// Tries a step with one of the matrices. @returns  false if no part of it reduces the residual
  [[nodiscard]] bool take_step(Matrix matrix) {
    if (matrix == Matrix::symmetric) {
      solve_linear_problem();
      direction_ = direction_of_step();
    } else {
      solve_unsymmetric(/*is_frozen=*/matrix == Matrix::frozen);
    }
    std::vector<double> const before = u_;
    double const norm_before = norm_;
    control_.begin(longest_part());
    bool const is_found = operator_.is_step() && gain_ > 0.0 ? find_minimum(before, norm_before)
                                                             : find_smaller(before, norm_before);
    if (!is_found) set_field(before);
    if (is_found) control_.next(norm_before, norm_);
    return is_found;
  }

  /// Returns the reciprocal of c V at a point, up to a constant; the norms of F have this weight.
  [[nodiscard]] double weight_of(Index3 global) const {
    return 1.0 / (volume(reference_->grid, operator_.units(), global) *
                  value_at(reference_->medium.capacity, reference_->grid, global));
  }

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

  /// Returns the largest value(global index, u) at unknown points, over all ranks; at least 0.
  template <class Value>
  [[nodiscard]] double largest_of(Value const& value) const {
    std::vector<double> all(u_.size());
    each_point([&](Index3 global, std::size_t n) {
      if (derivative_.is_unknown(n)) all[n] = value(global, u_[n]);
    });
    return ranks_->max(*std::ranges::max_element(all));
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
      (void)run_cycles(norm_, control_.tolerance());
      return;
    }
    set_reaction(/*only_positive=*/false);
    if (run_cycles(norm_, control_.tolerance())) return;
    set_reaction(/*only_positive=*/true);
    (void)run_cycles(norm_, control_.tolerance());
  }
  /// Solves −F′ δu = F. Rows are multiplied by weights, so the residual falls in the norm of F.
  void solve_unsymmetric(bool is_frozen) {
    constexpr double tolerance_of_cycles = 0.1;
    std::vector<double> const flow = residual();
    std::vector<double> slopes(u_.size()), scaling(u_.size());
    each_point([&](Index3 global, std::size_t n) {
      scaling[n] = operator_.scaling(global, u_[n]);
      if (operator_.has_slope()) slopes[n] = operator_.slope(global, u_[n]);
    });
    if (operator_.has_slope()) set_reaction(/*only_positive=*/true);
    derivative_.set_values(u_, operator_.time_s(), is_frozen);
    auto const multiply = [&](std::vector<double> const& change) {
      std::vector<double> product = derivative_.flows_of(change);
      for (std::size_t n = 0; n < product.size(); ++n) {
        bool const is_unknown = derivative_.is_unknown(n);
        product[n] = is_unknown ? weights_[n] * (slopes[n] * change[n] - product[n]) : 0.0;
      }
      return product;
    };
    auto const precondition = [&](std::vector<double> const& weighted) {
      std::vector<double> values(weighted.size());
      for (std::size_t n = 0; n < values.size(); ++n) values[n] = weighted[n] / weights_[n];
      residual_.write(values);
      (void)run_cycles(1.0, tolerance_of_cycles);
      step_.read(values);
      for (std::size_t n = 0; n < values.size(); ++n) {
        if (values[n] != 0.0) values[n] /= scaling[n];
      }
      return values;
    };
    std::vector<double> weighted(flow.size());
    for (std::size_t n = 0; n < flow.size(); ++n) {
      weighted[n] = derivative_.is_unknown(n) ? weights_[n] * flow[n] : 0.0;
    }
    direction_ = gmres_.solve(weighted, control_.tolerance(), multiply, precondition);
    residual_.write(flow);
    if (!operator_.is_step()) return;
    scaled_ = direction_;
    for (std::size_t n = 0; n < scaled_.size(); ++n) {
      if (scaled_[n] != 0.0) scaled_[n] *= scaling[n];
    }
    gain_ = gain_now();
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
  /// @param size  approximately the norm of the right-hand side, residual_
  /// @returns  false if the matrix is not positive definite
  bool run_cycles(double size, double tolerance) {
    constexpr int maximum = 100;
    step_.fill(step_.owned(), 0.0);
    (void)linear_.rescale(size);
    double const first = linear_residual();
    double residual = first;
    StagnationDetector stagnation(5);
    for (int cycle = 0; cycle < maximum && residual > tolerance * first; ++cycle) {
      bool const may_switch = linear_.may_switch();
      linear_.find_correction_by_cycle(cycle);
      if (may_switch && !linear_.may_switch()) stagnation = StagnationDetector(5);
      if (!(linear_.curvature() > 0.0)) return false;
      linear_.correct(step_);
      ++cycles_;
      (void)linear_.rescale(residual);
      residual = linear_residual();
      if (!std::isfinite(residual)) return false;
      // Cycles that stagnate may have been too few to show that coarser grids are slow.
      bool const waits = linear_.is_undecided() && cycle < Linear::cycles_to_decide;
      if (stagnation.add(residual) && !waits) break;
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
  DistributedField<double> step_;      ///< w, then δu; between iterations any values
  DistributedField<double> reaction_;  ///< D/φ
  NonlinearOperator<dimension> operator_;
  Linear linear_;
  FlowDerivative derivative_;
  FlexibleGmres gmres_;
  ChangeReader reader_;
  NewtonControl control_{};
  bool is_symmetric_ = true;         ///< a scaling makes Newton's matrix symmetric
  std::vector<double> weights_{};    ///< weight_of() this rank's points
  std::vector<double> u_{};          ///< this rank's values of the field
  std::vector<double> direction_{};  ///< δu of the last iteration
  std::vector<double> scaled_{};     ///< w of the last iteration of a time step
  double gain_ = 0.0;                ///< F · w before it
  bool has_reduced_ = false;         ///< the last iteration has reduced the residual
  double norm_ = 0.0;                ///< see norm()
  std::int64_t cycles_ = 0;
};

}  // namespace isotherm
