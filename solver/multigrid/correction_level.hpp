#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "kernels/faces/faces.hpp"
#include "kernels/multigrid/residual.hpp"
#include "kernels/updates/rules.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/level/field_pair.hpp"
#include "solver/level/halo_shape.hpp"
#include "solver/multigrid/coarsening.hpp"
#include "solver/multigrid/level_plan.hpp"

namespace isotherm {

/// One grid of a hierarchy with its correction, which is smoothed, and its source. Beside points of
/// Dirichlet faces, which stay zero, all are unknown. Stays where it is.
template <class RealType, int dimension>
class CorrectionLevel {
 public:
  using Real = RealType;

  /// @param ranks  those that share the level's points; outlives the level, as `queue` does
  /// @param plans  of smoothing_plans_of()
  /// Collective.
  CorrectionLevel(mpi::Communicator const& ranks, LevelPlan const& plan,
                  std::vector<SweepPlan> plans, Queue& queue, TransportKind transport)
      : plan_(plan),
        plans_(std::move(plans)),
        queue_(&queue),
        weights_(weights_of(plan.problem)),
        shift_(relaxation_shift(plan.problem.grid, plan.problem.sigma)),
        space_(ranks, plan.subdomain, queue, halo_shape(plan.problem, plan.depth), transport),
        pair_(space_, free_box(plan.problem, plan.subdomain, plan.depth)),
        source_(space_) {}

  /// Bytes that it takes at most, see Buffer::footprint.
  static std::size_t footprint(LevelPlan const& plan, Backend backend, TransportKind transport) {
    Index3 const halo = FieldSpace<Real>::halo_points_of(plan.problem.grid, plan.depth);
    return 3 * Field<Real>::footprint(backend, plan.subdomain.extent(), halo) +
           FieldSpace<Real>::footprint(backend, plan.subdomain, plan.depth, transport);
  }

  [[nodiscard]] LevelPlan const& plan() const { return plan_; }
  [[nodiscard]] DistributedField<Real>& correction() { return pair_.front(); }
  [[nodiscard]] DistributedField<Real>& source() { return source_; }
  [[nodiscard]] FieldSpace<Real>& space() { return space_; }
  [[nodiscard]] LocalBox unknown() const { return unknown_points(plan_.problem, plan_.subdomain); }

  /// Enqueues setting the correction to zero.
  void clear() {
    FieldView<Real> const view = correction().view();
    fill(*queue_, view, view.box, Real{0});
  }

  /// Enqueues as many sweeps as there are weights, with one of them each. The source has its halo.
  void smooth(std::span<double const> weights) {
    while (!weights.empty()) {
      SweepPlan const& plan = plans_[std::min(weights.size(), plans_.size()) - 1];
      auto const steps = static_cast<std::size_t>(plan.steps);
      SmoothingRule<Real, dimension> rule{{}, {weights_.x, weights_.y, weights_.z}};
      for (std::size_t n = 0; n < steps; ++n) rule.weights[n] = static_cast<Real>(weights[n]);
      pair_.pass(rule, plan, std::as_const(source_).view(), nullptr);
      weights = weights.subspan(steps);
    }
  }

  /// Enqueues evaluating what the correction leaves of the source. The result lies in a field that
  /// the next pass overwrites; its halo is filled.
  DistributedField<Real>& residual() {
    correction().fill_halo();
    DistributedField<Real>& result = pair_.back();
    evaluate_residual(*queue_, weights_,
                      ResidualPass<Real, Real>{correction().view(), source_.view(), result.view(),
                                               unknown(), 1.0, nullptr, shift_});
    result.fill_halo();
    return result;
  }

 private:
  static AxisWeights<Real> weights_of(Problem const& of) {
    PerAxis<double> const weights = relaxation_weights(of.grid, of.sigma);
    return {static_cast<Real>(weights[0]), static_cast<Real>(weights[1]),
            static_cast<Real>(weights[2])};
  }

  LevelPlan plan_;
  std::vector<SweepPlan> plans_;
  Queue* queue_;
  AxisWeights<Real> weights_;
  double shift_;
  FieldSpace<Real> space_;
  FieldPair<Real> pair_;
  DistributedField<Real> source_;
};

}  // namespace isotherm
