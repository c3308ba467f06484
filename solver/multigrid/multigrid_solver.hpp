#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/core/stopwatch.hpp"
#include "kernels/multigrid/mean.hpp"
#include "solver/discretise/given/given_range.hpp"
#include "solver/discretise/initial.hpp"
#include "solver/iteration/field_solver.hpp"
#include "solver/iteration/largest_change.hpp"
#include "solver/level/unknowns/floating_components.hpp"
#include "solver/multigrid/constant_null_space.hpp"
#include "solver/multigrid/defect_correction.hpp"
#include "solver/multigrid/rounding_floor.hpp"
#include "solver/multigrid/switch_report.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

/// Returns true if the solver writes the corrected field to a second field, in the same pass that
/// evaluates its residual. On devices this saves a pass over memory. A single pass is impossible if
/// the mean has to be set between the two steps. Direct solutions hardly need corrections.
template <class Grids>
bool has_spare_field(Problem const& problem, SolverPlan const& plan) {
  return plan.execution.backend == Backend::cuda && has_dirichlet_face(problem) &&
         !Grids::heterogeneous && !Grids::is_exact;
}

/// Solves −∇²u = f, or −∇·κ∇u = f in a heterogeneous medium, by defect correction
/// (defect_correction.hpp).
///
/// Each iteration computes r = f − A u in float64. One multigrid cycle solves A e = r
/// approximately, and the update is u += e. With constant coefficients the first cycle starts from
/// a full-multigrid initial guess. In a heterogeneous medium the cycle preconditions conjugate
/// gradients, and each iteration is one of their steps.
///
/// The cost of a solution is proportional to the number of points, because the number of cycles
/// hardly depends on it.
///
/// All calls are collective. The residual is evaluated from the stored field after every update,
/// not updated recursively.
template <class Real, class CorrectionReal, int dimension,
          class Grids = UniformGrids<CorrectionReal, dimension>>
class MultigridSolver final : public FieldSolver<Real> {
  using Base = FieldSolver<Real>;
  using Base::iteration_, Base::method_, Base::monitor_, Base::plan_, Base::problem_;
  using Base::queue_, Base::ranks_, Base::remark_, Base::source, Base::source_, Base::space_;
  using Base::stalled_, Base::subdomain;

 public:
  /// True if residuals are net heat flows, as in a heterogeneous medium.
  static constexpr bool heterogeneous = Grids::heterogeneous;
  static constexpr bool by_conjugate_gradients = Grids::by_conjugate_gradients;
  /// True if corrections solve the residual equation up to rounding.
  static constexpr bool is_exact = Grids::is_exact;
  /// How an error is estimated from the corrections: those of conjugate gradients are orthogonal in
  /// the energy inner product, those of plain cycles are not.
  static constexpr auto changes = by_conjugate_gradients
                                      ? ResidualMonitor::Changes::of_conjugate_cycles
                                      : ResidualMonitor::Changes::of_cycles;
  /// The treatment of the null space.
  using NullSpace =
      std::conditional_t<heterogeneous, FloatingComponents<Real>, ConstantNullSpace<Real>>;

