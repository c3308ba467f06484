#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/conduction/correction_flow.hpp"
#include "kernels/multigrid/conducted_residual.hpp"
#include "kernels/multigrid/directions.hpp"
#include "kernels/multigrid/residual.hpp"
#include "kernels/multigrid/value_range.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/iteration/solver_plan.hpp"
#include "solver/multigrid/acceleration.hpp"
#include "solver/multigrid/hierarchy.hpp"
#include "solver/multigrid/medium/corrector_body.hpp"

namespace isotherm {

/// Brings a field nearer to the solution of (σ − ∇·∇)u = f by corrections: the residual of the
/// field is evaluated in float64, a hierarchy solves for the correction that it asks for, about,
/// and that is added to the field.
///
/// Corrections may have less precision than the field, since each has to be right in its first
/// digits only; they are scaled by a power of two, so that they stay numbers of ordinary size.
/// Residuals are those of a sweep, source − shift u + Σ w · differences (kernels/multigrid). Stays
/// where it is.
///
/// Where a problem has a body, residuals are what flows into each point beyond what keeps it as it
/// is, in units of body_units(), and corrections are directions of conjugate gradients, which
/// cycles are to make short work of: so conductances that differ by orders of magnitude do not slow
/// them down much.
template <class RealType, class CorrectionReal, int dimension,
          class Grids = UniformGrids<CorrectionReal, dimension>>
class Corrector {
 public:
  using Real = RealType;
  static constexpr bool conducts = Grids::conducts;

  /// @param problem  of the fields that are corrected, with its σ
  /// @param plan     whose scheme has the numbers of that operator
  /// @param space    of the fields
  /// @param mean_free  cycles may leave means to the caller, who calls set_deflation() if
  ///                   is_mean_free()
  /// All that is passed by reference, but for the first two and the settings, outlives the object.
  /// Collective. @throws ValueRefusal  on every rank, where the numbers of a body cannot be
  Corrector(mpi::Communicator const& ranks, Problem const& problem, SolverPlan const& plan,
            MultigridSettings const& settings, FieldSpace<Real>& space, bool mean_free = false)
      : ranks_(&ranks),
        queue_(&space.queue()),
        weights_{plan.scheme.weight[0], plan.scheme.weight[1], plan.scheme.weight[2]},
        shift_(plan.scheme.shift),
        unknown_(unknown_points(problem, plan.subdomain)),
        body_(problem, space),
        hierarchy_(
            ranks, problem, plan.subdomain, settings, plan.execution, space.queue(),
            [&](FlowFields<CorrectionReal> const& flow) {
              make_correction_flow(problem, plan.subdomain, flow);
            },
            mean_free) {
    if (!conducts && reaches_far() && !hierarchy_.is_exact()) {
      cycle_weights_ = correction_weights(dimension, settings);
    }
  }

  /// Bytes that it takes at most, see Buffer::footprint.
  static std::size_t footprint(Problem const& problem, SolverPlan const& plan,
                               MultigridSettings const& settings) {
    Execution const& where = plan.execution;
    return Hierarchy<Grids>::footprint(problem, plan.subdomain, settings, where.backend,
                                       where.transport) +
           CorrectorBody<Real, dimension, conducts>::footprint(problem, plan.subdomain,
                                                               where.backend);
  }

  [[nodiscard]] double shift() const { return shift_; }
  [[nodiscard]] Conductances<Real, dimension> const& conductances() const requires(conducts) {
    return body_.conductances();
  }

  /// Whether cycles leave the means of some islands of points to the caller, because these are held
  /// so weakly that the equation tells their means by few digits (DenseSolve).
  [[nodiscard]] bool is_mean_free() const requires(conducts) { return hierarchy_.is_mean_free(); }
  /// From now on `deflate` takes from every new search direction what changes the means of islands,
  /// so that conjugate gradients solve for the rest (R. A. Nicolaides, 1987).
  void set_deflation(std::function<void(FieldView<Real>)> deflate) requires(conducts) {
    deflate_ = std::move(deflate);
  }

  /// Enqueues a residual of another shift than the operator's, or at rest: without what flows.
  template <class To>
  void evaluate_flow(ResidualPass<Real, To> const& pass) {
    if constexpr (conducts) {
      evaluate_conducted_residual<double>(queue(), body_.conductances(), pass);
    } else {
      evaluate_residual(queue(), pass.at_rest ? AxisWeights<double>{} : weights_, pass);
    }
  }

  /// Whether a value of the source is felt some ten points away and more. If not, cycles are nearly
  /// exact, and full multigrid would not help them.
  [[nodiscard]] bool reaches_far() const { return shift_ < 0.01; }

