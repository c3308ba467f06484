#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "kernels/conduction/coarsening.hpp"
#include "kernels/conduction/correction_operator.hpp"
#include "kernels/faces/faces.hpp"
#include "kernels/multigrid/first_sweep.hpp"
#include "kernels/multigrid/heterogeneous_residual.hpp"
#include "kernels/multigrid/packed/packed_smoothing.hpp"
#include "kernels/updates/heterogeneous_rules.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/level/field_pair.hpp"
#include "solver/level/halo_shape.hpp"
#include "solver/multigrid/levels/level_plan.hpp"

namespace isotherm {

/// The fields of a heterogeneous operator: conductances to the next point along each axis and the
/// reaction term (kernels/conduction/coarsening.hpp), with ghost layers.
template <class Real>
class OperatorFieldSet {
 public:
  /// Allocates dimension + 1 fields. `space` must outlive them.
  OperatorFieldSet(FieldSpace<Real>& space, int dimension) : dimension_(dimension) {
    for (int n = 0; n <= dimension; ++n) fields_.emplace_back(space);
  }

  /// Views of the fields; `z` is empty in 2D.
  [[nodiscard]] OperatorFields<Real> writable() {
    OperatorFields<Real> all;
    all.x = fields_[0].writable();
    all.y = fields_[1].writable();
    if (dimension_ == 3) all.z = fields_[2].writable();
    all.reaction = fields_.back().writable();
    return all;
  }
  /// The same fields, read-only, with their ghost layers. Collective.
  [[nodiscard]] OperatorFields<Real const> with_halo() {
    OperatorFields<Real const> all;
    all.x = fields_[0].with_halo();
    all.y = fields_[1].with_halo();
    if (dimension_ == 3) all.z = fields_[2].with_halo();
    all.reaction = fields_.back().with_halo();
    return all;
  }
  [[nodiscard]] std::vector<DistributedField<Real>>& fields() { return fields_; }

 private:
  int dimension_;
  std::vector<DistributedField<Real>> fields_{};
};

/// One grid of a hierarchy for a heterogeneous medium: its operator A, its correction e and its
/// source r, in A e = r.
///
/// Row p of A e is Σ g (e_p − e_neighbour) + s e_p with the conductances g and the reaction term s.
/// The source is the heat flow into each point. All points are unknown except the marked ones,
/// which remain zero.
///
/// dimension + 5 fields: e, the field that the next pass writes, r, the conductances, s, and the
/// inverse diagonal. Levels on a device may be smoothed with a packed operator, which has the bytes
/// of two fields, and have a field for the residual (PackedLevel). Neither copyable nor movable.
template <class RealType, int dimension>
class MediumLevel {
 public:
  using Real = RealType;

  /// Allocates the fields. The operator is set through operator_fields() and complete_operator().
  /// Collective.
  /// @param ranks  those that share the level's points; must outlive the level, like `queue`
  /// @param plans  from smoothing_plans_of()
  MediumLevel(mpi::Communicator const& ranks, LevelPlan const& plan, std::vector<SweepPlan> plans,
              Queue& queue, TransportKind transport)
      : plan_(plan),
        plans_(std::move(plans)),
        ranks_(&ranks),
        queue_(&queue),
        space_(ranks, plan.subdomain, queue, halo_shape(plan.problem, plan.depth), transport),
        pair_(space_, free_box(plan.problem, plan.subdomain, plan.depth)),
        source_(space_),
        operator_fields_(space_, dimension),
        inverse_diagonal_(space_),
        ones_(queue, {longest(plan), 1, 1}, {plan.depth, 0, 0}) {
    fill(queue, ones_.view(), ones_.view().box, Real{1});
    if constexpr (may_be_packed) {
      if (is_packed(plan, queue)) packed_.emplace(space_);
    }
  }

  /// Returns an upper bound on the bytes that the level allocates, see Buffer::footprint.
  static std::size_t footprint(LevelPlan const& plan, Backend backend, TransportKind transport) {
    Index3 const halo = FieldSpace<Real>::halo_points_of(plan.problem.grid, plan.depth);
    // Two correction fields and the source, the operator, and the inverse diagonal.
    std::size_t const fields = 3 + dimension + 2;
    std::size_t const packed =
        may_be_packed ? PackedLevel::footprint(backend, plan.subdomain.extent(), halo) : 0;
    return packed + fields * Field<Real>::footprint(backend, plan.subdomain.extent(), halo) +
           Field<Real>::footprint(backend, {longest(plan), 1, 1}, {plan.depth, 0, 0}) +
           FieldSpace<Real>::footprint(backend, plan.subdomain, plan.depth, transport);
  }

