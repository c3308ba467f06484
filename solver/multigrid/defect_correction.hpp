#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/conduction/correction_operator.hpp"
#include "kernels/core/byte_count.hpp"
#include "kernels/core/timeline/timeline.hpp"
#include "kernels/multigrid/heterogeneous_residual.hpp"
#include "kernels/multigrid/residual.hpp"
#include "kernels/multigrid/search_direction.hpp"
#include "kernels/multigrid/value_range.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/iteration/solver_plan.hpp"
#include "solver/multigrid/hierarchy.hpp"
#include "solver/multigrid/medium/operator_state.hpp"
#include "solver/multigrid/relaxation_factors.hpp"

namespace isotherm {

/// Defect correction for (σ − ∇²) u = f. Each step computes r = f − (σ − ∇²) u in float64. One
/// multigrid cycle (possibly in float32) solves A e = r approximately, and the update is u += ω e.
///
/// The precision of corrections may be lower than that of the field, because each correction needs
/// only its first digits. Residuals are scaled by a power of two, which keeps float32 corrections
/// from overflowing or vanishing (iterative refinement, J. H. Wilkinson, 1963). For constant
/// coefficients residuals are divided by the diagonal, as in a Jacobi sweep: source − shift u + Σ w
/// · differences (kernels/multigrid).
///
/// For a heterogeneous medium, residuals are net heat flows into each point, in units of
/// medium_units(). The cycle preconditions the conjugate gradient method. Its correction z yields
/// the next search direction p = z + β p. The field moves along p by (r, p) / (p, A p).
/// Conductances that differ by orders of magnitude then slow the convergence down only a little.
///
/// Memory in addition to the hierarchy: none for constant coefficients. A heterogeneous medium
/// needs its conductances, p and A p. Each conjugate-gradient step costs three inner products over
/// all ranks. Neither copyable nor movable.
///
/// Usage, until the residual norm is small enough:
///
///     defect_correction.evaluate(field, source, change);   // the residual, and its norms
///     defect_correction.find_correction_by_cycle(cycle);   // e, or the search direction p
///     defect_correction.correct(field);                    // u += ω e, or u += ω p
template <class RealType, class CorrectionReal, int dimension,
          class Grids = UniformGrids<CorrectionReal, dimension>>
class DefectCorrection {
 public:
  using Real = RealType;
  /// Residuals are net heat flows.
  static constexpr bool heterogeneous = Grids::heterogeneous;
  /// Corrections precondition conjugate gradients.
  static constexpr bool by_conjugate_gradients = Grids::by_conjugate_gradients;
  /// Corrections solve A e = r up to rounding.
  static constexpr bool is_exact = Grids::is_exact;
  /// Corrections are solutions in a homogeneous medium, which multigrid cycles replace if they
  /// converge slowly (SmoothCorrection).
  static constexpr bool may_fall_back = requires(CorrectionSolver<Grids> & corrections) {
    corrections.is_direct();
  };
  /// Aggregates may replace the coarser grids (Hierarchy::use_aggregates), those of the cycles that
  /// have replaced direct solutions, too.
  static constexpr bool may_use_aggregates = requires(CorrectionSolver<Grids> & corrections) {
    corrections.use_aggregates();
  };
  /// The operator that evaluates residuals, and the state of conjugate gradients.
  using State = OperatorState<Real, dimension, heterogeneous, by_conjugate_gradients>;

