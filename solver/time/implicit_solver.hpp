#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/core/number_text.hpp"
#include "kernels/core/stopwatch.hpp"
#include "kernels/core/timeline/timeline.hpp"
#include "solver/discretise/initial.hpp"
#include "solver/discretise/stable_step.hpp"
#include "solver/iteration/largest_change.hpp"
#include "solver/level/device_source.hpp"
#include "solver/multigrid/constant_null_space.hpp"
#include "solver/multigrid/defect_correction.hpp"
#include "solver/multigrid/hierarchy_trial.hpp"
#include "solver/multigrid/rounding_floor.hpp"
#include "solver/problem/breakdown.hpp"
#include "solver/problem/conditions.hpp"
#include "solver/time/component_balance.hpp"
#include "solver/time/implicit.hpp"
#include "solver/time/step_progress.hpp"
#include "solver/time/step_solver.hpp"

namespace isotherm {

/// Returns true if a tolerance relative to the field may end the run. The error is then estimated
/// from the changes of time steps, which needs a copy of the field before the step.
inline bool ends_by_changes(MethodSettings const& method) {
  return method.relative_to == RelativeTo::field && has_tolerance(method);
}

/// Returns how many operators of steps exist at the same time: a divided step has two, unless one
/// suits any step length.
inline std::size_t operators_at_once(MethodSettings const& method, bool is_exact) {
  return method.adaptive.tolerance > 0.0 && !is_exact ? 2 : 1;
}

/// Advances u_t = D ∇·∇u + f by implicit time steps (implicit.hpp). Each step is a linear system
/// with the operator σ − ∇·∇, which defect correction solves (defect_correction.hpp).
///
/// The right-hand side of the system is called the history. It contains the source and the terms of
/// the field before the step.
///
/// If the system is solved exactly, and neither boundary values nor the source vary in time, a step
/// adds its change, without a history (step_by_rate()):
///
///     u(to) = u + s (σ − ∇·∇)⁻¹ (∇·∇u + f / D),   s = 1 for backward Euler, 2 for Crank–Nicolson
///
/// A divided step of half the length has another operator, so the two newest ones are kept.
///
/// A step depends on no field but the one before it. The number of its cycles depends on the
/// maximum norm, which no order of summation changes. A resumed run therefore continues with the
/// same bits. All calls are collective.
template <class Real, class CorrectionReal, int dimension,
          class Grids = UniformGrids<CorrectionReal, dimension>>
class ImplicitSolver final : public StepSolver<Real> {
  using Base = StepSolver<Real>;
  using Base::divides_steps, Base::iteration_, Base::method_, Base::monitor_, Base::plan_;
  using Base::problem_, Base::queue_, Base::ranks_, Base::set_source_time, Base::source;
  using Base::source_, Base::space_, Base::steps_, Base::subdomain, Base::time_s;
  using Base::varies_in_time_;

 public:
  /// True for heterogeneous media.
  static constexpr bool heterogeneous = Grids::heterogeneous;
  static constexpr bool by_conjugate_gradients = Grids::by_conjugate_gradients;

  /// Sets up the linear system of a step, the source, the boundary and initial values, and the
  /// reference of residuals. Collective.
  /// @throws ValueRefusal  on every rank, if boundary values, source or medium are invalid
  explicit ImplicitSolver(SolverRequest const& request)
      : Base(request, /*decides_at_floor=*/false),
        field_(space_),
        history_(space_),
        reader_(queue_) {
    if (ends_by_changes(method_)) before_.emplace(space_);
    if (divides_steps()) {
      start_.emplace(space_);
      whole_.emplace(space_);
    }
    make_defect_correction();
    if constexpr (by_conjugate_gradients) choose_hierarchy();
    Base::make_source();
    // The heat balance determines the mean if no face does. Heterogeneous media have balances of
    // components instead (set_component_balance()).
    if (!has_dirichlet_face(problem_) && !heterogeneous) {
      null_space_.emplace(ranks_, problem_, subdomain(), queue_);
    }
    Base::set_first_boundary();
    if constexpr (Grids::is_exact) Base::dirichlet_.set(history_, problem_.start_time_s);
    // The field holds nothing but its boundary values while the reference is measured.
    if (monitor_.may_stop() && method_.relative_to != RelativeTo::first) {
      auto const evaluated_in = heterogeneous ? std::nullopt : std::optional(Precision::float64);
      Base::measure_reference(evaluated_in, [&] { measure_change_in_time(); });
    }
    Base::set_initial_state();
    has_rate_ = false;
  }

