#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/stopwatch.hpp"
#include "kernels/core/text.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/fastest_exchange.hpp"
#include "solver/discretise/given_value.hpp"
#include "solver/discretise/initial.hpp"
#include "solver/iteration/largest_change.hpp"
#include "solver/iteration/residual_monitor.hpp"
#include "solver/iteration/solver_interface.hpp"
#include "solver/iteration/solver_plan.hpp"
#include "solver/level/evaluation_fault.hpp"
#include "solver/level/halo_shape.hpp"
#include "solver/level/source.hpp"
#include "solver/level/unknowns/kept_points.hpp"
#include "solver/multigrid/attainable.hpp"
#include "solver/multigrid/corrector.hpp"
#include "solver/multigrid/free_constant.hpp"
#include "solver/problem/breakdown.hpp"
#include "solver/problem/conditions.hpp"
#include "solver/time/implicit.hpp"
#include "solver/time/island_balance.hpp"
#include "solver/time/step_progress.hpp"

namespace isotherm {

/// The half unit in the last place of 1.
template <class Real>
constexpr double half_unit_of = precision_of<Real> == Precision::float32 ? 0x1p-24 : 0x1p-53;

/// Whether what steps change may end a run.
inline bool ends_by_changes(MethodSettings const& method) {
  return method.relative_to == RelativeTo::field &&
         (method.tolerance > 0.0 || method.absolute_tolerance > 0.0);
}

/// Which of the implicit methods.
enum class Implicit { backward_euler, crank_nicolson };

/// Advances u_t = D ∇·∇u + f by implicit steps (implicit.hpp), each solved by corrections
/// (corrector.hpp): what the step knows of its start, the history, becomes the source of an
/// equation with the operator σ − ∇·∇. The first step of crank_nicolson is two half steps of
/// backward_euler, whose operator is the same, as they damp what Crank and Nicolson's step would
/// only turn over (R. Rannacher, 1984).
///
/// A step depends on the field before it alone, and how many cycles it takes on a norm that is
/// exact: so a run that is resumed goes on with the same bits.
template <class Real, class CorrectionReal, int dimension,
          class Grids = UniformGrids<CorrectionReal, dimension>>
class ImplicitSolver final : public Solver {
 public:
  static constexpr bool conducts = Grids::conducts;

  ImplicitSolver(mpi::Communicator const& ranks, Problem const& problem,
                 MethodSettings const& method, SolverPlan const& plan, Implicit kind)
      : ranks_(ranks.get()),
        problem_(problem),
        kind_(kind),
        end_(method.iterations),
        step_tolerance_(method.step_tolerance),
        method_(method),
        plan_(plan),
        steps_(time_steps_of(method)),
        longest_step_s_(steps_.lengths_between(0, method.iterations).second),
        varies_in_time_(varies_in_time(problem)),
        sweep_(plan.passes.full()),
        queue_(plan.execution.backend, plan.execution.device),
        space_(ranks_, plan.subdomain, queue_, halo_shape(problem, 1), plan.execution.transport),
        field_(space_),
        history_(space_),
        dirichlet_(problem_, plan.subdomain),
        kept_(problem_, plan.subdomain),
        reader_(queue_),
        schedule_(method.check_every),
        monitor_(ranks_, queue_, schedule_, criterion_of(method),
                 ResidualMonitor::Changes::of_time_steps, plan.scheme.residual_factor, steps_,
                 unknown_count(problem) - kept_.count_of_all(ranks_)),
        range_meter_(queue_) {
    monitor_.set_range([this, ambient = ambient_range(problem_, plan.subdomain)] {
      ValueRange range = range_meter_.measure(queue_, std::as_const(field_).view(),
                                              subdomain().owned(), corrector_->links());
      range.add(ambient);
      return range;
    });
    monitor_.set_half_unit(half_unit_of<Real>);
    if (ends_by_changes(method)) before_.emplace(space_);
    make_corrector();
    if (needs_source_field(problem_)) source_.emplace(problem_, plan.scheme, space_);
    if (!has_dirichlet_face(problem_) && !conducts) {
      free_constant_.emplace(ranks_, problem_, plan.subdomain, queue_);
    }
    set_boundary();
    field_.check_evaluated([&](Index3 p) { return faulty_boundary(problem_, plan.subdomain, p); });
    if (monitor_.may_stop() && method.relative_to != RelativeTo::first) measure_reference();
    set_initial_values(problem_, queue_, field_);
    field_.check_evaluated(
        [&](Index3 p) { return faulty_initial_value(problem_, plan.subdomain, p); });
    kept_.set(field_, 0.0);
  }