  /// Makes the operator and the hierarchy, and allocates their fields. Collective.
  /// @param ranks    must outlive the object, like `space`
  /// @param problem  the problem of the fields to correct, including its σ
  /// @param plan     whose scheme has the coefficients of that operator
  /// @param space    of the fields to correct
  /// @param mean_free  cycles may leave the means of weakly held components to the caller, who
  ///                   calls set_deflation() if is_mean_free()
  /// @param count      how many such objects may exist at the same time; aggregates are used only
  ///                   if there is memory for those of all
  /// @throws ValueRefusal  on every rank, if the coefficients of a heterogeneous medium are invalid
  DefectCorrection(mpi::Communicator const& ranks, Problem const& problem, SolverPlan const& plan,
                   MultigridSettings const& settings, FieldSpace<Real>& space,
                   bool mean_free = false, std::size_t count = 1)
      : ranks_(&ranks),
        queue_(&space.queue()),
        weights_{plan.scheme.weight[0], plan.scheme.weight[1], plan.scheme.weight[2]},
        shift_(plan.scheme.shift),
        unknown_(unknown_points(problem, plan.subdomain)),
        state_(problem, space),
        corrections_(
            ranks, problem, plan.subdomain, settings, plan.execution, space.queue(),
            [&](OperatorFields<CorrectionReal> const& flow) {
              make_correction_operator(problem, plan.subdomain, flow);
            },
            mean_free),
        hierarchy_(settings.hierarchy) {
    if constexpr (may_fall_back) corrections_.set_scaling(state_.conductances(), space);
    if constexpr (may_use_aggregates) {
      aggregates_fit_ = !ranks.any(!has_room_for_aggregates(problem, plan, settings, count));
    }
    // Conjugate gradients compute the length of a step; nearly exact cycles need no factor.
    if (!heterogeneous && reaches_far() && !corrections_.is_exact()) {
      cycle_factors_ = cycle_relaxation_factors(dimension, settings);
    }
  }

  /// Returns an upper bound on the bytes that the defect correction allocates, see
  /// Buffer::footprint.
  static std::size_t footprint(Problem const& problem, SolverPlan const& plan,
                               MultigridSettings const& settings) {
    Execution const& where = plan.execution;
    return CorrectionSolver<Grids>::footprint(problem, plan.subdomain, settings, where.backend,
                                              where.transport) +
           State::footprint(problem, plan.subdomain, where.backend);
  }

  /// Replaces σ of the operator. Exact corrections only; others need another hierarchy.
  /// @param problem  that of the constructor, with another σ
  /// @param scheme   its coefficients
  void set_sigma(Problem const& problem, Scheme const& scheme) requires(is_exact) {
    weights_ = {scheme.weight[0], scheme.weight[1], scheme.weight[2]};
    shift_ = scheme.shift;
    corrections_.set_sigma(problem);
  }

  /// Replaces the reaction term of the operator, on all levels. Collective.
  /// @param problem    that of the constructor
  /// @param subdomain  likewise
  /// @param reaction   with filled ghost layers; must outlive its use
  void set_reaction(Problem const& problem, Subdomain const& subdomain,
                    FieldView<Real const> reaction) requires(by_conjugate_gradients &&
                                                             !may_fall_back) {
    state_.set_reaction(reaction);
    corrections_.set_operator(*ranks_, [&](OperatorFields<CorrectionReal> const& flow) {
      make_correction_operator(problem, subdomain, flow);
    });
  }

  /// Returns the diagonal term of the scaled operator, Scheme::shift.
  [[nodiscard]] double shift() const { return shift_; }
  /// Returns the conductances of a heterogeneous medium, without the mass term.
  [[nodiscard]] Conductances<Real, dimension> const& conductances() const
      requires(by_conjugate_gradients) {
    return state_.conductances();
  }

  /// True if cycles leave the means of some components to the caller. The equation determines the
  /// means of such weakly held components to few digits only (DenseSolve).
  [[nodiscard]] bool is_mean_free() const requires(by_conjugate_gradients) {
    return corrections_.is_mean_free();
  }
  /// Sets the deflation: a function that removes from every new search direction the component that
  /// changes the means of components. Conjugate gradients solve for the rest (R. A. Nicolaides,
  /// 1987).
  void set_deflation(std::function<void(FieldView<Real>)> deflate) requires(
      by_conjugate_gradients) {
    deflate_ = std::move(deflate);
  }

  /// Enqueues evaluating a residual with the operator's coefficients, but the pass's own shift. If
  /// `pass.mass_term_only`, fluxes between points are left out.
  template <class To>
  void evaluate_residual_pass(ResidualPass<Real, To> const& pass) {
    TimelineScope const scope("residual", queue());
    if constexpr (heterogeneous) {
      evaluate_heterogeneous_residual<double>(queue(), state_.conductances(), pass);
    } else {
      evaluate_residual(queue(), pass.mass_term_only ? AxisWeights<double>{} : weights_, pass);
    }
  }