  /// Enqueues evaluating the residual of the field, as what the next correction is for, and its
  /// norms: by_diagonal those of measure_jacobi_change(). `source` may be none. Collective.
  void evaluate(DistributedField<Real>& field, FieldView<Real const> source, Change* change,
                bool by_diagonal = false) {
    field.fill_halo();
    ResidualPass<Real, CorrectionReal> pass{
        std::as_const(field).view(), source, hierarchy_.source(), unknown_, scale_, change, shift_};
    pass.norms_by_diagonal = by_diagonal;
    evaluate_flow(pass);
  }

  /// Enqueues finding the correction that the last evaluated residual asks for by full multigrid,
  /// which pays where nothing of the solution is in the field yet, and before a cycle. Collective.
  void find_start() requires(!conducts) {
    hierarchy_.start();
    weight_ = 1.0;
  }
  /// The same by a cycle, the `cycle`th since find_start() or without one, from 0. Collective.
  /// @param down_to_rounding  the residual is to fall until it is rounding (was_rounded_away)
  void find_by_cycle(std::int64_t cycle, bool down_to_rounding = false) {
    hierarchy_.cycle();
    if constexpr (conducts) {
      if (cycle == 0) rounds_away_ = false;
      if (cycle > 0 && down_to_rounding && !rounds_away_) rounds_away_ = was_rounded_away();
      find_direction(cycle == 0 || rounds_away_);
    } else {
      weight_ = cycle_weights_[static_cast<std::size_t>(cycle) % cycle_weights_.size()];
    }
  }

  /// Enqueues adding the norms of the correction that was found, or of the direction along which it
  /// lies, to `change`; times size_factor() they are those of what correct() adds.
  void measure_correction(Change* change) {
    if constexpr (conducts) {
      add_norms(std::as_const(body_.direction()).view(), change);
    } else {
      add_norms(hierarchy_.correction(), change);
    }
  }
  [[nodiscard]] double size_factor() const {
    return std::abs(conducts ? weight_ : weight_ / scale_);
  }
  /// By how much the correction lessens the squared energy norm of the error (ChangeSample::gain).
  [[nodiscard]] double gain() const { return weight_ * weight_ * curvature_; }

  /// Enqueues adding the norms of what a Jacobi sweep would change of the field to `change`: of the
  /// residual, row by row relative to the diagonal of the matrix. `source` may be none. Collective.
  void measure_jacobi_change(DistributedField<Real>& field, FieldView<Real const> source,
                             Change* change) {
    field.fill_halo();
    ResidualPass<Real, CorrectionReal> pass{
        std::as_const(field).view(), source, {}, unknown_, 1.0, change, shift_};
    pass.norms_by_diagonal = true;
    evaluate_flow(pass);
  }
  /// Which points take part in what flows.
  [[nodiscard]] Links<Real> links() const {
    if constexpr (conducts) {
      Conductances<Real, dimension> const& of = body_.conductances();
      return {of.x, of.y, of.z};
    } else {
      return {};
    }
  }

  /// Enqueues adding the correction that was found.
  void correct(DistributedField<Real>& field) {
    if constexpr (conducts) {
      DistributedField<Real> const& direction = body_.direction();
      return add_correction(queue(), direction.view(), field.view(), unknown_, weight_);
    }
    add_correction(queue(), hierarchy_.correction(), field.view(), unknown_, weight_ / scale_);
  }

  /// Enqueues correct() and evaluate() in one pass over memory: the field is corrected in `after`,
  /// which has its values at Dirichlet points already, and its residual evaluated, scaled as one of
  /// about `size` asks for. Collective.
  void correct_and_evaluate(DistributedField<Real>& before, DistributedField<Real>& after,
                            double size, FieldView<Real const> source,
                            Change* change) requires(!conducts) {
    hierarchy_.fill_halo();
    before.fill_halo();
    ResidualPass<Real, CorrectionReal> pass{std::as_const(before).view(), source,
                                            hierarchy_.source(), unknown_};
    pass.correction = hierarchy_.correction();
    pass.correction_scale = weight_ / scale_;
    pass.corrected = after.view();
    (void)rescale(size);
    pass.scale = scale_;
    pass.change = change;
    pass.shift = shift_;
    evaluate_residual(queue(), weights_, pass);
  }

  /// Whether a residual of about this size, as it is scaled now, neither overflows nor vanishes.
  [[nodiscard]] bool suits_scale(double size) const {
    constexpr double far = 0x1p30;
    double const scaled = size * scale_;
    return size == 0.0 || (scaled > 1.0 / far && scaled < far);
  }
  /// From now on residuals are scaled as one of about this size asks for. True where that is
  /// another scale than before.
  bool rescale(double size) {
    double const most = 1000.0;  // beyond, the scale would not be finite
    double const before = scale_;
    scale_ = size > 0.0 ? std::exp2(std::clamp(-std::floor(std::log2(size)), -most, most)) : 1.0;
    return scale_ != before;
  }