  [[nodiscard]] SolverState state() override {
    SolverState state = Base::state();
    state.hierarchy = method_.multigrid.hierarchy;
    return state;
  }
  [[nodiscard]] TransportDescription transport_description() const override {
    return defect_correction_->transport_description();
  }

 private:
  using StepStatus = StepProgress::StepStatus;
  using Components = ComponentBalance<Real, dimension>;
  using Correction = DefectCorrection<Real, CorrectionReal, dimension, Grids>;

  [[nodiscard]] DistributedField<Real>& field() override { return field_; }
  [[nodiscard]] DistributedField<Real> const& field() const override { return field_; }
  [[nodiscard]] Links<Real> links() const override { return defect_correction_->links(); }
  [[nodiscard]] double halo_seconds() const override {
    return Base::halo_seconds() + halo_s_before_ + defect_correction_->halo_seconds() +
           (other_ ? other_->halo_seconds() : 0.0);
  }
  /// The size of the next step's residual is unknown, too.
  void resume(SolverState const& state) override {
    Base::resume(state);
    has_before_ = has_rate_ = false;
    expected_ = 0.0;
  }

  /// Frees a defect correction, so that it and a new one never need memory at the same time.
  /// Collective.
  void release(std::unique_ptr<Correction>& correction) {
    if (!correction) return;
    halo_s_before_ += correction->halo_seconds();
    queue_.wait();
    // This reduction is a barrier: no rank uses the old fields any more.
    (void)ranks_.any(false);
    correction.reset();
  }
  /// Makes the defect correction for steps of the plan's scheme. Collective.
  void make_defect_correction() {
    release(defect_correction_);
    defect_correction_ =
        std::make_unique<Correction>(ranks_, problem_of_step(), plan_, method_.multigrid, space_,
                                     heterogeneous, operators_at_once(method_, Grids::is_exact));
    if constexpr (by_conjugate_gradients) set_component_balance();
  }
  /// Returns the problem whose operator is that of a step.
  [[nodiscard]] Problem problem_of_step() const {
    Problem problem = problem_;
    problem.sigma = sigma_of_step(problem, method_);
    return problem;
  }
  /// Sets the heat balances of components for the operator of the defect correction, if the problem
  /// needs any. Collective.
  void set_component_balance() requires(by_conjugate_gradients) {
    bool const deflates = defect_correction_->is_mean_free();
    if (!components_ && (deflates || Components::is_needed(problem_))) {
      components_.emplace(ranks_, problem_, subdomain(), queue_);
    }
    if (!components_) return;
    components_->set_operator(defect_correction_->conductances(), defect_correction_->shift(),
                              deflates);
    if (deflates) {
      defect_correction_->set_deflation(
          [this](FieldView<Real> direction) { components_->deflate(direction); });
    }
  }
  /// Decides once whether coarser grids or aggregates precondition all steps. A run that resumes
  /// has the decision from its checkpoint. Collective.
  void choose_hierarchy() requires(by_conjugate_gradients) {
    if (!defect_correction_->is_undecided()) return;
    try_coarser_grids(*defect_correction_, subdomain(), unknown(), field_, history_);
    method_.multigrid.hierarchy = defect_correction_->hierarchy();
    Base::remark_ = remark_on_slow_grids(*defect_correction_);
    if (defect_correction_->rate_of_replaced_grids()) set_component_balance();
  }
  /// Makes the operator of steps of this length, if the length has changed. Collective.
  void take_step_length(double step_s) override {
    double const before_s = plan_.scheme.time_step_s;
    if (step_s == before_s) return;
    has_rate_ = false;
    method_.time_step_s = step_s;
    plan_.scheme = implicit_scheme(problem_, method_);
    if constexpr (Grids::is_exact) {
      defect_correction_->set_sigma(problem_of_step(), plan_.scheme);
    } else if (divides_steps()) {
      take_other_correction(before_s);
    } else {
      make_defect_correction();
    }
    monitor_.set_factor(plan_.scheme.residual_factor);
    Base::set_scheme(plan_.scheme);
  }