  /// Sets up all levels, the boundary and initial values, and the reference of the residual.
  /// @throws ValueRefusal  on every rank, if boundary values, source or medium are invalid or the
  ///                       source is incompatible with insulated faces
  explicit MultigridSolver(SolverRequest const& request)
      : Base(request, changes),
        factor_(plan_.scheme.residual_factor),
        field_(space_),
        defect_correction_(ranks_, problem_, plan_, method_.multigrid, space_),
        reader_(queue_) {
    if constexpr (is_exact) monitor_.set_error_bound(defect_correction_.error_bound(method_.norm));
    Base::make_source();
    // The given values are sampled, so that their range may be a little wider.
    if (auto const width = width_by_maximum_principle(problem_)) {
      monitor_.set_largest_width(2.0 * *width);
    }
    // With a null space the source has to be compatible, and the problem gives the mean.
    if (may_have_null_space(problem_)) {
      null_space_.emplace(ranks_, problem_, subdomain(), queue_);
      if (source_) remark_ = null_space_->make_compatible(source_->field().writable(), factor_);
    }
    if (has_spare_field<Grids>(problem_, plan_)) spare_.emplace(space_);
    // The field holds nothing but its boundary values while the reference is measured.
    Base::set_first_boundary();
    if (spare_) Base::dirichlet_.set(*spare_, 0.0);
    auto const evaluated_in = heterogeneous ? std::nullopt : std::optional(Precision::float64);
    double const constant = Base::measure_reference(evaluated_in, [&] {
      defect_correction_.evaluate(field_, source(), monitor_.measure(queue_, 0));
      monitor_.measured(queue_);
    });
    remark_on_tolerance();
    Base::set_initial_state();
    if (null_space_) null_space_->set_mean(field_.writable(), problem_.mean);
    double const size = monitor_.reference().value_or(0.0) / factor_;
    // The initial field may be the one that has just been evaluated.
    if (!null_space_ && size > 0.0 && is_constant(problem_.initial, constant) &&
        defect_correction_.suits_scale(size)) {
      start_ = Start{constant, *monitor_.reference()};
    } else {
      (void)defect_correction_.rescale(size);
    }
  }

  /// Runs cycles until the target, the tolerance or stagnation. Each iteration waits for its
  /// residual, because the next cycle is scaled by it.
  void advance_to(std::int64_t target) override {
    Base::check_target(target);
    Stopwatch const watch(Base::advancing_s_);
    // A new or resumed field has no residual yet.
    if (!evaluated_) evaluate();
    while (!monitor_.stopped() && !stalled_ && iteration_ < target) {
      if (has_ended()) break;
      improve();
      if (monitor_.may_stop()) detect_stagnation();
    }
    if (has_ended()) monitor_.stop();
  }

  [[nodiscard]] TransportDescription transport_description() const override {
    return defect_correction_.transport_description();
  }
  [[nodiscard]] std::string take_event() override { return switches_.take(); }
  [[nodiscard]] SolverState state() override {
    SolverState state = Base::state();
    state.hierarchy = defect_correction_.hierarchy();
    return state;
  }

 private:
  /// The address of the field changes from iteration to iteration if there is a spare field.
  [[nodiscard]] DistributedField<Real>& field() override { return field_; }
  [[nodiscard]] DistributedField<Real> const& field() const override { return field_; }
  [[nodiscard]] Links<Real> links() const override { return defect_correction_.links(); }
  [[nodiscard]] double halo_seconds() const override {
    return Base::halo_seconds() + defect_correction_.halo_seconds();
  }
  /// The next call of advance_to() evaluates the residual first.
  void resume(SolverState const& state) override {
    Base::resume(state);
    start_.reset();
    evaluated_ = false;
    cycles_ = 0;
  }

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
  void detect_stagnation() {
    if (monitor_.within_tolerance() || !monitor_.stagnates()) return;
    bool const rounding = is_at_rounding_floor();
    stalled_ = rounding || (!by_conjugate_gradients && monitor_.stagnates(0.9));
    if (rounding) monitor_.take_rounding_floor();
  }
  /// Returns true if rounding the values explains each row of the residual. Then the field exactly
  /// solves a system whose coefficients differ from the given ones by a few units in the last place
  /// (W. Oettli and W. Prager, 1964). Collective.
  [[nodiscard]] bool is_at_rounding_floor() {
    // Half units in the last place: an allowance for the rounding errors of the terms of a row.
    constexpr double roundings = 8.0;
    reader_.clear(queue_);
    defect_correction_.measure_residual(field_, source(), reader_.device(), true);
    reader_.fetch(queue_);
    double const change = largest_change(ranks_, reader_.read());
    return change <= roundings * monitor_.measure_rounding();
  }

