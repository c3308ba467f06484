#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "kernels/faces/faces.hpp"
#include "kernels/multigrid/fused_smoothing.hpp"
#include "kernels/multigrid/residual.hpp"
#include "kernels/updates/rules.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/level/field_pair.hpp"
#include "solver/level/halo_shape.hpp"
#include "solver/multigrid/levels/coarsening.hpp"
#include "solver/multigrid/levels/level_plan.hpp"

namespace isotherm {

/// One grid of a hierarchy for constant coefficients, with its correction e and its source r, in A
/// e = r.
///
/// The operator is divided by its diagonal, so the Jacobi preconditioner is the identity. All
/// points are unknown except those on Dirichlet faces: e remains zero there. Smoothing sweeps are
/// fused if the backend can (temporal blocking).
///
/// Three fields: e, the field that the next pass writes (which also receives the residual), and r.
/// All members that enqueue work are collective over the ranks that share the level. Neither
/// copyable nor movable.
template <class RealType, int dimension>
class CorrectionLevel {
 public:
  using Real = RealType;

  /// Allocates the fields. Collective.
  /// @param ranks  those that share the level's points; must outlive the level, like `queue`
  /// @param plans  from smoothing_plans_of()
  CorrectionLevel(mpi::Communicator const& ranks, LevelPlan const& plan,
                  std::vector<SweepPlan> plans, Queue& queue, TransportKind transport)
      : plan_(plan),
        plans_(std::move(plans)),
        fused_(plan.depth >= max_fused_sweeps &&
               has_fused_smoothing<Real>(queue, dimension, plan.subdomain.owned().point_count())),
        queue_(&queue),
        weights_(weights_of(plan.problem)),
        shift_(relaxation_shift(plan.problem.grid, plan.problem.sigma)),
        space_(ranks, plan.subdomain, queue, halo_shape(plan.problem, plan.depth), transport),
        pair_(space_, free_box(plan.problem, plan.subdomain, plan.depth)),
        source_(space_) {}

  /// Returns an upper bound on the bytes that the level allocates, see Buffer::footprint.
  static std::size_t footprint(LevelPlan const& plan, Backend backend, TransportKind transport) {
    Index3 const halo = FieldSpace<Real>::halo_points_of(plan.problem.grid, plan.depth);
    return 3 * Field<Real>::footprint(backend, plan.subdomain.extent(), halo) +
           FieldSpace<Real>::footprint(backend, plan.subdomain, plan.depth, transport);
  }

  [[nodiscard]] LevelPlan const& plan() const { return plan_; }
  /// e. A pass of sweeps exchanges the two fields, so do not keep the reference beyond it.
  [[nodiscard]] DistributedField<Real>& correction() { return pair_.front(); }
  /// r, divided by the diagonal of the operator.
  [[nodiscard]] DistributedField<Real>& source() { return source_; }
  [[nodiscard]] FieldSpace<Real>& space() { return space_; }
  /// This rank's points that are not on Dirichlet faces.
  [[nodiscard]] LocalBox unknown() const { return unknown_points(plan_.problem, plan_.subdomain); }

  /// Enqueues weighted Jacobi sweeps, one per weight, with initial guess e = 0.
  /// @returns  the residual r − A e, in a field that the next pass overwrites
  DistributedField<Real>& smooth_from_zero(std::span<double const> weights) {
    // The general way: set zero, sweep, and evaluate the residual in a pass of its own.
    if (!fused_) {
      clear();
      smooth(weights);
      return residual();
    }
    // The fused way reads no correction and yields the residual along with the last sweep.
    weights = weights.subspan(smooth_fused_from_zero(weights));
    if (weights.empty()) return pair_.back();
    smooth(weights);
    return residual();
  }

  /// Enqueues weighted Jacobi sweeps, one per weight, of the present correction.
  void smooth(std::span<double const> weights) {
    while (!weights.empty())
      weights = weights.subspan(fused_ ? smooth_fused(weights) : sweep(weights));
  }