  /// Returns the largest ratio of the norm of the error to that of the equation's residual; none if
  /// it is not known. Exact corrections only.
  [[nodiscard]] std::optional<double> error_bound(Norm norm) const requires(is_exact) {
    return corrections_.error_bound(norm);
  }

  /// True if a point source influences the solution at points about ten spacings away. If not, σ
  /// dominates, cycles are nearly exact, and full multigrid would not help.
  [[nodiscard]] bool reaches_far() const { return shift_ < 0.01; }

  /// Enqueues evaluating the residual of the field, which becomes the source of the next
  /// correction, and adding its norms to `change`. Collective.
  /// @param source  f; may be none
  /// @param change  receives the norms; may be null
  /// @param by_diagonal  norms of the residual divided by the diagonal, as in measure_residual()
  void evaluate(DistributedField<Real>& field, FieldView<Real const> source, Change* change,
                bool by_diagonal = false) {
    ResidualPass<Real, CorrectionReal> pass{field.with_halo(),
                                            source,
                                            corrections_.writable_source(),
                                            unknown_,
                                            scale_,
                                            change,
                                            shift_};
    pass.norms_by_diagonal = by_diagonal;
    evaluate_residual_pass(pass);
  }

  /// Enqueues solving for the correction of the last evaluated residual by full multigrid. It pays
  /// off before the first cycle, while the field contains nothing of the solution yet. Collective.
  void find_initial_guess() requires(!heterogeneous && !is_exact) {
    corrections_.full_multigrid();
    weight_ = 1.0;
  }
  /// Enqueues solving for the correction of the last evaluated residual by one cycle. Collective.
  /// @param cycle  the number of cycles before it, not counting find_initial_guess()
  /// @param down_to_rounding  the iteration is to continue down to the rounding floor, so lost
  ///                          corrections must be detected (was_rounded_away())
  void find_correction_by_cycle(std::int64_t cycle, bool down_to_rounding = false) {
    if constexpr (may_fall_back) fall_back_if_slow(cycle);
    if constexpr (may_use_aggregates) use_aggregates_if_slow(cycle);
    corrections_.cycle();
    if constexpr (by_conjugate_gradients) {
      if (cycle == 0) {
        rounds_away_ = false;
        direction_scale_ = scale_;
        gains_.clear();
        direct_gains_ = 0;
      }
      if (cycle > 0 && down_to_rounding && !rounds_away_) rounds_away_ = was_rounded_away();
      slope_before_ = slope_;
      find_search_direction(cycle == 0 || rounds_away_);
      if (cycle == 0) first_slope_ = slope_;
      if (may_use_aggregates) gains_.push_back(gain());
    } else {
      weight_ = cycle_factors_[static_cast<std::size_t>(cycle) % cycle_factors_.size()];
    }
  }

  /// Returns true if conjugate gradients are preconditioned by direct solutions.
  [[nodiscard]] bool is_preconditioned_directly() const {
    if constexpr (may_fall_back) return corrections_.is_direct();
    return false;
  }

  /// Returns which part of the error a step left with the coarser grids that aggregates have
  /// replaced; none if they have not.
  [[nodiscard]] std::optional<double> rate_of_replaced_grids() const { return replaced_rate_; }
  /// Returns which part of the error a step leaves with coarser grids that aggregates would
  /// replace, if there were memory for them; none if grids are not that slow.
  [[nodiscard]] std::optional<double> rate_of_slow_grids() const { return slow_rate_; }
  /// The cycles from a restart on that show whether coarser grids are slow. The last one begins
  /// with aggregates if they are.
  static constexpr int cycles_to_decide = 7;
  /// Returns the kind of the coarser levels; automatic as long as cycles have not decided it.
  [[nodiscard]] HierarchyKind hierarchy() const { return hierarchy_; }
  /// True if cycles have still to show whether coarser grids are slow.
  [[nodiscard]] bool is_undecided() const {
    if constexpr (may_use_aggregates) {
      return hierarchy_ == HierarchyKind::automatic && corrections_.can_use_aggregates();
    }
    return false;
  }
  /// True if aggregates replace the coarser grids as soon as these are slow.
  [[nodiscard]] bool may_switch() const { return is_undecided() && aggregates_fit_; }
  /// Decides that the coarser levels remain what they are.
  void keep_hierarchy() {
    if (is_undecided()) hierarchy_ = HierarchyKind::grids;
  }

