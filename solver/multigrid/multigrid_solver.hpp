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
#include "solver/level/halo_shape.hpp"
#include "solver/level/source.hpp"
#include "solver/level/unknowns/free_islands.hpp"
#include "solver/level/unknowns/kept_points.hpp"
#include "solver/multigrid/attainable.hpp"
#include "solver/multigrid/corrector.hpp"
#include "solver/multigrid/free_constant.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

/// Returns true if the solver writes the corrected field to a second one, in the same pass that
/// evaluates its residual. On devices this saves a pass over memory. If the mean has to be set
/// between the two steps, a single pass is impossible.
inline bool has_spare_field(Problem const& problem, SolverPlan const& plan) {
  return plan.execution.backend == Backend::cuda && has_dirichlet_face(problem) &&
         !has_body(problem);
}

/// Solves −∇²u = f, or −∇·κ∇u = f in a heterogeneous medium, by defect correction (corrector.hpp).
///
/// Each iteration computes r = f − A u in float64, solves A e = r approximately with one multigrid
/// cycle, and updates u += e. With constant coefficients the first cycle starts from a
/// full-multigrid initial guess. In a heterogeneous medium the cycle preconditions conjugate
/// gradients, and each iteration is one of their steps.
///
/// All calls are collective. The residual is evaluated from the stored field after every update,
/// not updated recursively.
template <class Real, class CorrectionReal, int dimension,
          class Grids = UniformGrids<CorrectionReal, dimension>>
class MultigridSolver final : public Solver {
 public:
  /// True for heterogeneous media.
  static constexpr bool conducts = Grids::conducts;
  /// How an error is estimated from the corrections: those of conjugate gradients are orthogonal in
  /// the energy inner product, those of plain cycles are not.
  static constexpr auto changes = conducts ? ResidualMonitor::Changes::of_conjugate_cycles
                                           : ResidualMonitor::Changes::of_cycles;
  /// The treatment of the null space.
  using FreeValues = std::conditional_t<conducts, FreeIslands<Real>, FreeConstant<Real>>;