  /// Exchanges the defect correction with the other one, which is made if it has another step
  /// length. Of the two old ones, the one with the length closer to the new one is kept.
  /// Collective.
  /// @param before_s  the step length of the present one
  void take_other_correction(double before_s) {
    double const step_s = plan_.scheme.time_step_s;
    if (other_ && other_step_s_ == step_s) {
      std::swap(defect_correction_, other_);
      other_step_s_ = before_s;
      if constexpr (by_conjugate_gradients) set_component_balance();
      return;
    }
    auto const ratio = [&](double length_s) {
      return std::max(length_s / step_s, step_s / length_s);
    };
    if (!other_ || ratio(before_s) <= ratio(other_step_s_)) {
      std::swap(defect_correction_, other_);
      other_step_s_ = before_s;
    }
    make_defect_correction();
  }

  [[nodiscard]] LocalBox unknown() const { return unknown_points(problem_, subdomain()); }

  /// Enqueues measuring the residual D ∇·∇u + f, which is u_t. If the field before the step was
  /// stored, its change is measured, too, as a rate.
  void measure_change_in_time() override {
    set_source_time(time_s());
    Change* const change = monitor_.measure(queue_, iteration_);
    if constexpr (Grids::is_exact) {
      evaluate_rate(change);
    } else {
      defect_correction_->evaluate_residual_pass(ResidualPass<Real, CorrectionReal>{
          field_.with_halo(), source(), {}, unknown(), 1.0, change});
    }
    if (has_before_) {
      // With a shift of 1 and no neighbours the residual is u_before − u.
      ResidualPass<Real, Real> changed{field_.view(), before_->view(), {}, unknown()};
      changed.change = monitor_.beside();
      changed.shift = 1.0;
      evaluate_residual(queue_, AxisWeights<double>{}, changed);
      monitor_.measured_additional(1.0 / steps_.step_to(iteration_));
      has_before_ = false;
    }
    monitor_.measured(queue_);
  }
  /// Enqueues copying the field, so that the change of the next step can be measured.
  ///
  /// u_t of the field after the step does not measure that change. Rounding and the tolerance of a
  /// step leave short waves, which the operator multiplies by its largest eigenvalue.
  /// crank_nicolson hardly damps these waves.
  void prepare_checked_step() override {
    if (!before_) return;
    copy(field_, *before_);
    has_before_ = true;
  }
  /// Enqueues copying the unknowns of a field.
  void copy(DistributedField<Real> const& from, DistributedField<Real>& to) {
    // With a shift of −1 and no neighbours the residual is u.
    ResidualPass<Real, Real> pass{from.view(), {}, to.writable(), unknown()};
    pass.shift = -1.0;
    evaluate_residual(queue_, AxisWeights<double>{}, pass);
  }
  /// Returns half of a bound on the largest eigenvalue of −D ∇·∇, by Gershgorin's theorem. In a
  /// heterogeneous medium the first call examines all points, an equal part on each rank.
  /// Collective.
  [[nodiscard]] double half_eigenvalue_bound() override {
    if constexpr (heterogeneous) {
      if (!half_eigenvalue_bound_) {
        half_eigenvalue_bound_ =
            ranks_.max(inverse_stable_step(problem_, ranks_.rank(), ranks_.size()));
      }
      return *half_eigenvalue_bound_;
    } else {
      return plan_.scheme.residual_factor * (1.0 - plan_.scheme.shift);
    }
  }