  void advance_to(std::int64_t target) override {
    require(target <= end_, "step " + std::to_string(target) +
                                " was asked for, but the run's settings end at " +
                                std::to_string(end_));
    Stopwatch const watch(advancing_s_);
    take_step_length(steps_.step_to(iteration_));  // which a residual is measured with
    check();
    while (!monitor_.stopped() && !stalled_ && iteration_ < target) {
      take_step_length(steps_.step_after(iteration_));
      if (schedule_.next_check(iteration_ + 1) == iteration_ + 1) keep_field();
      step();
      ++iteration_;
      checked_ = false;
      check();
    }
    if (iteration_ < end_ || iteration_ == 0 || monitor_.stopped()) return;
    if (monitor_.confirms(iteration_, true)) monitor_.stop();
  }

  std::vector<LevelTime> time_levels(std::int64_t target) override {
    corrector_->start_clock();
    advance_to(target);
    return corrector_->stop_clock();
  }

  [[nodiscard]] bool converged() const override { return monitor_.stopped(); }
  [[nodiscard]] bool stalled() const override { return stalled_; }
  [[nodiscard]] std::int64_t iteration() const override { return iteration_; }
  [[nodiscard]] SolverState state() override {
    return {iteration_,         monitor_.first(),
            monitor_.last(),    monitor_.reference(),
            time_s(),           steps_.leading_to(iteration_),
            monitor_.changes(), monitor_.range(),
            monitor_.refuted(), monitor_.found_error()};
  }
  [[nodiscard]] double time_s() const override { return steps_.time_of(iteration_); }
  std::vector<Residual> take_residuals() override { return monitor_.take(); }

  [[nodiscard]] AnyFieldView field_view() const override { return field_.view(); }
  void read_field(Values values) override { field_.read(span_of<Real>(values)); }
  void take_field(FieldCopy& copy, Values values) override {
    field_.take(copy, span_of<Real>(values));
  }
  void restore(ConstValues values, SolverState const& state) override {
    require(state.iteration >= 0 && state.iteration <= end_,
            "a state of iteration " + std::to_string(state.iteration) +
                " cannot be restored: the run's settings go from 0 to " + std::to_string(end_));
    field_.write(span_of<Real const>(values));
    go_on_from(state);
  }
  void set_initial(ConstValues values) override {
    field_.write(span_of<Real const>(values));
    set_boundary();
    go_on_from({});
  }
  void check_claims_by(ErrorCheck check) override {
    if (!check) return monitor_.set_check({});
    monitor_.set_check(
        [this, check = std::move(check)](double enough) { return check(ranks_, *this, enough); });
  }
  void read_source(Values values) override {
    evaluate_owned(subdomain(), problem_.source, time_s(), span_of<Real>(values));
  }

  void wait() override {
    Stopwatch const watch(advancing_s_);
    queue_.wait();
  }

  [[nodiscard]] Subdomain const& subdomain() const override { return space_.subdomain(); }
  [[nodiscard]] SweepPlan const& plan() const override { return sweep_; }
  [[nodiscard]] std::string transport_name() const override { return corrector_->transport_name(); }
  [[nodiscard]] SolverTimes times() const override {
    double const halo_s = space_.halo().seconds() + halo_s_before_ + corrector_->halo_seconds();
    double const reduction_s = monitor_.seconds() + reduction_s_;
    return {std::max(0.0, advancing_s_ - halo_s - reduction_s), halo_s, reduction_s};
  }
  [[nodiscard]] Queue& queue() override { return queue_; }

 private:
  using Verdict = StepProgress::Verdict;
  /// By how many half units in the last place of the largest value a step may change a value that
  /// is at rest: each field is rounded when it is stored and corrected, and steps are solved no
  /// further than rounding lets them.
  static constexpr double roundings_of_step = 8.0;
  using Islands = IslandBalance<Real, dimension>;

