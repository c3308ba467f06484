#pragma once

#include <type_traits>

#include "kernels/core/error.hpp"
#include "kernels/multigrid/heterogeneous_residual.hpp"
#include "kernels/multigrid/value_range.hpp"
#include "kernels/sweep/resident.hpp"
#include "kernels/sweep/sweep.hpp"
#include "kernels/updates/heterogeneous_rules.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/discretise/initial.hpp"
#include "solver/level/device_source.hpp"
#include "solver/level/field_pair.hpp"
#include "solver/level/level_operator.hpp"
#include "solver/level/unknowns/floating_components.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

/// Returns an upper bound on the bytes that a Level allocates, see Buffer::footprint.
template <class Real>
std::size_t level_footprint(Problem const& problem, Subdomain const& subdomain, Backend backend,
                            int depth, TransportKind transport) {
  // Two fields that take turns, and the source if there is one.
  std::size_t const fields = needs_source_field(problem) ? 3 : 2;
  Index3 const halo = FieldSpace<Real>::halo_points_of(problem.grid, depth);
  return fields * Field<Real>::footprint(backend, subdomain.extent(), halo) +
         FieldSpace<Real>::footprint(backend, subdomain, depth, transport) +
         operator_footprint<Real>(problem, backend, subdomain.extent(), halo) +
         FloatingComponents<Real>::footprint(problem, subdomain, backend) +
         DeviceSource::footprint(problem, backend, subdomain.extent()) +
         initial_footprint(problem, backend);
}

/// One grid of a relaxation or time-stepping method: the operator, and the field that it is applied
/// to, in two copies that take turns.
///
/// Updates advance the field one pass at a time; a pass may fuse several steps (temporal blocking).
/// Neither copyable nor movable.
///
///     Level<Operator> level(problem, space, op, plan.steps);
///     set_initial_values(problem, queue, level.field());
///     level.pass(update, plan, source, /*change=*/nullptr);   // plan.steps steps
template <class Operator>
class Level {
 public:
  using Real = typename Operator::Real;

  /// Makes the operator, and a field that is zero. Collective.
  /// @param problem, space  must outlive the level
  /// @param depth  of the ghost layer: the maximum number of steps in a pass
  /// @throws ValueRefusal  on every rank, if a number of the medium is not valid
  Level(Problem const& problem, FieldSpace<Real>& space, Operator const& stencil, int depth)
      : problem_(&problem),
        space_(&space),
        pair_(space, free_box(problem, space.subdomain(), depth)),
        operator_(stencil, problem, space) {
    pair_.forward();
  }

  /// The field that holds the present values.
  [[nodiscard]] DistributedField<Real>& field() { return pair_.front(); }
  [[nodiscard]] DistributedField<Real> const& field() const { return pair_.front(); }
  /// The conductances that show which points take part in the heat flow; none with constant
  /// coefficients.
  [[nodiscard]] Links<Real> links() const {
    if constexpr (std::is_same_v<Operator, Conductances<Real, Operator::dimension>>) {
      return {operator_.get().x, operator_.get().y, operator_.get().z};
    } else {
      return {};
    }
  }
  /// Sets the operator for steps of another length.
  void set_operator(Operator const& stencil) { operator_.set(stencil); }

  /// Enqueues one pass of `plan.steps` steps of `update`, with the level's operator, at all free
  /// points. Adds the norms of the last step's changes to `change` if it is not null. Collective.
  /// @pre  plan.steps is at most the depth of the ghost layer. If it is more than 1, `source` has a
  ///       filled halo.
  template <class Update>
  void pass(Update const& update, SweepPlan const& plan, FieldView<Real const> source,
            Change* change) {
    pair_.pass(StencilRule<Update, Operator>{update, operator_.get()}, plan, source, change);
  }

  /// Enqueues evaluating the residual of a heterogeneous problem in float64. Adds its norms, in
  /// units of medium_units(), to `change`.
  void measure(FieldView<Real const> source, Change* change) {
    LocalBox const unknown = unknown_points(*problem_, space_->subdomain());
    evaluate_heterogeneous_residual<double>(
        space_->queue(), operator_.get(),
        ResidualPass<Real, Real>{field().with_halo(), source, {}, unknown, 1.0, change});
  }

  /// Enqueues `steps` steps with the grid resident on the chip.
  /// @pre  The grid satisfies resident_fits() and is not shared with another rank.
  template <class Update>
  void pass_resident(Update const& update, std::int64_t steps, FieldView<Real const> source,
                     MeasuredSteps const& measured) {
    if constexpr (Operator::dimension == 2 && !differs_between_points<Operator>) {
      StencilRule<Update, Operator> const rule{update, operator_.get()};
      LocalBox const points = space_->subdomain().owned();
      // Only points off the Dirichlet faces change.
      ResidentGrid<Real> const grid{field().writable(), source, points,
                                    intersection(pair_.free(), points), problem_->grid.periodic};
      advance_resident(space_->queue(), rule, grid, steps, measured);
    } else {
      throw Error("a resident grid must be 2D with the same stencil at every point");
    }
  }

 private:
  Problem const* problem_;   ///< the caller's
  FieldSpace<Real>* space_;  ///< the caller's
  FieldPair<Real> pair_;     ///< the field before and after a pass
  LevelOperator<Operator> operator_;
};

}  // namespace isotherm