  /// Adds a remark if the tolerance may lie below the rounding floor. The magnitude of the solution
  /// is estimated from the boundary values, which are all that the field holds yet, and from the
  /// source. Collective.
  void remark_on_tolerance() {
    if (!monitor_.may_stop() || method_.relative_to != RelativeTo::rhs || heterogeneous) return;
    ChangeReader reader(queue_);
    LocalBox const owned = subdomain().owned();
    double size = largest_value(ranks_, queue_, reader, field_.view(), owned);
    if (source_) {
      double const sum = FieldSums(queue_).sum(queue_, source(), owned, HalfPlanes{}).absolute_sum;
      auto const points = static_cast<double>(problem_.grid.point_count());
      size = std::max(size, magnitude_by_source(problem_, factor_ * ranks_.sum(sum) / points));
    }
    std::string const remark =
        remark_on_rounding_floor(problem_, residual_rounding_floor(problem_, method_.norm, size),
                                 monitor_.allowed(), monitor_.reference().value_or(0.0));
    if (!remark.empty()) remark_ += (remark_.empty() ? "" : "; ") + remark;
  }

  /// Evaluates the residual of the field as the right-hand side of the next cycle. When a run
  /// resumes, the residual of its field is measured and reported once more.
  void evaluate() {
    if (start_) {
      monitor_.begin_with(start_->residual);
      evaluated_ = has_source_ = true;
      return;
    }
    Change* const change = monitor_.measure(queue_, iteration_);
    defect_correction_.evaluate(field_, source(), change);
    fetch_residual();
    // The initial scale suits the reference residual. The field's may be so different that float32
    // would overflow or underflow.
    double const size = monitor_.last()->value / factor_;
    has_source_ = defect_correction_.suits_scale(size);
    if (!has_source_) evaluate_source(size);
  }
  /// Waits for the norms of the residual and passes them to the monitor. Collective.
  void fetch_residual() {
    monitor_.measured(queue_);
    monitor_.fetch();
    evaluated_ = true;
  }

  /// Runs one iteration: a cycle (before the first one also the full-multigrid initial guess), the
  /// update of the field, and the evaluation of its new residual.
  void improve() {
    // The monitor has norms of the equation's residual; cycles scale by those of a sweep's.
    double const size = monitor_.last()->value / factor_;
    if constexpr (is_exact) {
      if (can_solve_from_zero()) return solve_from_zero();
      if (!has_source_) evaluate_source(size);
    } else if constexpr (!heterogeneous) {
      if (iteration_ == 0) {
        defect_correction_.find_initial_guess();
        correct(size, nullptr);
      }
    }
    start_.reset();
    // Conjugate gradients restart when the field is set; relaxation factors follow the iteration.
    defect_correction_.find_correction_by_cycle(by_conjugate_gradients ? cycles_ : iteration_);
    switches_.note(defect_correction_, iteration_ + 1);
    ++cycles_;
    ++iteration_;
    Change* const change = monitor_.measure(queue_, iteration_);
    double const factor = defect_correction_.size_factor();
    double const gain = defect_correction_.gain();
    if (decides_by_corrections()) {
      defect_correction_.measure_correction(monitor_.beside());
      monitor_.measured_additional(factor, gain);
    }
    double const before = monitor_.last()->value;
    correct(size, change);
    fetch_residual();
    if (decides_by_corrections() || !needs_correction_size(before)) return;
    add_size([&](Change* sum) { defect_correction_.measure_correction(sum); }, factor, gain);
  }

  /// True if the size of every correction is part of the verdict.
  [[nodiscard]] bool decides_by_corrections() const {
    return !is_exact && monitor_.may_stop() && method_.relative_to == RelativeTo::field;
  }
  /// True if the size of the last correction is needed after all: the bound by the residual does
  /// not prove the tolerance, or the residual no longer falls.
  /// @param before  the residual before the correction
  [[nodiscard]] bool needs_correction_size(double before) const {
    if (!monitor_.may_stop() || monitor_.within_tolerance()) return false;
    return is_exact || monitor_.last()->value > 0.25 * before;
  }
  /// Passes the size of the last correction to the monitor. Collective; waits.
  /// @param measure  enqueues adding its norms to a Change
  template <class Measure>
  void add_size(Measure const& measure, double factor, double gain) {
    reader_.clear(queue_);
    measure(reader_.device());
    reader_.fetch(queue_);
    monitor_.add_change(reader_.read(), factor, gain);
  }