  /// Enqueues adding the norms of the correction, or of the search direction, to `change`.
  /// Multiplied by size_factor() they are the norms of the update that correct() adds.
  void measure_correction(Change* change) {
    if constexpr (by_conjugate_gradients) {
      add_norms(state_.direction().view(), change);
    } else {
      add_norms(corrections_.correction(), change);
    }
  }
  /// Returns the factor from the norms of measure_correction() to those of the update.
  [[nodiscard]] double size_factor() const {
    return std::abs(weight_ / (by_conjugate_gradients ? direction_scale_ : scale_));
  }
  /// Returns the decrease of the squared energy norm of the error by the correction,
  /// (r, p)² / (p, A p) (ChangeSample::gain). Conjugate gradients only; otherwise 0. It is also 0
  /// if float64 cannot represent it, because the field's values are below 1e-154.
  [[nodiscard]] double gain() const {
    return weight_ * weight_ * (curvature_ / direction_scale_ / direction_scale_);
  }
  /// Returns (p, A p) of the last search direction, scaled. If it is not positive, neither is the
  /// operator.
  [[nodiscard]] double curvature() const requires(by_conjugate_gradients) { return curvature_; }

  /// Enqueues adding the norms of the residual to `change`, without storing it. Collective.
  /// @param source  f; may be none
  /// @param by_diagonal  divides each row by the diagonal of the matrix; the norms are then those
  /// of
  ///                     the change by a Jacobi sweep
  void measure_residual(DistributedField<Real>& field, FieldView<Real const> source, Change* change,
                        bool by_diagonal = false) {
    ResidualPass<Real, CorrectionReal> pass{
        field.with_halo(), source, {}, unknown_, 1.0, change, shift_};
    pass.norms_by_diagonal = by_diagonal;
    evaluate_residual_pass(pass);
  }
  /// Enqueues adding the norms of the values at unknown points to `change`.
  void measure_values(FieldView<Real const> values, Change* change) { add_norms(values, change); }

  /// True if solve_into() may be called: the last transform can write into the field, and the
  /// residual was stored without a factor.
  [[nodiscard]] bool can_solve_into_field() const requires(is_exact) {
    return scale_ == 1.0 && std::is_same_v<Real, CorrectionReal> && corrections_.can_solve_into();
  }
  /// Enqueues solving for the correction of the last evaluated residual, which replaces the values
  /// at unknown points. Collective. @pre can_solve_into_field()
  void solve_into(DistributedField<Real>& field) requires(is_exact) {
    corrections_.solve_into(field.writable());
  }

  /// Enqueues evaluating f + ∇²u, the residual without the term of σ, and adding its norms to
  /// `change`. Collective.
  /// @param source  f; may be none
  /// @param is_stored  it becomes the source of the next correction
  void evaluate_rate(DistributedField<Real>& field, FieldView<Real const> source, Change* change,
                     bool is_stored) requires(is_exact) {
    ResidualPass<Real, CorrectionReal> pass{field.with_halo(), source, {}, unknown_, 1.0, change};
    if (is_stored) pass.out = corrections_.writable_source();
    evaluate_residual_pass(pass);
  }
  /// Enqueues solving for the rate that was stored last. Collective.
  void solve_for_rate() requires(is_exact) { corrections_.cycle(); }
  /// Enqueues adding `factor` times the solution to the field.
  void add_solution(DistributedField<Real>& field, double factor) requires(is_exact) {
    add_correction(queue(), corrections_.correction(), field.writable(), unknown_, factor);
  }
  /// Enqueues add_solution() and evaluate_rate() fused into one pass over memory. Collective.
  /// @param before  the field; not changed
  /// @param after   receives the sum; must have its values at Dirichlet points already
  void add_solution_and_evaluate_rate(DistributedField<Real>& before, DistributedField<Real>& after,
                                      double factor, FieldView<Real const> source,
                                      Change* change) requires(is_exact && !heterogeneous) {
    ResidualPass<Real, CorrectionReal> pass{
        before.with_halo(), source, corrections_.writable_source(), unknown_, 1.0, change};
    pass.correction = corrections_.correction_with_halo();
    pass.correction_scale = factor;
    pass.corrected = after.writable();
    TimelineScope const scope("residual", queue());
    evaluate_residual(queue(), weights_, pass);
  }

