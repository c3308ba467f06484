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
/// inverse diagonal. Neither copyable nor movable.
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
  }

  /// Returns an upper bound on the bytes that the level allocates, see Buffer::footprint.
  static std::size_t footprint(LevelPlan const& plan, Backend backend, TransportKind transport) {
    Index3 const halo = FieldSpace<Real>::halo_points_of(plan.problem.grid, plan.depth);
    // Two correction fields and the source, the operator, and the inverse diagonal.
    std::size_t const fields = 3 + dimension + 2;
    return fields * Field<Real>::footprint(backend, plan.subdomain.extent(), halo) +
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
  /// the inverse diagonal by which sweeps multiply. Collective.
  void complete_operator() {
    set_inverse_diagonal(*queue_, conductances(), inverse_diagonal_.writable(), unknown());
  }

  /// Enqueues weighted Jacobi sweeps, one per weight, with initial guess e = 0. Collective.
  /// @returns  the residual r − A e, in a field that the next pass overwrites
  DistributedField<Real>& smooth_from_zero(std::span<double const> weights) {
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
};

}  // namespace isotherm