  /// For steps of the plan's scheme. The one before goes first, with its memory, when no rank needs
  /// it any more.
  void make_corrector() {
    if (corrector_) {
      halo_s_before_ += corrector_->halo_seconds();
      queue_.wait();
      (void)ranks_.any(false);
      corrector_.reset();
    }
    Problem problem = problem_;
    problem.sigma = sigma_of_step(problem, method_);
    corrector_.emplace(ranks_, problem, plan_, method_.multigrid, space_, conducts);
    if constexpr (conducts) balance_islands();
  }
  /// Makes what keeps the heat of islands, if there are any, for the corrector's steps.
  void balance_islands() requires(conducts) {
    bool const deflates = corrector_->is_mean_free();
    if (!islands_ && (deflates || Islands::may_keep_heat(problem_))) {
      islands_.emplace(ranks_, problem_, subdomain(), queue_);
    }
    if (!islands_) return;
    islands_->set_operator(corrector_->conductances(), corrector_->shift(), deflates);
    if (deflates) {
      corrector_->set_deflation(
          [this](FieldView<Real> direction) { islands_->deflate(direction); });
    }
  }
  /// Steps of another length have another operator.
  void take_step_length(double step_s) {
    if (step_s == plan_.scheme.time_step_s) return;
    method_.time_step_s = step_s;
    plan_.scheme = implicit_scheme(problem_, method_);
    make_corrector();
    monitor_.set_factor(plan_.scheme.residual_factor);
    if (source_) source_->set_scheme(plan_.scheme, source_time_s_);
  }

  /// Returns true if the step is long enough for its change to be more than rounding, compared with
  /// the longest step of the run.
  [[nodiscard]] bool tells_change() const {
    constexpr double least_part = precision_of<Real> == Precision::float32 ? 0.5 : 1e-3;
    return plan_.scheme.time_step_s >= least_part * longest_step_s_;
  }

  [[nodiscard]] LocalBox unknown() const { return unknown_points(problem_, subdomain()); }
  [[nodiscard]] FieldView<Real const> source() const {
    return source_ ? source_->view() : FieldView<Real const>{};
  }

  void set_boundary() {
    space_.halo().forget();
    kept_.set(field_, 0.0);
    dirichlet_.set(field_, 0.0);
  }
  void go_on_from(SolverState const& state) {
    fault_.forget();
    iteration_ = state.iteration;
    monitor_.restore(state);
    checked_ = false;
    stalled_ = false;
    has_before_ = false;
    expected_ = 0.0;
  }

  /// The values of Dirichlet faces as of another time, as far as they depend on it.
  void set_boundary_time(double time_s) {
    space_.halo().forget();
    kept_.set_varying(field_, time_s);
    dirichlet_.set_varying(field_, time_s);
    if (auto const point = space_.staging().take_not_finite()) {
      fault_.note(faulty_boundary(problem_, subdomain(), *point).text, time_s);
    }
  }
  void set_source_time(double time_s) {
    if (!source_ || time_s == source_time_s_) return;
    source_->set_time(time_s);
    source_time_s_ = time_s;
    if (auto const point = space_.staging().take_not_finite()) {
      fault_.note(faulty_source(problem_, subdomain(), *point, time_s).text, time_s);
    }
  }