  /// Sets up all levels, the boundary and initial values, and the reference of the residual.
  /// @throws ValueRefusal  on every rank, if boundary values, source or medium are invalid or the
  ///                       source is incompatible with insulated faces
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
      // The range of values that bounds the rounding error includes the ambient values of faces.
      range.add(ambient);
      return range;
    });
    monitor_.set_half_unit(half_unit);
    if (needs_source_field(problem_)) source_.emplace(problem_, plan.scheme, space_);
    // Values without a given level: the source has to be compatible, and the mean is free.
    if (may_have_free_values(problem_)) {
      free_values_.emplace(ranks_, problem_, subdomain(), queue_);
      if (source_) remark_ = free_values_->make_compatible(source_->view(), factor_);
    }
    if (has_spare_field(problem_, plan)) spare_.emplace(space_);
    // The field holds nothing but its boundary values while the reference is measured.
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
                                " was requested, but the run ends at " + std::to_string(end_));
    Stopwatch const watch(advancing_s_);
    // A new or resumed field has no residual yet.
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

  /// The field's values on this rank; the pointer changes from iteration to iteration if there is a
  /// spare field.
  [[nodiscard]] AnyFieldView field_view() const override { return field_.view(); }
  void read_field(Values values) override { field_.read(span_of<Real>(values)); }
  void take_field(FieldCopy& copy, Values values) override {
    field_.take(copy, span_of<Real>(values));
  }
  /// Resumes from stored values, whose boundary values are taken as they are.
  void restore(ConstValues values, SolverState const& state) override {
    require(state.iteration >= 0 && state.iteration <= end_,
            "a state of iteration " + std::to_string(state.iteration) +
                " cannot be restored: the run has iterations 0 to " + std::to_string(end_));
    field_.write(span_of<Real const>(values));
    go_on_from(state);
  }
  /// Starts anew from the given values; boundary values are set again.
  void set_initial(ConstValues values) override {
    field_.write(span_of<Real const>(values));
    set_boundary();
    go_on_from({});
  }
  /// Evaluates the source f of the equation at this rank's points.
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
  /// Computation is the time in advance_to() and wait() that neither halos nor reductions need.
  [[nodiscard]] SolverTimes times() const override {
    double const halo_s = space_.halo().seconds() + corrector_.halo_seconds();
    double const reduction_s = monitor_.seconds();
    return {std::max(0.0, advancing_s_ - halo_s - reduction_s), halo_s, reduction_s};
  }
  [[nodiscard]] Queue& queue() override { return queue_; }

 private:
  /// Half a unit in the last place of 1: the relative error of rounding to the field's precision.
  static constexpr double half_unit = precision_of<Real> == Precision::float32 ? 0x1p-24 : 0x1p-53;

  /// Returns true if the residual is within the tolerance. A run takes at least one cycle, unless
  /// its initial residual is exactly 0.
  [[nodiscard]] bool has_ended() const {
    return monitor_.within_tolerance() && (iteration_ > 0 || monitor_.is_exact());
  }
  /// Stops the run if the residual stagnates.
  ///
  /// If each row of the residual is mere rounding, cycles have reached the precision of the field.
  /// The remaining error is then no larger than the last corrections. Cycles that stagnate above
  /// the rounding floor do not converge and end the run, too. Conjugate gradients continue in that
  /// case, because their residual may only pause.
  void look_for_stagnation() {
    if (monitor_.within_tolerance() || !monitor_.stagnates()) return;
    bool const rounding = is_rounding();
    stalled_ = rounding || (!conducts && monitor_.stagnates(0.9));
    if (rounding)
      monitor_.take_rounding_floor(16.0 * half_unit * monitor_.measure_range().magnitude());
  }
  /// Returns true if rounding the values explains each row of the residual. Then the field exactly
  /// solves a system whose coefficients differ from the given ones by a few units in the last place
  /// (W. Oettli and W. Prager, 1964). Collective.
  [[nodiscard]] bool is_rounding() {
    // Half units in the last place: an allowance for the rounding errors of the terms of a row.
    constexpr double roundings = 8.0;
    reader_.clear(queue_);
    corrector_.measure_jacobi_change(field_, source(), reader_.device());
    reader_.fetch(queue_);
    double const change = largest_change(ranks_, reader_.read());
    return change <= roundings * half_unit * monitor_.measure_range().magnitude();
  }

  /// Sets the values of Dirichlet faces and fixed points, in both fields if there are two.
  void set_boundary() {
    space_.halo().forget();
    kept_.set(field_, 0.0);
    dirichlet_.set(field_, 0.0);
    if (spare_) dirichlet_.set(*spare_, 0.0);
  }
  /// Resumes from a state; {} starts anew. The next call of advance_to() evaluates the residual
  /// first.
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

  /// Measures the reference residual ‖b − A c‖ of the field that is constant but for its boundary
  /// values. The constant c is one of the given values. Adding a constant to all given values
  /// therefore leaves the reference unchanged. Collective.
  void measure_reference() {
    double const level = kept_.given_level(ranks_, problem_, subdomain());
    add_constant(queue_, field_.view(), subdomain().owned(), level);
    set_boundary();
    Change* const change = monitor_.measure(queue_, 0);
    corrector_.evaluate(field_, source(), change);
    monitor_.measured(queue_);
    monitor_.take_as_reference(conducts ? 0.0
                                        : rounding_of_sweep(problem_, Precision::float64, level));
    (void)corrector_.rescale(monitor_.reference().value_or(0.0) / factor_);
  }

  /// Adds a remark if the tolerance may lie below the rounding floor. The magnitude of the solution
  /// is estimated from the boundary values, which are all that the field holds yet, and from the
  /// source. Collective.
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

  /// Evaluates the residual of the field as the right-hand side of the next cycle. When a run
  /// resumes, the residual of its field is measured and reported once more.
  void evaluate() {
    Change* const change = monitor_.measure(queue_, iteration_);
    corrector_.evaluate(field_, source(), change);
    fetch_residual();
    // The initial scale suits the reference residual. The field's may be so different that float32
    // would overflow or underflow.
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

  /// Runs one iteration: a cycle (before the first one also the full-multigrid initial guess), the
  /// update of the field, and the evaluation of its new residual.
  void improve() {
    // Norms are those of the equation; cycles work with those of a sweep.
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
    // The size of the correction feeds the error estimate.
    if (monitor_.may_stop()) {
      corrector_.measure_correction(monitor_.beside());
      monitor_.measured_beside(corrector_.size_factor(), corrector_.gain());
    }
    correct(size, change);
    fetch_residual();
  }
  /// Adds the correction to the field and evaluates the new residual, with its norms if `change` is
  /// not null.
  /// @param size  magnitude of the residual before the update, by which the new one is scaled
  void correct(double size, Change* change) {
    // One pass does both. Afterwards the two fields have exchanged their roles.
    if constexpr (!conducts) {
      if (spare_) {
        corrector_.correct_and_evaluate(field_, *spare_, size, source(), change);
        std::swap(field_, *spare_);
        return;
      }
    }
    // Corrections may change the mean; rounding does so in any case.
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
  std::int64_t cycles_ = 0;  ///< since the field was set; cycle 0 restarts conjugate gradients
  bool stalled_ = false;
  bool evaluated_ = false;  ///< the hierarchy's source is the residual of the field
  std::int64_t iteration_ = 0;
  double advancing_s_ = 0.0;
};

/// Returns an upper bound on the bytes that such a solver allocates, see Buffer::footprint.
template <class Real, class CorrectionReal, int dimension, class Grids>
std::size_t multigrid_footprint(Problem const& problem, MethodSettings const& method,
                                SolverPlan const& plan) {
  Execution const& where = plan.execution;
  // The field, its source and the spare field.
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
