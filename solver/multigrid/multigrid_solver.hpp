#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/core/stopwatch.hpp"
#include "kernels/multigrid/mean.hpp"
#include "kernels/multigrid/residual.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/given_value.hpp"
#include "solver/discretise/initial.hpp"
#include "solver/iteration/largest_change.hpp"
#include "solver/iteration/residual_monitor.hpp"
#include "solver/iteration/solver_interface.hpp"
#include "solver/iteration/solver_plan.hpp"
#include "solver/level/evaluation_fault.hpp"
#include "solver/level/free_islands.hpp"
#include "solver/level/halo_shape.hpp"
#include "solver/level/kept_points.hpp"
#include "solver/level/source.hpp"
#include "solver/multigrid/attainable.hpp"
#include "solver/multigrid/corrector.hpp"
#include "solver/multigrid/free_constant.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

/// Whether a multigrid solver corrects its field in a second one, on the way to its residual: on
/// devices, where each pass over memory counts, but not where the mean has to be set in between.
inline bool has_spare_field(Problem const& problem, SolverPlan const& plan) {
  return plan.execution.backend == Backend::cuda && has_dirichlet_face(problem) &&
         !has_body(problem);
}

/// Solves −∇·∇u = f by corrections (corrector.hpp): a cycle an iteration, the first of them after
/// full multigrid; or −∇·κ∇u = f, where each is a step of conjugate gradients.
template <class Real, class CorrectionReal, int dimension,
          class Grids = UniformGrids<CorrectionReal, dimension>>
class MultigridSolver final : public Solver {
 public:
  static constexpr bool conducts = Grids::conducts;
  static constexpr auto changes = conducts ? ResidualMonitor::Changes::of_conjugate_cycles
                                           : ResidualMonitor::Changes::of_cycles;
  using FreeValues = std::conditional_t<conducts, FreeIslands<Real>, FreeConstant<Real>>;

  MultigridSolver(mpi::Communicator const& ranks, Problem const& problem,
                  MethodSettings const& method, SolverPlan const& plan)
      : ranks_(ranks.get()),
        problem_(problem),
        end_(method.iterations),
        relative_to_(method.relative_to),
        factor_(plan.scheme.residual_factor),
        sweep_(plan.passes.full()),
        queue_(plan.execution.backend, plan.execution.device),
        space_(ranks_, plan.subdomain, queue_, halo_shape(problem, 1), plan.execution.transport),
        field_(space_),
        dirichlet_(problem_, plan.subdomain),
        kept_(problem_, plan.subdomain),
        corrector_(ranks_, problem_, plan, method.multigrid, space_),
        monitor_(ranks_, queue_, CheckSchedule(1), criterion_of(method), changes,
                 plan.scheme.residual_factor, time_steps_of(method),
                 unknown_count(problem) - kept_.count_of_all(ranks_)),
        reader_(queue_),
        range_meter_(queue_) {
    monitor_.set_range([this, ambient = ambient_range(problem_, plan.subdomain)] {
      ValueRange range = range_meter_.measure(queue_, std::as_const(field_).view(),
                                              subdomain().owned(), corrector_.links());
      range.add(ambient);
      return range;
    });
    if (needs_source_field(problem_)) source_.emplace(problem_, plan.scheme, space_);
    if (may_have_free_values(problem_)) {
      free_values_.emplace(ranks_, problem_, subdomain(), queue_);
      if (source_) remark_ = free_values_->make_compatible(source_->view(), factor_);
    }
    if (has_spare_field(problem_, plan)) spare_.emplace(space_);
    set_boundary();
    field_.check_evaluated([&](Index3 p) { return faulty_boundary(problem_, plan.subdomain, p); });
    measure_reference();
    remark_on_tolerance(method.norm);
    set_initial_values(problem_, queue_, field_);
    field_.check_evaluated(
        [&](Index3 p) { return faulty_initial_value(problem_, plan.subdomain, p); });
    kept_.set(field_, 0.0);
    if (free_values_) free_values_->set_mean(field_.view(), problem_.mean);
  }

  void advance_to(std::int64_t target) override {
    require(target <= end_, "iteration " + std::to_string(target) +
                                " was asked for, but the run's settings end at " +
                                std::to_string(end_));
    Stopwatch const watch(advancing_s_);
    if (!evaluated_) evaluate();
    while (!monitor_.stopped() && !stalled_ && iteration_ < target) {
      if (has_ended()) break;
      improve();
      if (monitor_.may_stop()) look_for_stagnation();
    }
    if (has_ended()) monitor_.stop();
  }

  std::vector<LevelTime> time_levels(std::int64_t target) override {
    corrector_.start_clock();
    advance_to(target);
    return corrector_.stop_clock();
  }