  [[nodiscard]] LevelPlan const& plan() const { return plan_; }
  [[nodiscard]] mpi::Communicator const& ranks() const { return *ranks_; }
  /// e. A pass of sweeps exchanges the two fields, so do not keep the reference beyond it.
  [[nodiscard]] DistributedField<Real>& correction() { return pair_.front(); }
  /// r, the heat flow into each point.
  [[nodiscard]] DistributedField<Real>& source() { return source_; }
  [[nodiscard]] FieldSpace<Real>& space() { return space_; }
  /// The operator: conductances and reaction term.
  [[nodiscard]] OperatorFieldSet<Real>& operator_fields() { return operator_fields_; }
  /// The points that sweeps change: all of this rank's, because marked points remain zero.
  [[nodiscard]] LocalBox unknown() const { return plan_.subdomain.owned(); }

  /// Enqueues completing the operator after operator_fields() has been set at this rank's points:
  /// the inverse diagonal by which sweeps multiply, and the packed operator. Collective.
  void complete_operator() {
    set_inverse_diagonal(*queue_, conductances(), inverse_diagonal_.writable(), unknown());
    if constexpr (may_be_packed) {
      if (packed_) pack_operator(*queue_, conductances(), packed_->op());
    }
  }

  /// Enqueues weighted Jacobi sweeps, one per weight, with initial guess e = 0. Collective.
  /// @returns  the residual r − A e, in a field that the next pass overwrites
  DistributedField<Real>& smooth_from_zero(std::span<double const> weights) {
    if constexpr (may_be_packed) {
      if (packed_ && weights.size() > packed_from_zero) return smooth_packed_from_zero(weights);
    }
    // A fused second sweep reads one layer beyond the rank's points, so the halo bounds the number
    // of sweeps.
    auto const in_reach = std::min(weights.size(), static_cast<std::size_t>(plan_.depth));
    std::size_t const taken =
        sweep_from_zero(*queue_, relaxed(), weights.first(in_reach), source_.with_halo(),
                        correction().writable(), unknown(), pair_.free());
    smooth(weights.subspan(taken));
    return residual();
  }
  /// Enqueues weighted Jacobi sweeps, one per weight, of the present correction. Collective.
  void smooth(std::span<double const> weights) {
    if constexpr (may_be_packed) {
      for (; packed_ && weights.size() > 1; weights = weights.subspan(2)) {
        sweep_packed(PackedPass::two_sweeps, weights, {});
      }
    }
    while (!weights.empty()) weights = weights.subspan(sweep(weights));
  }
  /// Enqueues evaluating the residual r − A e. The result lies in a field that the next pass
  /// overwrites. Collective.
  DistributedField<Real>& residual() {
    DistributedField<Real>& result = pair_.back();
    evaluate_heterogeneous_residual<Real>(
        *queue_, conductances(),
        ResidualPass<Real, Real>{correction().with_halo(), source_.view(), result.writable(),
                                 unknown()});
    return result;
  }

 private:
  /// True if levels of this kind can be smoothed with a packed operator.
  static constexpr bool may_be_packed = dimension == 3 && std::is_same_v<Real, float>;
  /// Sweeps of the first pass with a packed operator.
  static constexpr std::size_t packed_from_zero = 3;

  /// The packed operator, and the residual that a pass yields in addition to the correction.
  struct PackedLevel {
    explicit PackedLevel(FieldSpace<Real>& space)
        : x_and_y(space.queue(), groups(space.subdomain().extent()), halo_of(space.halo_points())),
          z_and_reaction(space.queue(), x_and_y.layout().owned, x_and_y.layout().halo),
          residual(space) {}

    static std::size_t footprint(Backend backend, Extent3 points, Index3 halo) {
      if (backend == Backend::cpu) return 0;
      return 2 * Field<PackedGroup>::footprint(backend, groups(points), halo_of(halo)) +
             Field<Real>::footprint(backend, points, halo);
    }
    [[nodiscard]] PackedOperator<PackedGroup> op() {
      return {x_and_y.view(), z_and_reaction.view()};
    }
    /// Returns the numbers of groups of points along x, and of points along y and z.
    static Extent3 groups(Extent3 points) {
      points.x = (points.x + PackedGroup::points - 1) / PackedGroup::points;
      return points;
    }
    static Index3 halo_of(Index3 halo) {
      halo.x = (halo.x + PackedGroup::points - 1) / PackedGroup::points;
      return halo;
    }