  // Divided steps.
  void store_start() override { copy(field_, *start_); }
  void return_to_start(double from_s) override {
    copy(*start_, field_);
    has_rate_ = false;
    Base::set_varying_boundary(from_s);
  }
  void store_whole_step() override { copy(field_, *whole_); }
  [[nodiscard]] double difference_from_whole_step() override {
    return measured([&](Change* change) {
      ResidualPass<Real, Real> changed{field_.view(), whole_->view(), {}, unknown()};
      changed.change = change;
      changed.shift = 1.0;
      evaluate_residual(queue_, AxisWeights<double>{}, changed);
    });
  }
  /// True if one exact solution reduces the residual of a step by far more than the tolerance, so
  /// that nothing has to be measured after it.
  ///
  /// Rows of the matrix A are divided by their diagonal, and sum to the shift, so |A|∞ ≤ 2 and
  /// |A⁻¹|∞ ≤ 1 / shift. Rounding leaves a residual of a few roundings of the correction, hence of
  /// 2 / shift times those of the first residual.
  [[nodiscard]] bool solves_at_once() const requires(Grids::is_exact) {
    constexpr double roundings = 64.0;  // half units of a transform to modes and back
    return !heterogeneous && roundings * half_unit(precision_of<Real>) * 2.0 <=
                                 method_.step_tolerance * plan_.scheme.shift;
  }
  /// True if steps are those of step_by_rate().
  [[nodiscard]] bool adds_changes() const requires(Grids::is_exact) {
    return precision_of<Real> == Precision::float64 && !varies_in_time_ && !null_space_ &&
           solves_at_once();
  }
  /// Adds the change of a step: s A⁻¹ (∇·∇u + f / D). Collective.
  /// @param share  s
  /// @throws Breakdown  on every rank, if the field is not finite
  void step_by_rate(double share, double to_s) requires(Grids::is_exact) {
    if (!has_rate_) {
      require_finite(measured([&](Change* change) {
                       defect_correction_->evaluate_rate(field_, source(), change, true);
                     }),
                     to_s);
    }
    defect_correction_->solve_for_rate();
    has_rate_ = false;
    bool const ends_step = to_s == steps_.time_of(iteration_ + 1);
    if (!divides_steps() && ends_step && Base::is_checked(iteration_ + 1)) {
      pending_share_ = share;
    } else {
      defect_correction_->add_solution(field_, share);
    }
  }
  /// Enqueues evaluating the rate of change of the field, which becomes the source of the next
  /// correction if a step needs it. A pending change is added to the field in the same pass.
  void evaluate_rate(Change* change) requires(Grids::is_exact) {
    has_rate_ = adds_changes();
    if constexpr (!heterogeneous) {
      if (pending_share_) {
        // Without a history its field is free.
        defect_correction_->add_solution_and_evaluate_rate(field_, history_, *pending_share_,
                                                           source(), change);
        std::swap(field_, history_);
        pending_share_.reset();
        return;
      }
    }
    defect_correction_->evaluate_rate(field_, source(), change, has_rate_);
  }
  /// Solves (σ − ∇·∇) u(to) = σ u + f(to) / D.
  void step_backward_euler(double to_s) override {
    if constexpr (Grids::is_exact) {
      if (adds_changes()) return step_by_rate(1.0, to_s);
    }
    begin_heat_balance(true);
    add_inflow(to_s);
    set_history(true);
    solve(to_s);
  }
  /// Solves (σ − ∇·∇) u(to) = (σ + ∇·∇) u + (f(from) + f(to)) / D.
  void step_crank_nicolson(double from_s, double to_s) override {
    if constexpr (Grids::is_exact) {
      if (adds_changes()) return step_by_rate(2.0, to_s);
    }
    begin_heat_balance(false);
    // The source is evaluated at the begin of the step for the history, then at its end.
    add_inflow(from_s);
    set_history(false);
    add_inflow(to_s);
    if (source_) add_correction(queue_, source(), history_.writable(), unknown(), 1.0);
    solve(to_s);
  }

  /// Begins the heat balance of a step with the heat of the present field.
  ///
  /// Without a Dirichlet face the balance gives the mean of the next field: the present mean, plus
  /// the heat from the source and through the faces. The system of a long step is nearly singular
  /// and determines the mean to few digits only. The same holds for the components of a
  /// heterogeneous medium (ComponentBalance). Collective.
  /// @param mass_term_only  see set_history()
  void begin_heat_balance(bool mass_term_only) {
    if (null_space_) mean_ = null_space_->mean(field_.view());
    if (!has_balances()) return;
    components_->begin(mass_term_only ? field_.view() : field_.with_halo(),
                       mass_term_only ? 0.0 : 1.0);
  }
  /// Sets the source to time `at_s` and adds its heat to the balance of the step. Collective.
  void add_inflow(double at_s) {
    set_source_time(at_s);
    if (null_space_ && source_) {
      mean_ += null_space_->mean(source()) / defect_correction_->shift();
    }
    if (has_balances()) components_->add_inflow(source());
  }
  /// Sets the mean of the field to that of the heat balance. Collective.
  void set_mean() {
    if (null_space_) null_space_->set_mean(field_.writable(), mean_);
  }
  /// True if the heat balances of components have to be kept.
  [[nodiscard]] bool has_balances() const { return components_ && components_->is_active(); }
  /// Sets the means of components to those of their heat balances. Collective.
  void restore_component_balance() {
    if (has_balances()) components_->restore_balance(field_);
  }