  [[nodiscard]] bool converged() const override { return monitor_.stopped(); }
  [[nodiscard]] bool stalled() const override { return stalled_ && !monitor_.stopped(); }
  [[nodiscard]] std::int64_t iteration() const override { return iteration_; }
  [[nodiscard]] SolverState state() override {
    return {iteration_, monitor_.first(),   monitor_.last(), monitor_.reference(), 0.0,
            {},         monitor_.changes(), monitor_.range()};
  }
  [[nodiscard]] double time_s() const override { return 0.0; }
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
  void read_source(Values values) override {
    evaluate_owned(subdomain(), problem_.source, 0.0, span_of<Real>(values));
  }

  void wait() override {
    Stopwatch const watch(advancing_s_);
    queue_.wait();
  }

  [[nodiscard]] Subdomain const& subdomain() const override { return space_.subdomain(); }
  [[nodiscard]] SweepPlan const& plan() const override { return sweep_; }
  [[nodiscard]] std::string remark() const override { return remark_; }
  [[nodiscard]] std::string transport_name() const override { return corrector_.transport_name(); }
  [[nodiscard]] SolverTimes times() const override {
    double const halo_s = space_.halo().seconds() + corrector_.halo_seconds();
    double const reduction_s = monitor_.seconds();
    return {std::max(0.0, advancing_s_ - halo_s - reduction_s), halo_s, reduction_s};
  }
  [[nodiscard]] Queue& queue() override { return queue_; }

 private:
  static constexpr double half_unit = precision_of<Real> == Precision::float32 ? 0x1p-24 : 0x1p-53;

  /// A run takes at least one cycle, unless its residual is 0 exactly.
  [[nodiscard]] bool has_ended() const {
    return monitor_.within_tolerance() && (iteration_ > 0 || monitor_.is_exact());
  }
  /// Whether cycles have come to the end of the precision: the residual is rounding in every row,
  /// and corrections no longer fall. What is left is then no larger than these corrections. Cycles
  /// that do not converge end the run, too; conjugate gradients may only pause.
  void look_for_stagnation() {
    if (monitor_.within_tolerance() || !monitor_.stagnates()) return;
    bool const rounding = is_rounding();
    stalled_ = rounding || !conducts;
    if (rounding)
      monitor_.take_rounding_floor(16.0 * half_unit * monitor_.measure_range().magnitude());
  }
  /// Whether each row of the residual is what rounding the values makes of it: the field solves a
  /// system whose coefficients differ from the given ones by a few units in the last place (W.
  /// Oettli and W. Prager, 1964).
  [[nodiscard]] bool is_rounding() {
    constexpr double roundings = 8.0;
    reader_.clear(queue_);
    corrector_.measure_jacobi_change(field_, source(), reader_.device());
    reader_.fetch(queue_);
    double const change = largest_change(ranks_, reader_.read());
    return change <= roundings * half_unit * monitor_.measure_range().magnitude();
  }

  void set_boundary() {
    space_.halo().forget();
    kept_.set(field_, 0.0);
    dirichlet_.set(field_, 0.0);
    if (spare_) dirichlet_.set(*spare_, 0.0);
  }
  void go_on_from(SolverState const& state) {
    iteration_ = state.iteration;
    monitor_.restore(state);
    evaluated_ = false;
    stalled_ = false;
    cycles_ = 0;
  }
  [[nodiscard]] FieldView<Real const> source() const {
    return source_ ? source_->view() : FieldView<Real const>{};
  }

  /// Measures the residual of the field that is constant but for its boundary values, ‖b − A c‖
  /// with c a given value: so a constant that is added to all given values does not change it.
  void measure_reference() {
    double const level = kept_.given_level(ranks_, problem_, subdomain());
    add_constant(queue_, field_.view(), subdomain().owned(), level);
    set_boundary();
    Change* const change = monitor_.measure(queue_, 0);
    corrector_.evaluate(field_, source(), change);
    monitor_.measured(queue_);
    monitor_.take_as_reference(conducts ? 0.0 : rounding_of_sweep(Precision::float64, level));
    (void)corrector_.rescale(monitor_.reference().value_or(0.0) / factor_);
  }

  /// Notes that the tolerance may be less than the precision holds, as far as the boundary values,
  /// which are all that is in the field yet, and the source tell how large the solution will be.
  void remark_on_tolerance(Norm norm) {
    if (!monitor_.may_stop() || relative_to_ != RelativeTo::rhs || conducts) return;
    ChangeReader reader(queue_);
    LocalBox const owned = subdomain().owned();
    FieldView<Real const> const field = std::as_const(field_).view();
    double size = largest_value(ranks_, queue_, reader, field, owned);
    if (source_) {
      double const sum = FieldSums(queue_).sum(queue_, source(), owned, HalfPlanes{}).absolute_sum;
      auto const points = static_cast<double>(problem_.grid.point_count());
      size = std::max(size, size_by_source(problem_, factor_ * ranks_.sum(sum) / points));
    }
    std::string const remark =
        remark_on_rounding(problem_, residual_left_by_rounding(problem_, norm, size),
                           monitor_.allowed(), monitor_.reference().value_or(0.0));
    if (!remark.empty()) remark_ += (remark_.empty() ? "" : "; ") + remark;
  }