  /// Returns the conductances that show which points take part in heat conduction. None for
  /// constant coefficients, because all points take part.
  [[nodiscard]] Links<Real> links() const {
    if constexpr (by_conjugate_gradients) {
      Conductances<Real, dimension> const& g = state_.conductances();
      return {g.x, g.y, g.z};
    } else {
      return {};
    }
  }

  /// Enqueues the update of the field: u += ω e, or u += ω p along the search direction. Its halo
  /// becomes stale.
  void correct(DistributedField<Real>& field) {
    if constexpr (by_conjugate_gradients) {
      return add_correction(queue(), state_.direction().view(), field.writable(), unknown_,
                            weight_ / direction_scale_);
    }
    add_correction(queue(), corrections_.correction(), field.writable(), unknown_,
                   weight_ / scale_);
  }

  /// Enqueues correct() and evaluate() fused into one pass over memory. Collective.
  /// @param before  the field to correct; not changed
  /// @param after   receives the corrected field; must have its values at Dirichlet points already
  /// @param size    the expected size of the new residual, which determines its scale
  /// @param source  f; may be none
  /// @param change  receives the norms of the new residual
  void correct_and_evaluate(DistributedField<Real>& before, DistributedField<Real>& after,
                            double size, FieldView<Real const> source,
                            Change* change) requires(!heterogeneous && !is_exact) {
    FieldView<CorrectionReal const> const correction = corrections_.correction_with_halo();
    ResidualPass<Real, CorrectionReal> pass{before.with_halo(), source,
                                            corrections_.writable_source(), unknown_};
    pass.correction = correction;
    pass.correction_scale = weight_ / scale_;
    pass.corrected = after.writable();
    (void)rescale(size);
    pass.scale = scale_;
    pass.change = change;
    pass.shift = shift_;
    TimelineScope const scope("residual", queue());
    evaluate_residual(queue(), weights_, pass);
  }

  /// True if a residual of this approximate size neither overflows nor vanishes with the present
  /// scale.
  [[nodiscard]] bool suits_scale(double size) const {
    constexpr double far = 0x1p30;
    double const scaled = size * scale_;
    return size == 0.0 || (scaled > 1.0 / far && scaled < far);
  }
  /// Sets the scale of residuals to the power of two that brings a residual of this approximate
  /// size close to 1. Returns true if the scale has changed.
  bool rescale(double size) {
    double const maximum = 1000.0;  // larger exponents would overflow float64
    double const before = scale_;
    scale_ =
        size > 0.0 ? std::exp2(std::clamp(-std::floor(std::log2(size)), -maximum, maximum)) : 1.0;
    return scale_ != before;
  }

  /// Returns the seconds spent in halo exchanges by this rank's host clock.
  [[nodiscard]] double halo_seconds() const { return corrections_.halo_seconds(); }
  [[nodiscard]] TransportDescription transport_description() const {
    return corrections_.transport_description();
  }

 private:
  [[nodiscard]] Queue& queue() const { return *queue_; }

  /// Enqueues adding the norms of a field's values to `change`.
  template <class Value>
  void add_norms(FieldView<Value const> field, Change* change) {
    evaluate_residual(queue(), AxisWeights<double>{},
                      ResidualPass<Value, Value>{field, {}, {}, unknown_, 1.0, change, 1.0});
  }

