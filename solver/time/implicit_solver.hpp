#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/stopwatch.hpp"
#include "kernels/core/text.hpp"
#include "solver/discretise/initial.hpp"
#include "solver/discretise/stable_step.hpp"
#include "solver/iteration/check_schedule.hpp"
#include "solver/iteration/field_solver.hpp"
#include "solver/iteration/largest_change.hpp"
#include "solver/multigrid/constant_null_space.hpp"
#include "solver/multigrid/defect_correction.hpp"
#include "solver/multigrid/rounding_floor.hpp"
#include "solver/problem/breakdown.hpp"
#include "solver/problem/conditions.hpp"
#include "solver/time/component_balance.hpp"
#include "solver/time/implicit.hpp"
#include "solver/time/step_progress.hpp"

namespace isotherm {

/// Returns true if the changes of steps may end a run.
inline bool ends_by_changes(MethodSettings const& method) {
  return method.relative_to == RelativeTo::field &&
         (method.tolerance > 0.0 || method.absolute_tolerance > 0.0);
}

/// Which of the implicit methods.
enum class Implicit { backward_euler, crank_nicolson };

/// Advances u_t = D ∇·∇u + f by implicit steps (implicit.hpp), each solved by corrections
/// (defect correction.hpp): what the step knows of its start, the history, becomes the source of an
/// equation with the operator σ − ∇·∇. The first step of crank_nicolson is two half steps of
/// backward_euler, whose operator is the same, as they damp what Crank and Nicolson's step would
/// only turn over (R. Rannacher, 1984).
///
/// A step depends on the field before it alone, and how many cycles it takes on a norm that is
/// exact: so a run that is resumed goes on with the same bits.
template <class Real, class CorrectionReal, int dimension,
          class Grids = UniformGrids<CorrectionReal, dimension>>
class ImplicitSolver final : public FieldSolver<Real> {
  using Base = FieldSolver<Real>;
  using Base::iteration_, Base::method_, Base::monitor_, Base::plan_, Base::problem_;
  using Base::queue_, Base::ranks_, Base::set_source_time, Base::source, Base::source_;
  using Base::space_, Base::stalled_, Base::steps_, Base::subdomain, Base::time_s;
  using Base::varies_in_time_;

 public:
  static constexpr bool heterogeneous = Grids::heterogeneous;

  ImplicitSolver(SolverRequest const& request, Implicit kind)
      : Base(request, ResidualMonitor::Changes::of_time_steps),
        kind_(kind),
        field_(space_),
        history_(space_),
        reader_(queue_),
        schedule_(method_.check_every) {
    if (ends_by_changes(method_)) before_.emplace(space_);
    make_defect_correction();
    Base::make_source();
    if (!has_dirichlet_face(problem_) && !heterogeneous) {
      null_space_.emplace(ranks_, problem_, subdomain(), queue_);
    }
    Base::set_first_boundary();
    if (monitor_.may_stop() && method_.relative_to != RelativeTo::first) {
      auto const evaluated_in = heterogeneous ? std::nullopt : std::optional(Precision::float64);
      Base::measure_reference(evaluated_in, [&] { measure_change_in_time(0); });
    }
    Base::set_initial_state();
  }

  void advance_to(std::int64_t target) override {
    Base::check_target(target);
    Stopwatch const watch(Base::advancing_s_);
    take_step_length(steps_.step_to(iteration_));  // which a residual is measured with
    check();
    while (!monitor_.stopped() && !stalled_ && iteration_ < target) {
      take_step_length(steps_.step_after(iteration_));
      if (schedule_.next_check(iteration_ + 1) == iteration_ + 1) store_field();
      step();
      ++iteration_;
      checked_ = false;
      check();
    }
    if (iteration_ < method_.iterations || iteration_ == 0 || monitor_.stopped()) return;
    if (monitor_.confirms(iteration_, true)) monitor_.stop();
  }

  [[nodiscard]] std::string transport_name() const override {
    return defect_correction_->transport_name();
  }

 private:
  using StepStatus = StepProgress::StepStatus;
  /// By how many half units in the last place of the largest value a step may change a value that
  /// is at rest: each field is rounded when it is stored and corrected, and steps are solved no
  /// further than rounding lets them.
  static constexpr double roundings_of_step = 8.0;
  using Components = ComponentBalance<Real, dimension>;