  /// Evaluates the residual of the field, which the hierarchy has to solve for. The residual of a
  /// field from which a run resumes is measured, and reported, once more.
  void evaluate() {
    Change* const change = monitor_.measure(queue_, iteration_);
    corrector_.evaluate(field_, source(), change);
    fetch_residual();
    if (!corrector_.suits_scale(monitor_.last()->value / factor_)) {
      (void)corrector_.rescale(monitor_.last()->value / factor_);
      corrector_.evaluate(field_, source(), nullptr);
    }
  }
  void fetch_residual() {
    monitor_.measured(queue_);
    monitor_.fetch();
    evaluated_ = true;
  }

  /// Corrects the field by a cycle, before the first one by full multigrid, and evaluates the
  /// residual of what it is then.
  void improve() {
    double const size = monitor_.last()->value / factor_;
    if constexpr (!conducts) {
      if (iteration_ == 0) {
        corrector_.find_start();
        correct(size, nullptr);
      }
    }
    corrector_.find_by_cycle(conducts ? cycles_ : iteration_);
    ++cycles_;
    ++iteration_;
    Change* const change = monitor_.measure(queue_, iteration_);
    if (monitor_.may_stop()) {
      corrector_.measure_correction(monitor_.beside());
      monitor_.measured_beside(corrector_.size_factor(), corrector_.gain());
    }
    correct(size, change);
    fetch_residual();
  }
  /// By the correction that was found; and evaluates the residual, of about `size`, which the next
  /// one is for, with its norms if asked to.
  void correct(double size, Change* change) {
    if constexpr (!conducts) {
      if (spare_) {
        corrector_.correct_and_evaluate(field_, *spare_, size, source(), change);
        std::swap(field_, *spare_);
        return;
      }
    }
    corrector_.correct(field_);
    if (free_values_) free_values_->set_mean(field_.view(), problem_.mean);
    (void)corrector_.rescale(size);
    corrector_.evaluate(field_, source(), change);
  }

  mpi::Communicator ranks_;
  Problem problem_;
  std::int64_t end_;
  RelativeTo relative_to_;
  double factor_;  ///< residual of the equation = factor · residual of a sweep
  SweepPlan sweep_;
  Queue queue_;
  FieldSpace<Real> space_;
  DistributedField<Real> field_;
  std::optional<DistributedField<Real>> spare_{};  ///< see has_spare_field()
  DirichletFaces<Real> dirichlet_;
  std::optional<SourceField<Real>> source_{};
  std::optional<FreeValues> free_values_{};
  std::string remark_{};
  KeptPoints<Real> kept_;
  Corrector<Real, CorrectionReal, dimension, Grids> corrector_;
  ResidualMonitor monitor_;
  ChangeReader reader_;
  RangeMeter range_meter_;
  std::int64_t cycles_ = 0;  ///< since the field was set
  bool stalled_ = false;
  bool evaluated_ = false;  ///< the hierarchy's source is the residual of the field
  std::int64_t iteration_ = 0;
  double advancing_s_ = 0.0;
};

/// Bytes that such a solver takes at most, see Buffer::footprint.
template <class Real, class CorrectionReal, int dimension, class Grids>
std::size_t multigrid_footprint(Problem const& problem, MethodSettings const& method,
                                SolverPlan const& plan) {
  Execution const& where = plan.execution;
  std::size_t const fields =
      1 + (needs_source_field(problem) ? 1 : 0) + (has_spare_field(problem, plan) ? 1 : 0);
  Index3 const halo = FieldSpace<Real>::halo_points_of(problem.grid, 1);
  return fields * Field<Real>::footprint(where.backend, plan.subdomain.extent(), halo) +
         FieldSpace<Real>::footprint(where.backend, plan.subdomain, 1, where.transport) +
         initial_footprint(problem, where.backend) + ResidualMonitor::footprint(where.backend) +
         2 * ChangeReader::footprint(where.backend, 1) + FieldSums::footprint(where.backend) +
         RangeMeter::footprint(where.backend) +
         FreeIslands<Real>::footprint(problem, plan.subdomain, where.backend) +
         Corrector<Real, CorrectionReal, dimension, Grids>::footprint(problem, plan,
                                                                      method.multigrid);
}

}  // namespace isotherm
