#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/multigrid/residual.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/iteration/solver_plan.hpp"
#include "solver/multigrid/acceleration.hpp"
#include "solver/multigrid/hierarchy.hpp"

namespace isotherm {

/// Brings a field nearer to the solution of (σ − ∇·∇)u = f by corrections: the residual of the
/// field is evaluated in float64, a hierarchy solves for the correction that it asks for, about,
/// and that is added to the field.
///
/// Corrections may have less precision than the field, since each has to be right in its first
/// digits only; they are scaled by a power of two, so that they stay numbers of ordinary size.
/// Residuals are those of a sweep, source − shift u + Σ w · differences (kernels/multigrid). Stays
/// where it is.
template <class RealType, class CorrectionReal, int dimension>
class Corrector {
 public:
  using Real = RealType;

  /// @param problem  of the fields that are corrected, with its σ
  /// @param plan     whose scheme has the numbers of that operator
  /// All that is passed by reference, but for these two and the settings, outlives the object.
  /// Collective.
  Corrector(mpi::Communicator const& ranks, Problem const& problem, SolverPlan const& plan,
            MultigridSettings const& settings, Queue& queue)
      : queue_(&queue),
        weights_{plan.scheme.weight[0], plan.scheme.weight[1], plan.scheme.weight[2]},
        shift_(plan.scheme.shift),
        unknown_(unknown_points(problem, plan.subdomain)),
        hierarchy_(ranks, problem, plan.subdomain, settings, plan.execution, queue) {
    if (reaches_far() && !hierarchy_.is_exact()) {
      cycle_weights_ = correction_weights(dimension, settings);
    }
  }

  /// Bytes that it takes at most, see Buffer::footprint.
  static std::size_t footprint(Problem const& problem, SolverPlan const& plan,
                               MultigridSettings const& settings) {
    Execution const& where = plan.execution;
    return Hierarchy<CorrectionReal, dimension>::footprint(problem, plan.subdomain, settings,
                                                           where.backend, where.transport);
  }

  [[nodiscard]] AxisWeights<double> const& weights() const { return weights_; }
  [[nodiscard]] double shift() const { return shift_; }

  /// Whether a value of the source is felt some ten points away and more. If not, cycles are nearly
  /// exact, and full multigrid would not help them.
  [[nodiscard]] bool reaches_far() const { return shift_ < 0.01; }

  /// Enqueues evaluating the residual of the field, as what the next correction is for, and its
  /// norms. `source` may be none. Collective.
  void evaluate(DistributedField<Real>& field, FieldView<Real const> source, Change* change) {
    field.fill_halo();
    evaluate_residual(
        queue(), weights_,
        ResidualPass<Real, CorrectionReal>{std::as_const(field).view(), source, hierarchy_.source(),
                                           unknown_, scale_, change, shift_});
  }

  /// Enqueues finding the correction that the last evaluated residual asks for by full multigrid,
  /// which pays where nothing of the solution is in the field yet, and before a cycle. Collective.
  void find_start() {
    hierarchy_.start();
    weight_ = 1.0;
  }
  /// The same by a cycle, the `cycle`th since find_start() or without one, from 0. Collective.
  void find_by_cycle(std::int64_t cycle) {
    hierarchy_.cycle();
    weight_ = cycle_weights_[static_cast<std::size_t>(cycle) % cycle_weights_.size()];
  }

  /// Enqueues adding the correction that was found.
  void correct(DistributedField<Real>& field) {
    add_correction(queue(), hierarchy_.correction(), field.view(), unknown_, weight_ / scale_);
  }

  /// Enqueues correct() and evaluate() in one pass over memory: the field is corrected in `after`,
  /// which has its values at Dirichlet points already, and its residual evaluated, scaled as one of
  /// about `size` asks for. Collective.
  void correct_and_evaluate(DistributedField<Real>& before, DistributedField<Real>& after,
                            double size, FieldView<Real const> source, Change* change) {
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

  Queue* queue_;
  AxisWeights<double> weights_;
  double shift_;
  LocalBox unknown_;
  Hierarchy<CorrectionReal, dimension> hierarchy_;
  double scale_ = 1.0;
  std::vector<double> cycle_weights_{1.0};
  double weight_ = 1.0;  ///< of the correction that was found
};

}  // namespace isotherm