  [[nodiscard]] DistributedField<Real>& field() override { return field_; }
  [[nodiscard]] DistributedField<Real> const& field() const override { return field_; }
  [[nodiscard]] Links<Real> links() const override { return defect_correction_->links(); }
  [[nodiscard]] double halo_seconds() const override {
    return Base::halo_seconds() + halo_s_before_ + defect_correction_->halo_seconds();
  }
  void resume(SolverState const& state) override {
    Base::resume(state);
    checked_ = false;
    has_before_ = false;
    expected_ = 0.0;
  }

  /// For steps of the plan's scheme. The one before goes first, with its memory, when no rank needs
  /// it any more.
  void make_defect_correction() {
    if (defect_correction_) {
      halo_s_before_ += defect_correction_->halo_seconds();
      queue_.wait();
      (void)ranks_.any(false);
      defect_correction_.reset();
    }
    Problem problem = problem_;
    problem.sigma = sigma_of_step(problem, method_);
    defect_correction_.emplace(ranks_, problem, plan_, method_.multigrid, space_, heterogeneous);
    if constexpr (heterogeneous) set_component_balance();
  }
  /// Makes what keeps the heat of components, if there are any, for the defect correction's steps.
  void set_component_balance() requires(heterogeneous) {
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
  /// Steps of another length have another operator.
  void take_step_length(double step_s) {
    if (step_s == plan_.scheme.time_step_s) return;
    method_.time_step_s = step_s;
    plan_.scheme = implicit_scheme(problem_, method_);
    make_defect_correction();
    monitor_.set_factor(plan_.scheme.residual_factor);
    Base::set_scheme(plan_.scheme);
  }

  [[nodiscard]] LocalBox unknown() const { return unknown_points(problem_, subdomain()); }

  /// Measures D ∇·∇u + f, which is u_t.
  void measure_change_in_time(std::int64_t iteration) {
    set_source_time(steps_.time_of(iteration));
    Change* const change = monitor_.measure(queue_, iteration);
    defect_correction_->evaluate_residual_pass(ResidualPass<Real, CorrectionReal>{
        field_.with_halo(), source(), {}, unknown(), 1.0, change});
    if (has_before_) {
      ResidualPass<Real, Real> changed{field_.view(), before_->view(), {}, unknown()};
      changed.change = monitor_.beside();
      changed.shift = 1.0;
      evaluate_residual(queue_, AxisWeights<double>{}, changed);
      monitor_.measured_beside(1.0 / plan_.scheme.time_step_s);
      has_before_ = false;
    }
    monitor_.measured(queue_);
  }
  /// Copies the field, for what the next step changes. u_t of the field behind the step is no
  /// measure of that: the operator multiplies what rounding, and the tolerance of a step, leave of
  /// short waves by its largest eigenvalue, and crank_nicolson hardly damps them.
  void store_field() {
    if (!before_) return;
    ResidualPass<Real, Real> copy{field_.view(), {}, before_->writable(), unknown()};
    copy.shift = -1.0;
    evaluate_residual(queue_, AxisWeights<double>{}, copy);
    has_before_ = true;
  }
  /// Measures the residual of the field if that is due, and ends the run if the field is within the
  /// tolerance, or steps change nothing but rounding: but not at the start, as a run takes a step
  /// at least. The residual of a field from which a run resumes is measured, and reported, once
  /// more.
  void check() {
    if (checked_ || schedule_.next_check(iteration_) != iteration_) return;
    measure_change_in_time(iteration_);
    Base::fetch();
    checked_ = true;
    if (iteration_ == 0) return;
    if (!monitor_.may_stop()) return;
    bool const is_rounding = !monitor_.within_tolerance() && has_reached_rounding();
    bool const claims = monitor_.within_tolerance();
    bool const confirmed =
        monitor_.confirms(iteration_) || (is_rounding && monitor_.confirms(iteration_, true));
    if (confirmed) monitor_.stop();
    // After a refuted claim the run continues, unless no later step changes the field.
    stalled_ = !confirmed && (is_rounding || (claims && monitor_.is_exact()));
  }
  /// Returns true if steps change nothing but rounding at every point, and the changes fall no
  /// more. Then the error is what rounding leaves. Collective.
  bool has_reached_rounding() {
    double const step_s = plan_.scheme.time_step_s;
    if (varies_in_time_ || !Base::change_exceeds_rounding(step_s) || !monitor_.stagnates())
      return false;
    double const change = monitor_.largest_change() * step_s;
    double const rounding = monitor_.measure_rounding();
    if (change > roundings_of_step * rounding && change > rounding_floor_of_change(rounding)) {
      return false;
    }
    monitor_.take_rounding_floor();
    return true;
  }
  /// How much a step changes a value of a field that is at rest but for rounding. What rounding
  /// makes of a wave of the eigenvalue λ in a step, crank_nicolson multiplies by (2 − λ Δt) / (2 +
  /// λ Δt) in each one that follows. So it sums up to 1 + λ Δt / 8 times its variance, and changes
  /// its sign in each step.
  [[nodiscard]] double rounding_floor_of_change(double rounding) {
    if (kind_ == Implicit::backward_euler) return roundings_of_step * rounding;
    double const waves = 2.0 * half_eigenvalue_bound() * plan_.scheme.time_step_s;
    return roundings_of_step * rounding * std::sqrt(1.0 + waves / 8.0);
  }
  /// Half of a bound on the largest eigenvalue of D ∇·∇. Collective.
  [[nodiscard]] double half_eigenvalue_bound() {
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

  void step() {
    double const from_s = time_s();
    double const to_s = steps_.time_of(iteration_ + 1);
    if (kind_ == Implicit::backward_euler) return step_backward_euler(to_s);
    if (iteration_ > 0) return step_crank_nicolson(from_s, to_s);
    step_backward_euler(0.5 * to_s);
    step_backward_euler(to_s);
  }
  void step_backward_euler(double to_s) {
    begin_heat_balance(true);
    add_inflow(to_s);
    set_history(true);
    solve(to_s);
  }
  void step_crank_nicolson(double from_s, double to_s) {
    begin_heat_balance(false);
    add_inflow(from_s);
    set_history(false);
    add_inflow(to_s);
    if (source_) add_correction(queue_, source(), history_.writable(), unknown(), 1.0);
    solve(to_s);
  }

  /// Without a Dirichlet face the mean of the field is known before the step: the one before it,
  /// and what the source and the faces bring in. A system that is nearly singular, of a long step,
  /// would tell it by few digits. The same holds for the components of a heterogeneous medium
  /// (ComponentBalance).
  /// @param mass_term_only  see set_history()
  void begin_heat_balance(bool mass_term_only) {
    if (null_space_) mean_ = null_space_->mean(field_.view());
    if (!has_balances()) return;
    components_->begin(mass_term_only ? field_.view() : field_.with_halo(),
                       mass_term_only ? 0.0 : 1.0);
  }
  void add_inflow(double at_s) {
    set_source_time(at_s);
    if (null_space_ && source_) {
      mean_ += null_space_->mean(source()) / defect_correction_->shift();
    }
    if (has_balances()) components_->add_inflow(source());
  }
  void set_mean() {
    if (null_space_) null_space_->set_mean(field_.writable(), mean_);
  }
  [[nodiscard]] bool has_balances() const { return components_ && components_->is_active(); }
  /// Sets the means of components by their balances.
  void restore_component_balance() {
    if (has_balances()) components_->restore_balance(field_);
  }

  /// Puts source + shift u + Σ w · differences into the history: σ u, of a step that looks back,
  /// and, unless at rest, what the operator makes of u with f.
  void set_history(bool mass_term_only) {
    ResidualPass<Real, Real> pass{field_.with_halo(), source(), history_.writable(), unknown()};
    pass.shift = -defect_correction_->shift();
    pass.mass_term_only = mass_term_only;
    defect_correction_->evaluate_residual_pass(pass);
  }

  /// Makes the field the solution at time `to_s` of the equation whose source is the history.
  void solve(double to_s) {
    Base::set_varying_boundary(to_s);
    if (correct_until_solved(to_s)) restore_component_balance();  // what rounding has changed
  }
  /// @returns  whether the field had to be corrected
  bool correct_until_solved(double to_s) {
    (void)rescale(expected_);
    double residual = residual_of_step(to_s);
    expected_ = residual;
    // On another scale numbers may round to others, and the bits must not depend on what was
    // expected.
    if (rescale(residual)) (void)residual_of_step(to_s);
    StepProgress progress(method_.step_tolerance, residual, heterogeneous);
    StepStatus verdict = progress.start();
    if (verdict == StepStatus::solved) return false;
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
      if constexpr (!heterogeneous) {
        if (progress.cycles() == 0 && defect_correction_->reaches_far()) {
          defect_correction_->find_initial_guess();
          correct();
          defect_correction_->evaluate(field_, history_.view(), nullptr);
        }
      }
      defect_correction_->find_correction_by_cycle(progress.cycles(), true);
      correct();
      (void)rescale(residual);
      residual = residual_of_step(to_s);
      verdict = progress.next(residual);
    }
    return true;
  }

  /// Residuals of a heterogeneous medium are in units of a diagonal that is one, or the shift.
  bool rescale(double residual) {
    double const diagonal = heterogeneous ? std::max(1.0, defect_correction_->shift()) : 1.0;
    return defect_correction_->rescale(residual * diagonal);
  }

  /// By the correction that was found.
  void correct() {
    defect_correction_->correct(field_);
    set_mean();
  }

  /// The largest value of the residual that the next correction is for, the same on every rank: of
  /// each row relative to the diagonal of the matrix, so that rows of points that conduct badly, or
  /// hold little, count as others do.
  double residual_of_step(double to_s) {
    double const residual = measured([&](Change* change) {
      defect_correction_->evaluate(field_, history_.view(), change, heterogeneous);
    });
    Base::check_varying();
    require_sound(
        std::isfinite(residual),
        "the field is no longer finite, or too large to be computed with, in the step to t = " +
            shortest(to_s));
    return residual;
  }

  /// A step that cannot be solved further is right as far as the precision goes, or wrong.
  void accept_rounding_floor(StepProgress const& progress, double to_s) {
    double const largest =
        largest_value(ranks_, queue_, reader_, field_.view(), subdomain().owned());
    double const explained = step_rounding_floor(precision_of<Real>, largest);
    if (progress.last() <= explained) return;
    constexpr char const* advice = !heterogeneous ? ""
                                   : precision_of<Real> == Precision::float32
                                       ? "[grid] precision = \"float64\", "
                                       : "cycle_precision = \"float64\", ";
    throw Error("the step to t = " + shortest(to_s) + " did not converge: after " +
                std::to_string(progress.cycles()) + " cycles its residual is " +
                shortest(progress.last() / progress.first()) +
                " of the first and stagnates, but rounding explains only " +
                shortest(explained / progress.first()) + " (" + std::string(advice) +
                "larger [method] pre and post, or a smaller time_step, may help)");
  }

  /// The largest value of what `work` adds to a Change. Collective.
  template <class Work>
  double measured(Work const& work) {
    reader_.clear(queue_);
    work(reader_.device());
    reader_.fetch(queue_);
    Change const change = reader_.read();
    Stopwatch const watch(Base::reduction_s_);
    return largest_change(ranks_, change);
  }

  Implicit kind_;
  DistributedField<Real> field_;
  DistributedField<Real> history_;
  std::optional<ConstantNullSpace<Real>> null_space_{};
  double mean_ = 0.0;  ///< of the field behind the step, where no Dirichlet face tells it
  std::optional<Components> components_{};
  std::optional<DefectCorrection<Real, CorrectionReal, dimension, Grids>> defect_correction_{};
  ChangeReader reader_;
  CheckSchedule schedule_;
  double expected_ = 0.0;  ///< approximately the first residual of the next step
  /// The field before the step that leads to a check, if changes are measured.
  std::optional<DistributedField<Real>> before_{};
  bool has_before_ = false;
  std::optional<double> half_eigenvalue_bound_{};
  bool checked_ = false;        ///< the residual of the field has been measured, if that is due
  double halo_s_before_ = 0.0;  ///< of defect corrections that are gone
};

/// Bytes that such a solver takes at most, see Buffer::footprint.
template <class Real, class CorrectionReal, int dimension, class Grids>
std::size_t implicit_footprint(Problem const& problem, MethodSettings const& method,
                               SolverPlan const& plan) {
  Execution const& where = plan.execution;
  std::size_t const fields =
      2 + (needs_source_field(problem) ? 1 : 0) + (ends_by_changes(method) ? 1 : 0);
  Index3 const halo = FieldSpace<Real>::halo_points_of(problem.grid, 1);
  return fields * Field<Real>::footprint(where.backend, plan.subdomain.extent(), halo) +
         FieldSpace<Real>::footprint(where.backend, plan.subdomain, 1, where.transport) +
         initial_footprint(problem, where.backend) + ResidualMonitor::footprint(where.backend) +
         ChangeReader::footprint(where.backend, 1) + FieldSums::footprint(where.backend) +
         RangeMeter::footprint(where.backend) +
         (Grids::heterogeneous
              ? ComponentBalance<Real, dimension>::footprint(problem, plan.subdomain, where.backend)
              : 0) +
         DefectCorrection<Real, CorrectionReal, dimension, Grids>::footprint(problem, plan,
                                                                             method.multigrid);
}

}  // namespace isotherm