    Field<PackedGroup> x_and_y, z_and_reaction;
    DistributedField<Real> residual;
  };

  /// True if the level is smoothed with a packed operator.
  static bool is_packed(LevelPlan const& plan, Queue const& queue) {
    return plan.depth >= packed_depth(PackedPass::three_sweeps_from_zero) &&
           has_packed_smoothing(queue);
  }

  /// Enqueues a pass with the packed operator. Collective.
  /// @param weights  ω of its sweeps, and possibly of further ones
  /// @param residual  for PackedPass::sweep_and_residual
  void sweep_packed(PackedPass pass, std::span<double const> weights,
                    FieldView<float> residual) requires(may_be_packed) {
    PackedOperator<PackedGroup> const op = packed_->op();
    PackedSmoothing by;
    by.op = {op.x_and_y, op.z_and_reaction};
    by.source = source_.with_halo();
    by.residual = residual;
    by.free = pair_.free();
    for (std::size_t n = 0; n < std::min(weights.size(), std::size(by.weights)); ++n) {
      by.weights[n] = static_cast<float>(weights[n]);
    }
    if (pass == PackedPass::three_sweeps_from_zero) {
      by.out = correction().writable();
      by.region = unknown();
      return smooth_packed(*queue_, pass, by);
    }
    pair_.pass(packed_depth(pass), [&](LocalBox region, auto const& /*forwards*/) {
      by.correction = pair_.front().view();
      by.out = pair_.back().writable();
      by.region = region;
      smooth_packed(*queue_, pass, by);
    });
  }
  /// smooth_from_zero() with the packed operator.
  /// @pre  there are more sweeps than the first pass takes
  DistributedField<Real>& smooth_packed_from_zero(std::span<double const> weights) requires(
      may_be_packed) {
    sweep_packed(PackedPass::three_sweeps_from_zero, weights, {});
    // Pairs of sweeps, and a single one with the residual.
    weights = weights.subspan(packed_from_zero);
    if (weights.size() % 2 == 0) weights = weights.subspan(sweep(weights.first(1)));
    smooth(weights.first(weights.size() - 1));
    sweep_packed(PackedPass::sweep_and_residual, weights.last(1), packed_->residual.writable());
    return packed_->residual;
  }

  /// Returns the number of points of the longest axis.
  static std::int64_t longest(LevelPlan const& plan) {
    Extent3 const n = plan.subdomain.extent();
    return std::max({n.x, n.y, n.z});
  }

  /// The operator as residuals read it. Cell widths are 1, because flows are not divided by a
  /// volume.
  [[nodiscard]] Conductances<Real, dimension> conductances() {
    OperatorFields<Real const> const operator_fields = operator_fields_.with_halo();
    Real const* const ones = ones_.view().origin;
    Conductances<Real, dimension> g{
        operator_fields.x, operator_fields.y, operator_fields.z, ones, ones, ones};
    g.reaction = operator_fields.reaction;
    return g;
  }

  /// The operator as smoothing sweeps read it.
  [[nodiscard]] SmoothingConductances<Real, dimension> relaxed() {
    OperatorFields<Real const> const operator_fields = operator_fields_.with_halo();
    return {operator_fields.x, operator_fields.y, operator_fields.z, inverse_diagonal_.with_halo()};
  }

  /// Enqueues the first of these sweeps in one pass of the fastest kernel variant. Returns their
  /// number.
  std::size_t sweep(std::span<double const> weights) {
    SweepPlan const& plan = plans_[std::min(weights.size(), plans_.size()) - 1];
    auto const sweeps = static_cast<std::size_t>(plan.steps);
    HeterogeneousSmoothingRule<Real, dimension> rule{{}, relaxed()};
    for (std::size_t n = 0; n < sweeps; ++n) rule.weights[n] = static_cast<Real>(weights[n]);
    pair_.pass(rule, plan, source_.with_halo(), nullptr);
    return sweeps;
  }

  LevelPlan plan_;
  std::vector<SweepPlan> plans_;  ///< [n − 1]: fastest kernel variant if n sweeps are left
  mpi::Communicator const* ranks_;
  Queue* queue_;
  FieldSpace<Real> space_;
  FieldPair<Real> pair_;  ///< correction, and the field that passes write
  DistributedField<Real> source_;
  OperatorFieldSet<Real> operator_fields_;
  DistributedField<Real> inverse_diagonal_;  ///< 1 / (Σ g + s)
  Field<Real> ones_;  ///< reciprocal cell widths of 1, as the residual kernel expects them
  std::optional<PackedLevel> packed_{};
};

}  // namespace isotherm