  /// Enqueues making the operator of the correction equation from that of the field, at this rank's
  /// points.
  void make_correction_operator(Problem const& problem, Subdomain const& subdomain,
                                OperatorFields<CorrectionReal> const& flow) {
    if constexpr (by_conjugate_gradients) {
      // Conductances across a periodic face lead to points of the grid, not out of it.
      LocalBox grid = subdomain.grid_box();
      for (int axis = 0; axis < 3; ++axis) {
        if (!problem.grid.periodic[axis]) continue;
        --grid.lower[axis];
        ++grid.upper[axis];
      }
      set_correction_operator(queue(), state_.conductances(), shift_, grid, flow,
                              subdomain.owned());
    }
  }

  /// Replaces the solution in a homogeneous medium by multigrid cycles, if the step before the last
  /// one shows that it is a poor preconditioner. So at most two steps are slow.
  ///
  /// The slopes (r, z) of successive steps are squared norms of the error. When it has become
  /// small, slow steps may be due to rounding.
  void fall_back_if_slow(std::int64_t cycle) requires(may_fall_back) {
    constexpr double slow = 0.25;   // reduction of the error by a step
    constexpr double small = 1e-5;  // error, relative to the first one
    if (cycle < 2 || !corrections_.is_direct()) return;
    if (slope_ <= slow * slow * slope_before_ || slope_ <= small * small * first_slope_) return;
    corrections_.fall_back([this](OperatorFields<CorrectionReal> const& flow) {
      make_correction_operator(corrections_.problem(), corrections_.subdomain(), flow);
    });
    direct_gains_ = gains_.size();
  }

  /// Returns the factor from the scale of residuals and corrections to that of the search
  /// direction.
  [[nodiscard]] double to_direction() const { return direction_scale_ / scale_; }

  /// True if this rank has memory for the aggregates of this number of objects. The host makes
  /// them, one after the other; on a device it keeps none.
  static bool has_room_for_aggregates(Problem const& problem, SolverPlan const& plan,
                                      MultigridSettings const& settings,
                                      std::size_t count) requires(may_use_aggregates) {
    using Levels = CorrectionSolver<Grids>;
    Execution const& where = plan.execution;
    std::size_t const on_host =
        Levels::aggregate_host_bytes(problem, plan.subdomain, settings, where.backend);
    if (where.backend == Backend::cpu) {
      return product_of_bytes(count, on_host) <= where.spare_bytes;
    }
    std::size_t const on_device =
        Levels::aggregate_bytes(problem, plan.subdomain, settings, where.backend);
    return on_host <= where.spare_bytes &&
           product_of_bytes(count, on_device) <= where.spare_device_bytes;
  }
  /// Replaces the coarser grids by aggregates if six steps or more have shown that the steps leave
  /// too much of the error. Gains are differences of squared energy norms of the error. When they
  /// have become small, slow steps may be due to rounding.
  void use_aggregates_if_slow(std::int64_t cycle) requires(may_use_aggregates) {
    constexpr double slow = 0.4;    // part of the error that a step leaves
    constexpr double small = 1e-5;  // error, relative to the first one
    bool const is_too_early =
        static_cast<int>(gains_.size() - direct_gains_) + 1 < cycles_to_decide;
    if (cycle == 0 || is_too_early || !is_undecided()) return;
    double const newest = gains_.back();
    double const sum = std::accumulate(gains_.begin(), gains_.end(), 0.0);
    double const rate = std::pow(newest / gains_[gains_.size() - 4], 1.0 / 6.0);
    if (!(rate > slow) || !(newest > small * small * sum)) return;
    if (aggregates_fit_) corrections_.use_aggregates();
    hierarchy_ = aggregates_fit_ ? HierarchyKind::aggregates : HierarchyKind::grids;
    (aggregates_fit_ ? replaced_rate_ : slow_rate_) = rate;
  }

