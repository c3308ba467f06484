#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "kernels/faces/faces.hpp"
#include "kernels/multigrid/relaxation.hpp"
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
        at_once_(relaxes_at_once(queue.backend()) && plan.depth >= most_sweeps_at_once),
        queue_(&queue),
        weights_(weights_of(plan.problem.grid)),
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

  /// Enqueues as many sweeps of a correction of zero as there are weights, with one of them each.
  /// The source has its halo.
  /// @returns  what the correction leaves of the source, in a field that is free to be used until
  ///           the next pass; its halo is filled
  DistributedField<Real>& smooth_from_zero(std::span<double const> weights) {
    if (!at_once_) {
      clear();
      smooth(weights);
      return residual();
    }
    std::size_t const first = std::min<std::size_t>(weights.size(), most_sweeps_at_once);
    LocalBox const owned = space_.subdomain().owned();
    relax_at_once(*queue_, dimension,
                  Relaxation<Real>{weights_,
                                   weights.first(first),
                                   {},
                                   std::as_const(source_).view(),
                                   correction().view(),
                                   pair_.back().view(),
                                   owned,
                                   pair_.free()});
    if (first < weights.size()) {
      smooth(weights.subspan(first));
      return residual();
    }
    pair_.back().fill_halo();
    return pair_.back();
  }

  /// Enqueues sweeps of the correction as it is.
  void smooth(std::span<double const> weights) {
    while (!weights.empty()) {
      std::size_t const sweeps = at_once_
                                     ? std::min<std::size_t>(weights.size(), most_sweeps_at_once)
                                     : static_cast<std::size_t>(plan_for(weights.size()).steps);
      at_once_ ? relax_in_one_pass(weights.first(sweeps))
               : sweep_in_one_pass(weights.first(sweeps));
      weights = weights.subspan(sweeps);
    }
  }

  /// Enqueues evaluating what the correction leaves of the source. The result lies in a field that
  /// the next pass overwrites; its halo is filled.
  DistributedField<Real>& residual() {
    correction().fill_halo();
    DistributedField<Real>& result = pair_.back();
    evaluate_residual(
        *queue_, weights_,
        ResidualPass<Real, Real>{correction().view(), source_.view(), result.view(), unknown()});
    result.fill_halo();
    return result;
  }

 private:
  /// Enqueues setting the correction to zero.
  void clear() {
    FieldView<Real> const view = correction().view();
    fill(*queue_, view, view.box, Real{0});
  }

  [[nodiscard]] SweepPlan const& plan_for(std::size_t sweeps) const {
    return plans_[std::min(sweeps, plans_.size()) - 1];
  }
  void sweep_in_one_pass(std::span<double const> weights) {
    SmoothingRule<Real, dimension> rule{{}, {weights_.x, weights_.y, weights_.z}};
    std::ranges::transform(weights, rule.weights.begin(),
                           [](double weight) { return static_cast<Real>(weight); });
    pair_.pass(rule, plan_for(weights.size()), std::as_const(source_).view(), nullptr);
  }
  void relax_in_one_pass(std::span<double const> weights) {
    // Forwarding is not asked for.
    pair_.pass(most_sweeps_at_once, [&](LocalBox region, auto const& /*forwards*/) {
      relax_at_once(*queue_, dimension,
                    Relaxation<Real>{weights_,
                                     weights,
                                     std::as_const(pair_.front()).view(),
                                     std::as_const(source_).view(),
                                     pair_.back().view(),
                                     {},
                                     region,
                                     pair_.free()});
    });
  }

  static AxisWeights<Real> weights_of(Grid const& grid) {
    PerAxis<double> const weights = relaxation_weights(grid);
    return {static_cast<Real>(weights[0]), static_cast<Real>(weights[1]),
            static_cast<Real>(weights[2])};
  }

  LevelPlan plan_;
  std::vector<SweepPlan> plans_;
  bool at_once_;  ///< the backend can, and the halo is deep enough
  Queue* queue_;
  AxisWeights<Real> weights_;
  FieldSpace<Real> space_;
  FieldPair<Real> pair_;
  DistributedField<Real> source_;
};

}  // namespace isotherm