  /// Enqueues setting the history to source + shift u + Σ w · differences, in the scaling of
  /// implicit_scheme(). Collective.
  /// @param mass_term_only  omits the differences, as a backward Euler step does
  void set_history(bool mass_term_only) {
    // A residual with the opposite shift is the history.
    ResidualPass<Real, Real> pass{field_.with_halo(), source(), history_.writable(), unknown()};
    pass.shift = -defect_correction_->shift();
    pass.mass_term_only = mass_term_only;
    defect_correction_->evaluate_residual_pass(pass);
  }

  /// Solves the system of the step: makes the field its solution at time `to_s`. Collective.
  /// @pre  The history is the right-hand side of the system, and the balance is complete.
  void solve(double to_s) {
    Base::set_varying_boundary(to_s);
    if (correct_until_solved(to_s)) restore_component_balance();  // changed by rounding
  }
  /// Corrects the field by cycles until the residual is within the step tolerance, or stagnates at
  /// the rounding floor. Collective.
  /// @returns  true if the field had to be corrected
  /// @throws Breakdown  on every rank, if the residual is not finite
  /// @throws NotConverged  on every rank, if the cycles do not converge
  bool correct_until_solved(double to_s) {
    (void)rescale(expected_);
    double residual = residual_of_step(to_s);
    expected_ = residual;
    // Another scale may round numbers differently. The bits must not depend on the expected
    // residual, so the residual is evaluated again.
    if (rescale(residual)) (void)residual_of_step(to_s);
    StepProgress progress(method_.step_tolerance, residual, heterogeneous);
    StepStatus verdict = progress.start();
    if (verdict == StepStatus::solved) return false;
    // The balance determines the means. They are set first, because cycles cannot find them.
    if (null_space_ || has_balances()) {
      set_mean();
      restore_component_balance();
      verdict = progress.begin(residual = residual_of_step(to_s));
    }
    while (verdict != StepStatus::solved) {
      if (verdict == StepStatus::stalled) {
        accept_rounding_floor(progress, to_s);
        break;
      }
      // Full multigrid pays off before the first cycle of a long step.
      if constexpr (!heterogeneous && !Grids::is_exact) {
        if (progress.cycles() == 0 && defect_correction_->reaches_far()) {
          defect_correction_->find_initial_guess();
          correct();
          defect_correction_->evaluate(field_, history_.view(), nullptr);
        }
      }
      defect_correction_->find_correction_by_cycle(progress.cycles(), true);
      correct();
      if constexpr (Grids::is_exact) {
        if (solves_at_once()) return true;
      }
      (void)rescale(residual);
      residual = residual_of_step(to_s);
      verdict = progress.next(residual);
    }
    return true;
  }

  /// Sets the scale of residuals to suit one of this size, relative to the diagonal. The rows of a
  /// heterogeneous medium are not divided by their diagonal, whose magnitude is 1 or the shift.
  /// @returns  true if the scale has changed
  bool rescale(double residual) {
    double const diagonal = heterogeneous ? std::max(1.0, defect_correction_->shift()) : 1.0;
    return defect_correction_->rescale(residual * diagonal);
  }

  /// Updates the field by the last correction and restores its mean. Collective.
  void correct() {
    defect_correction_->correct(field_);
    set_mean();
  }

  /// Evaluates the residual of the step, which becomes the source of the next correction.
  ///
  /// Returns its maximum norm, the same on every rank. Each row is divided by the diagonal of the
  /// matrix, so points of low conductivity or capacity have the same weight as others. Collective.
  /// @throws Breakdown  on every rank, if the residual is not finite
  double residual_of_step(double to_s) {
    double const residual = measured([&](Change* change) {
      defect_correction_->evaluate(field_, history_.view(), change, heterogeneous);
    });
    Base::check_varying();
    require_finite(residual, to_s);
    return residual;
  }
  /// @throws Breakdown  on every rank, if a residual in the step to `to_s` is not finite
  static void require_finite(double residual, double to_s) {
    require_sound(
        std::isfinite(residual),
        "the field is no longer finite, or too large to be computed with, in the step to t = " +
            six_digits(to_s));
  }