  /// Enqueues evaluating the residual r − A e. The result lies in a field that the next pass
  /// overwrites.
  DistributedField<Real>& residual() {
    DistributedField<Real>& result = pair_.back();
    evaluate_residual(*queue_, weights_,
                      ResidualPass<Real, Real>{correction().with_halo(), source_.view(),
                                               result.writable(), unknown(), 1.0, nullptr, shift_});
    return result;
  }

 private:
  /// Enqueues setting the correction to zero, ghost layers included.
  void clear() {
    FieldView<Real> const view = correction().writable();
    fill(*queue_, view, view.box, Real{0});
  }

  /// Enqueues the first of these sweeps in one pass of the fastest kernel variant. Returns their
  /// number.
  std::size_t sweep(std::span<double const> weights) {
    SweepPlan const& plan = plans_[std::min(weights.size(), plans_.size()) - 1];
    auto const sweeps = static_cast<std::size_t>(plan.steps);
    SmoothingRule<Real, dimension> rule{{}, {weights_.x, weights_.y, weights_.z}};
    for (std::size_t n = 0; n < sweeps; ++n) rule.weights[n] = static_cast<Real>(weights[n]);
    pair_.pass(rule, plan, source_.with_halo(), nullptr);
    return sweeps;
  }
  /// Enqueues the first of these sweeps in one pass of the fused smoother. Returns their number.
  std::size_t smooth_fused(std::span<double const> weights) {
    FusedSmoothing<Real> relaxation = fused_pass(weights);
    relaxation.correction = pair_.front().view();
    relaxation.out = pair_.back().writable();
    // Corrections are not forwarded (FieldPair::forward() is not called).
    pair_.pass(max_fused_sweeps, [&](LocalBox region, auto const& /*forwards*/) {
      relaxation.region = region;
      fused_smoothing(*queue_, dimension, relaxation);
    });
    return relaxation.weights.size();
  }
  /// Enqueues the first of these sweeps for e = 0 in one fused pass, which also writes the residual
  /// to the back field. Returns their number.
  std::size_t smooth_fused_from_zero(std::span<double const> weights) {
    FusedSmoothing<Real> relaxation = fused_pass(weights);
    relaxation.out = pair_.front().writable();
    relaxation.rest = pair_.back().writable();
    fused_smoothing(*queue_, dimension, relaxation);
    return relaxation.weights.size();
  }
  /// Returns the arguments of a fused pass with the first of these sweeps over all points of the
  /// rank.
  [[nodiscard]] FusedSmoothing<Real> fused_pass(std::span<double const> weights) {
    FusedSmoothing<Real> relaxation;
    relaxation.neighbours = weights_;
    relaxation.weights = weights.first(std::min<std::size_t>(weights.size(), max_fused_sweeps));
    relaxation.source = source_.with_halo();
    relaxation.region = space_.subdomain().owned();
    relaxation.free = pair_.free();
    return relaxation;
  }

  /// Returns the weights of neighbours in a Jacobi sweep, in the level's precision.
  static AxisWeights<Real> weights_of(Problem const& problem) {
    PerAxis<double> const weights = relaxation_weights(problem.grid, problem.sigma);
    return {static_cast<Real>(weights[0]), static_cast<Real>(weights[1]),
            static_cast<Real>(weights[2])};
  }

  LevelPlan plan_;
  std::vector<SweepPlan> plans_;  ///< [n − 1]: fastest kernel variant if n sweeps are left
  bool fused_;  ///< the fused smoother is used: the backend has it, and the halo is deep enough
  Queue* queue_;
  AxisWeights<Real> weights_;  ///< of the neighbours, relative to the diagonal
  double shift_;               ///< weight of the point itself, σ / diagonal
  FieldSpace<Real> space_;
  FieldPair<Real> pair_;  ///< correction, and the field that passes write
  DistributedField<Real> source_;
};

}  // namespace isotherm