  /// Measures D ∇·∇u + f, which is u_t, of the field that is constant but for its boundary values.
  void measure_reference() {
    double const level = kept_.given_level(ranks_, problem_, subdomain());
    add_constant(queue_, field_.view(), subdomain().owned(), level);
    set_boundary();
    measure_change_in_time(0);
    monitor_.take_as_reference(conducts ? 0.0
                                        : rounding_of_sweep(problem_, Precision::float64, level));
  }
  void measure_change_in_time(std::int64_t iteration) {
    set_source_time(steps_.time_of(iteration));
    field_.fill_halo();
    Change* const change = monitor_.measure(queue_, iteration);
    corrector_->evaluate_flow(ResidualPass<Real, CorrectionReal>{
        std::as_const(field_).view(), source(), {}, unknown(), 1.0, change});
    if (has_before_) {
      ResidualPass<Real, Real> changed{
          std::as_const(field_).view(), std::as_const(*before_).view(), {}, unknown()};
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
  void keep_field() {
    if (!before_) return;
    ResidualPass<Real, Real> copy{std::as_const(field_).view(), {}, before_->view(), unknown()};
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
    if (varies_in_time_) fault_.check(ranks_);
    monitor_.fetch();
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
    if (varies_in_time_ || !tells_change() || !monitor_.stagnates()) return false;
    double const change = monitor_.largest_change() * plan_.scheme.time_step_s;
    double const rounding = half_unit_of<Real> * monitor_.measure_range().magnitude();
    if (change > roundings_of_step * rounding && change > change_of_rounding(rounding)) {
      return false;
    }
    monitor_.take_rounding_floor(16.0 * rounding);
    return true;
  }
  /// How much a step changes a value of a field that is at rest but for rounding. What rounding
  /// makes of a wave of the eigenvalue λ in a step, crank_nicolson multiplies by (2 − λ Δt) / (2 +
  /// λ Δt) in each one that follows. So it sums up to 1 + λ Δt / 8 times its variance, and changes
  /// its sign in each step.
  [[nodiscard]] double change_of_rounding(double rounding) {
    if (kind_ == Implicit::backward_euler) return roundings_of_step * rounding;
    double const waves = 2.0 * fastest_rate() * plan_.scheme.time_step_s;
    return roundings_of_step * rounding * std::sqrt(1.0 + waves / 8.0);
  }
  /// Half of a bound on the largest eigenvalue of D ∇·∇. Collective.
  [[nodiscard]] double fastest_rate() {
    if constexpr (conducts) {
      if (!fastest_rate_) {
        fastest_rate_ = ranks_.max(fastest_exchange(problem_, ranks_.rank(), ranks_.size()));
      }
      return *fastest_rate_;
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
    keep_heat(true);
    add_inflow(to_s);
    keep_history(true);
    solve(to_s);
  }
  void step_crank_nicolson(double from_s, double to_s) {
    keep_heat(false);
    add_inflow(from_s);
    keep_history(false);
    add_inflow(to_s);
    if (source_) add_correction(queue_, source(), history_.view(), unknown(), 1.0);
    solve(to_s);
  }

  /// Without a Dirichlet face the mean of the field is known before the step: the one before it,
  /// and what the source and the faces bring in. A system that is nearly singular, of a long step,
  /// would tell it by few digits. The same holds for the islands of a heterogeneous medium
  /// (IslandBalance).
  /// @param at_rest  see keep_history()
  void keep_heat(bool at_rest) {
    if (free_constant_) mean_ = free_constant_->mean(field_.view());
    if (!has_balances()) return;
    if (!at_rest) field_.fill_halo();
    islands_->begin(std::as_const(field_).view(), at_rest ? 0.0 : 1.0);
  }
  void add_inflow(double time_s) {
    set_source_time(time_s);
    if (free_constant_ && source_) {
      mean_ += free_constant_->mean(source_->view()) / corrector_->shift();
    }
    if (has_balances()) islands_->add_inflow(source());
  }
  void set_mean() {
    if (free_constant_) free_constant_->set_mean(field_.view(), mean_);
  }
  [[nodiscard]] bool has_balances() const { return islands_ && islands_->is_active(); }
  /// Sets the means of islands by their balances.
  void settle_islands() {
    if (!has_balances()) return;
    field_.fill_halo();
    islands_->settle(field_.view());
  }

  /// Puts source + shift u + Σ w · differences into the history: σ u, of a step that looks back,
  /// and, unless at rest, what the operator makes of u with f.
  void keep_history(bool at_rest) {
    field_.fill_halo();
    ResidualPass<Real, Real> pass{std::as_const(field_).view(), source(), history_.view(),
                                  unknown()};
    pass.shift = -corrector_->shift();
    pass.at_rest = at_rest;
    corrector_->evaluate_flow(pass);
  }

  /// Makes the field the solution at time `to_s` of the equation whose source is the history.
  void solve(double to_s) {
    set_boundary_time(to_s);
    if (correct_until_solved(to_s)) settle_islands();  // what rounding has changed
  }
  /// @returns  whether the field had to be corrected
  bool correct_until_solved(double to_s) {
    (void)rescale(expected_);
    double residual = residual_of_step(to_s);
    expected_ = residual;
    // On another scale numbers may round to others, and the bits must not depend on what was
    // expected.
    if (rescale(residual)) (void)residual_of_step(to_s);
    StepProgress progress(step_tolerance_, residual, conducts);
    Verdict verdict = progress.start();
    if (verdict == Verdict::solved) return false;
    if (free_constant_ || has_balances()) {
      set_mean();
      settle_islands();
      verdict = progress.begin(residual = residual_of_step(to_s));
    }
    while (verdict != Verdict::solved) {
      if (verdict == Verdict::stalled) {
        accept_rounding(progress, to_s);
        break;
      }
      if constexpr (!conducts) {
        if (progress.cycles() == 0 && corrector_->reaches_far()) {
          corrector_->find_start();
          correct();
          corrector_->evaluate(field_, history_.view(), nullptr);
        }
      }
      corrector_->find_by_cycle(progress.cycles(), true);
      correct();
      (void)rescale(residual);
      residual = residual_of_step(to_s);
      verdict = progress.next(residual);
    }
    return true;
  }

  /// Residuals of a heterogeneous medium are in units of a diagonal that is one, or the shift.
  bool rescale(double residual) {
    double const diagonal = conducts ? std::max(1.0, corrector_->shift()) : 1.0;
    return corrector_->rescale(residual * diagonal);
  }

  /// By the correction that was found.
  void correct() {
    corrector_->correct(field_);
    set_mean();
  }

  /// The largest value of the residual that the next correction is for, the same on every rank: of
  /// each row relative to the diagonal of the matrix, so that rows of points that conduct badly, or
  /// hold little, count as others do.
  double residual_of_step(double to_s) {
    double const residual = measured(
        [&](Change* change) { corrector_->evaluate(field_, history_.view(), change, conducts); });
    if (varies_in_time_) fault_.check(ranks_);
    require_sound(
        std::isfinite(residual),
        "the field is no longer finite, or too large to be computed with, in the step to t = " +
            shortest(to_s));
    return residual;
  }

  /// A step that cannot be solved further is right as far as the precision goes, or wrong.
  void accept_rounding(StepProgress const& progress, double to_s) {
    double const largest =
        largest_value(ranks_, queue_, reader_, std::as_const(field_).view(), subdomain().owned());
    double const explained = residual_of_rounding(precision_of<Real>, largest);
    if (progress.last() <= explained) return;
    constexpr char const* advice = !conducts ? ""
                                   : precision_of<Real> == Precision::float32
                                       ? "[grid] precision = \"float64\", "
                                       : "cycle_precision = \"float64\", ";
    throw Error(
        "the step to t = " + shortest(to_s) + " cannot be solved: after " +
        std::to_string(progress.cycles()) + " cycles its residual is " +
        shortest(progress.last() / progress.first()) +
        " of the first and falls no further, or too slowly, though rounding explains only " +
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
    Stopwatch const watch(reduction_s_);
    return largest_change(ranks_, change);
  }

  mpi::Communicator ranks_;
  Problem problem_;
  Implicit kind_;
  std::int64_t end_;
  double step_tolerance_;
  MethodSettings method_;  ///< with the step of the corrector
  SolverPlan plan_;        ///< with its scheme
  TimeSteps steps_;
  double longest_step_s_;  ///< of the run
  bool varies_in_time_;
  SweepPlan sweep_;
  Queue queue_;
  FieldSpace<Real> space_;
  DistributedField<Real> field_;
  DistributedField<Real> history_;
  DirichletFaces<Real> dirichlet_;
  KeptPoints<Real> kept_;
  std::optional<SourceField<Real>> source_{};
  double source_time_s_ = 0.0;
  std::optional<FreeConstant<Real>> free_constant_{};
  double mean_ = 0.0;  ///< of the field behind the step, where no Dirichlet face tells it
  std::optional<Islands> islands_{};
  EvaluationFault fault_{};
  std::optional<Corrector<Real, CorrectionReal, dimension, Grids>> corrector_{};
  ChangeReader reader_;
  CheckSchedule schedule_;
  ResidualMonitor monitor_;
  double expected_ = 0.0;  ///< approximately the first residual of the next step
  RangeMeter range_meter_;
  /// The field before the step that leads to a check, if changes are measured.
  std::optional<DistributedField<Real>> before_{};
  bool has_before_ = false;
  std::optional<double> fastest_rate_{};
  bool stalled_ = false;
  bool checked_ = false;  ///< the residual of the field has been measured, if that is due
  std::int64_t iteration_ = 0;
  double advancing_s_ = 0.0;
  double halo_s_before_ = 0.0;  ///< of correctors that are gone
  double reduction_s_ = 0.0;
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
         (Grids::conducts
              ? IslandBalance<Real, dimension>::footprint(problem, plan.subdomain, where.backend)
              : 0) +
         Corrector<Real, CorrectionReal, dimension, Grids>::footprint(problem, plan,
                                                                      method.multigrid);
}

}  // namespace isotherm