  /// True if the field is zero but for its boundary values, and the solution can be written into
  /// it. The correction then is the solution.
  [[nodiscard]] bool can_solve_from_zero() const requires(is_exact) {
    return start_ && start_->constant == 0.0 && defect_correction_.can_solve_into_field();
  }
  /// Runs the first iteration: solves into the field itself. Saves the passes that would add the
  /// correction. The residual is stored only if another iteration needs it.
  void solve_from_zero() requires(is_exact) {
    start_.reset();
    defect_correction_.solve_into(field_);
    ++cycles_;
    ++iteration_;
    defect_correction_.measure_residual(field_, source(), monitor_.measure(queue_, iteration_));
    fetch_residual();
    has_source_ = false;
    if (!needs_correction_size(0.0)) return;
    add_size([&](Change* sum) { defect_correction_.measure_values(field_.view(), sum); }, 1.0, 0.0);
  }
  /// Evaluates the residual of the field as the source of the next correction.
  /// @param size  magnitude of the residual
  void evaluate_source(double size) {
    (void)defect_correction_.rescale(size);
    defect_correction_.evaluate(field_, source(), nullptr);
    has_source_ = true;
  }

  /// Adds the correction to the field and evaluates the new residual, with its norms if `change` is
  /// not null.
  /// @param size  magnitude of the residual before the update, by which the new one is scaled
  void correct(double size, Change* change) {
    // One pass does both. Afterwards the two fields have exchanged their roles.
    if constexpr (!heterogeneous && !is_exact) {
      if (spare_) {
        defect_correction_.correct_and_evaluate(field_, *spare_, size, source(), change);
        std::swap(field_, *spare_);
        return;
      }
    }
    // Corrections may change the mean; rounding does so in any case.
    defect_correction_.correct(field_);
    if (null_space_) null_space_->set_mean(field_.writable(), problem_.mean);
    if constexpr (is_exact) {
      // Another iteration is unlikely, so the residual is only measured.
      defect_correction_.measure_residual(field_, source(), change);
      has_source_ = false;
    } else {
      (void)defect_correction_.rescale(size);
      defect_correction_.evaluate(field_, source(), change);
    }
  }

  /// A field that is constant but for its boundary values, and its residual.
  struct Start {
    double constant;
    double residual;
  };

  double factor_;  ///< residual of the equation = factor · residual of a sweep
  DistributedField<Real> field_;
  std::optional<DistributedField<Real>> spare_{};  ///< see has_spare_field()
  std::optional<NullSpace> null_space_{};          ///< only if the problem may have one
  DefectCorrection<Real, CorrectionReal, dimension, Grids> defect_correction_;
  ChangeReader reader_;
  SwitchReport switches_{};
  std::int64_t cycles_ = 0;  ///< since the field was set; cycle 0 restarts conjugate gradients
  bool evaluated_ = false;   ///< the monitor has the residual of the field
  bool has_source_ = false;  ///< the residual of the field is the source of the next correction
  /// The field at the start of a run, if it is that of the reference and has been evaluated.
  std::optional<Start> start_{};
};

/// Returns an upper bound on the bytes that such a solver allocates, see Buffer::footprint.
template <class Real, class CorrectionReal, int dimension, class Grids>
std::size_t multigrid_footprint(Problem const& problem, MethodSettings const& method,
                                SolverPlan const& plan) {
  Execution const& where = plan.execution;
  // The field, its source and the spare field.
  std::size_t const fields =
      1 + (needs_source_field(problem) ? 1 : 0) + (has_spare_field<Grids>(problem, plan) ? 1 : 0);
  Index3 const halo = FieldSpace<Real>::halo_points_of(problem.grid, 1);
  return fields * Field<Real>::footprint(where.backend, plan.subdomain.extent(), halo) +
         FieldSpace<Real>::footprint(where.backend, plan.subdomain, 1, where.transport) +
         initial_footprint(problem, where.backend) + ResidualMonitor::footprint(where.backend) +
         2 * ChangeReader::footprint(where.backend, 1) + FieldSums::footprint(where.backend) +
         RangeMeter::footprint(where.backend) +
         FloatingComponents<Real>::footprint(problem, plan.subdomain, where.backend) +
         DefectCorrection<Real, CorrectionReal, dimension, Grids>::footprint(problem, plan,
                                                                             method.multigrid);
}

}  // namespace isotherm