  /// From now on until stop_clock() notes what is spent on which level; work outside the cycles is
  /// the field's.
  void start_clock() { hierarchy_.start_clock(); }
  /// Waits for the work so far. @returns  see Solver::time_levels
  std::vector<LevelTime> stop_clock() { return hierarchy_.stop_clock(); }

  /// Seconds in halo exchanges, by this rank's host clock.
  [[nodiscard]] double halo_seconds() const { return hierarchy_.halo_seconds(); }
  [[nodiscard]] std::string transport_name() const { return hierarchy_.transport_name(); }

 private:
  [[nodiscard]] Queue& queue() const { return *queue_; }

  template <class Value>
  void add_norms(FieldView<Value const> field, Change* change) {
    evaluate_residual(queue(), AxisWeights<double>{},
                      ResidualPass<Value, Value>{field, {}, {}, unknown_, 1.0, change, 1.0});
  }

  void make_correction_flow(Problem const& problem, Subdomain const& subdomain,
                            FlowFields<CorrectionReal> const& flow) {
    if constexpr (conducts) {
      LocalBox grid = subdomain.whole();
      for (int axis = 0; axis < 3; ++axis) {
        if (!problem.grid.periodic[axis]) continue;
        --grid.lower[axis];
        ++grid.upper[axis];
      }
      set_correction_flow(queue(), body_.conductances(), shift_, grid, flow, subdomain.owned());
    }
  }

  /// The direction d that is conjugate to the last one, in which the cycle's correction z points,
  /// and how far to go: with q = A d, of the last one at first, z − (z, q) / (d, q) d, and (r, d) /
  /// (d, q) of it. Collective.
  void find_direction(bool anew) requires(conducts) {
    DistributedField<Real>& direction = body_.direction();
    DistributedField<Real>& image = body_.image();
    auto const read = [](DistributedField<Real> const& field) { return field.view(); };
    double keep = 0.0;
    if (!anew && curvature_ > 0.0) {
      double const product =
          products(hierarchy_.correction(), read(image), FieldView<Real const>{}).ab;
      keep = -product / scale_ / curvature_;
    }
    set_direction(queue(), hierarchy_.correction(), 1.0 / scale_, direction.view(), keep, unknown_);
    if (deflate_) deflate_(direction.view());
    direction.fill_halo();
    evaluate_conducted_residual<double>(
        queue(), body_.conductances(),
        ResidualPass<Real, Real>{
            read(direction), {}, image.view(), unknown_, -1.0, nullptr, shift_});
    FieldView<CorrectionReal const> const residual = hierarchy_.source();
    auto const [slope, curvature] = products(residual, read(direction), read(image));
    curvature_ = curvature;
    slope_ = slope / scale_;
    weight_ = curvature > 0.0 ? slope_ / curvature : 0.0;
  }
  /// Whether rounding has changed the field by as much as the last correction: then the residual is
  /// not orthogonal to its direction, as it is after an exact step along it. The next direction
  /// would have to be conjugate to a correction that has not been made: where some points conduct
  /// far better than others, the rounding of their values would keep the others from converging.
  [[nodiscard]] bool was_rounded_away() requires(conducts) {
    constexpr double part = 0.1;
    DistributedField<Real> const& direction = body_.direction();
    FieldView<CorrectionReal const> const residual = hierarchy_.source();
    double const left = products(residual, direction.view(), FieldView<Real const>{}).ab / scale_;
    return std::abs(left) > part * std::abs(slope_);
  }
  /// Over all ranks.
  [[nodiscard]] Products products(FieldView<CorrectionReal const> a, FieldView<Real const> b,
                                  FieldView<Real const> c) requires(conducts) {
    Products const mine = body_.products().of(queue(), a, b, c, unknown_);
    return {ranks_->sum(mine.ab), ranks_->sum(mine.bc)};
  }

  mpi::Communicator const* ranks_;
  Queue* queue_;
  AxisWeights<double> weights_;
  double shift_;
  LocalBox unknown_;
  CorrectorBody<Real, dimension, conducts> body_;
  Hierarchy<Grids> hierarchy_;
  double scale_ = 1.0;
  std::vector<double> cycle_weights_{1.0};
  std::function<void(FieldView<Real>)> deflate_{};
  double weight_ = 1.0;       ///< of the correction that was found
  double slope_ = 0.0;        ///< (r, d) of the last direction and the residual before it
  double curvature_ = 0.0;    ///< (d, A d) of the last direction
  bool rounds_away_ = false;  ///< rounding swallows corrections: each direction is a new one
};

}  // namespace isotherm