  /// Accepts a step whose residual stagnates if rounding explains the residual. Collective.
  /// @throws NotConverged  on every rank, if rounding does not explain it, so the cycles do not
  ///                       converge
  void accept_rounding_floor(StepProgress const& progress, double to_s) {
    double const largest =
        largest_value(ranks_, queue_, reader_, field_.view(), subdomain().owned());
    double const explained = step_rounding_floor(precision_of<Real>, largest);
    if (progress.last() <= explained) return;
    constexpr char const* advice = !heterogeneous ? ""
                                   : precision_of<Real> == Precision::float32
                                       ? "[grid] precision = \"float64\", "
                                       : "cycle_precision = \"float64\", ";
    throw NotConverged("the step to t = " + six_digits(to_s) + " did not converge: after " +
                       std::to_string(progress.cycles()) + " cycles its residual is " +
                       six_digits(progress.last() / progress.first()) +
                       " of the first and stagnates, but rounding explains only " +
                       six_digits(explained / progress.first()) + " (" + std::string(advice) +
                       "larger [method] pre and post, or a smaller time_step, may help)");
  }

  /// Returns the maximum norm, over all ranks, of the values that `work` adds to a Change.
  /// Collective; waits.
  template <class Work>
  double measured(Work const& work) {
    reader_.clear(queue_);
    work(reader_.device());
    TimelineScope const scope("check");
    reader_.fetch(queue_);
    Change const change = reader_.read();
    Stopwatch const watch(Base::reduction_s_);
    return largest_change(ranks_, change);
  }

  DistributedField<Real> field_;    ///< u: before the step, then its approximate solution
  DistributedField<Real> history_;  ///< right-hand side of the step
  std::optional<ConstantNullSpace<Real>> null_space_{};
  double mean_ = 0.0;  ///< of the field after the step, if null_space_ is set
  std::optional<Components> components_{};
  std::unique_ptr<Correction> defect_correction_{};
  std::unique_ptr<Correction> other_{};  ///< of divided steps of another length
  double other_step_s_ = 0.0;            ///< that length
  ChangeReader reader_;
  double expected_ = 0.0;  ///< approximately the first residual of the next step
  /// The field before the step that leads to a check, if changes are measured.
  std::optional<DistributedField<Real>> before_{};
  bool has_before_ = false;  ///< before_ holds the field before the present one
  /// The rate of change of the present field is the source of the next correction.
  bool has_rate_ = false;
  /// The last solution times this is to be added to the field by the check that follows.
  std::optional<double> pending_share_{};
  std::optional<double> half_eigenvalue_bound_{};
  std::optional<DistributedField<Real>> start_{};  ///< the field before a divided step
  std::optional<DistributedField<Real>> whole_{};  ///< after the same step, taken at once
  double halo_s_before_ = 0.0;  ///< halo time of earlier defect corrections, in seconds
};

/// Returns an upper bound on the bytes that an ImplicitSolver allocates, see Buffer::footprint.
template <class Real, class CorrectionReal, int dimension, class Grids>
std::size_t implicit_footprint(Problem const& problem, MethodSettings const& method,
                               SolverPlan const& plan) {
  Execution const& where = plan.execution;
  // The field and the history, the source, the field before a measured step, and the fields before
  // and after a divided step.
  bool const divides = method.adaptive.tolerance > 0.0;
  std::size_t const fields = 2 + (needs_source_field(problem) ? 1 : 0) +
                             (ends_by_changes(method) ? 1 : 0) + (divides ? 2 : 0);
  Index3 const halo = FieldSpace<Real>::halo_points_of(problem.grid, 1);
  return fields * Field<Real>::footprint(where.backend, plan.subdomain.extent(), halo) +
         FieldSpace<Real>::footprint(where.backend, plan.subdomain, 1, where.transport) +
         initial_footprint(problem, where.backend) + ResidualMonitor::footprint(where.backend) +
         ChangeReader::footprint(where.backend, 1) + FieldSums::footprint(where.backend) +
         RangeMeter::footprint(where.backend) +
         DeviceSource::footprint(problem, where.backend, plan.subdomain.extent()) +
         (Grids::heterogeneous
              ? ComponentBalance<Real, dimension>::footprint(problem, plan.subdomain, where.backend)
              : 0) +
         operators_at_once(method, Grids::is_exact) *
             DefectCorrection<Real, CorrectionReal, dimension, Grids>::footprint(problem, plan,
                                                                                 method.multigrid);
}

}  // namespace isotherm