  /// One step of the conjugate gradient method, preconditioned by the cycle's correction z.
  ///
  /// The new search direction is conjugate to the last one, p: p ← z − (z, A p) / (p, A p) p. The
  /// length of the step along it is (r, p) / (p, A p). Collective.
  /// Like the flexible method of Y. Notay (2000), this formula does not assume that the
  /// preconditioner is exactly linear and symmetric; a float32 cycle is not, due to rounding.
  /// @param anew  restarts: the last search direction is discarded, so p = z
  void find_search_direction(bool anew) requires(by_conjugate_gradients) {
    TimelineScope const scope("direction", queue());
    DistributedField<Real>& direction = state_.direction();
    DistributedField<Real>& operator_times_direction = state_.operator_times_direction();
    // β = −(z, A p) / (p, A p), with the last p.
    double keep = 0.0;
    if (!anew && curvature_ > 0.0) {
      double const product =
          inner_products(corrections_.correction(), operator_times_direction.view(),
                         FieldView<Real const>{})
              .ab;
      keep = -product * to_direction() / curvature_;
    }
    update_search_direction(queue(), corrections_.correction(), to_direction(),
                            direction.writable(), keep, unknown_);
    if (deflate_) deflate_(direction.writable());
    // The step length ω = (r, p) / (p, A p).
    InnerProducts const mine = state_.products().apply(
        queue(), state_.conductances(), shift_, direction.with_halo(), corrections_.source(),
        operator_times_direction.writable(), unknown_);
    double const slope = ranks_->sum(mine.ab), curvature = ranks_->sum(mine.bc);
    curvature_ = curvature;
    slope_ = slope * to_direction();
    weight_ = curvature > 0.0 ? slope_ / curvature : 0.0;
  }
  /// True if the rounding of the field is as large as the last correction.
  ///
  /// After an exact step along p the residual is orthogonal to p; if it is not, the step was lost
  /// in rounding. The next search direction must then not be made conjugate to it. Otherwise, if
  /// some points conduct far better than others, the rounding of their values would keep the others
  /// from converging.
  [[nodiscard]] bool was_rounded_away() requires(by_conjugate_gradients) {
    constexpr double part = 0.1;
    FieldView<Real const> const direction = state_.direction().view();
    double const left =
        inner_products(corrections_.source(), direction, FieldView<Real const>{}).ab *
        to_direction();
    return std::abs(left) > part * std::abs(slope_);
  }
  /// Returns the inner products (a, b) and (b, c) over the unknowns of all ranks. Collective.
  [[nodiscard]] InnerProducts inner_products(
      FieldView<CorrectionReal const> a, FieldView<Real const> b,
      FieldView<Real const> c) requires(by_conjugate_gradients) {
    InnerProducts const mine = state_.products().of_fields().of(queue(), a, b, c, unknown_);
    return {ranks_->sum(mine.ab), ranks_->sum(mine.bc)};
  }

  mpi::Communicator const* ranks_;
  Queue* queue_;
  AxisWeights<double> weights_;  ///< of neighbours, with constant coefficients
  double shift_;                 ///< Scheme::shift
  LocalBox unknown_;             ///< this rank's unknowns
  State state_;
  CorrectionSolver<Grids> corrections_;
  double scale_ = 1.0;  ///< power of two by which residuals and corrections are multiplied
  /// The power of two by which the search direction is multiplied, that of the first cycle. Without
  /// it the inner products of a field of tiny values would underflow.
  double direction_scale_ = 1.0;
  std::vector<double> cycle_factors_{1.0};  ///< relaxation factors of successive cycles
  std::function<void(FieldView<Real>)> deflate_{};
  double weight_ = 1.0;  ///< relaxation factor ω, or length of the step along p
  /// (r, p) of the last search direction p and the residual before it. Like curvature_, it belongs
  /// to a field multiplied by direction_scale_.
  double slope_ = 0.0;
  double slope_before_ = 0.0;              ///< that of the search direction before it
  double first_slope_ = 0.0;               ///< that of the first search direction
  double curvature_ = 0.0;                 ///< (p, A p) of the last search direction
  std::vector<double> gains_{};            ///< gain() of the steps since the last restart
  std::size_t direct_gains_ = 0;           ///< how many of them are of direct solutions
  HierarchyKind hierarchy_;                ///< see hierarchy()
  bool aggregates_fit_ = false;            ///< there is memory for aggregates
  std::optional<double> slow_rate_{};      ///< see rate_of_slow_grids()
  std::optional<double> replaced_rate_{};  ///< see rate_of_replaced_grids()
  bool rounds_away_ = false;  ///< corrections are lost in rounding: every direction is p = z
};

}  // namespace isotherm
