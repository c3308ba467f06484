#pragma once

#include "decomposition/field/distributed_field.hpp"
#include "kernels/multigrid/operator_products.hpp"
#include "solver/level/medium/conductance_fields.hpp"
#include "solver/level/medium/separable_conductance_rows.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// The operator that a defect correction evaluates residuals with, and the state of conjugate
/// gradients. For constant coefficients it is empty.
template <class Real, int dimension, bool heterogeneous, bool by_conjugate_gradients>
class OperatorState {
 public:
  /// Needs no memory.
  OperatorState(Problem const& /*problem*/, FieldSpace<Real>& /*space*/) {}
  /// Returns 0.
  static std::size_t footprint(Problem const& /*problem*/, Subdomain const& /*subdomain*/,
                               Backend /*backend*/) {
    return 0;
  }
};

/// For a heterogeneous medium: the conductances of the field's grid, and the state of conjugate
/// gradients (M. Hestenes and E. Stiefel, 1952). Neither copyable nor movable.
template <class Real, int dimension>
class OperatorState<Real, dimension, true, true> {
 public:
  /// Computes the conductances and allocates the fields. Collective.
  OperatorState(Problem const& problem, FieldSpace<Real>& space)
      : fields_(problem, space),
        conductances_(fields_.view()),
        direction_(space),
        operator_times_direction_(space),
        products_(space.queue()) {}

  /// Returns an upper bound on the bytes that it allocates, see Buffer::footprint.
  static std::size_t footprint(Problem const& problem, Subdomain const& subdomain,
                               Backend backend) {
    Index3 const halo = FieldSpace<Real>::halo_points_of(problem.grid, 1);
    Extent3 const owned = subdomain.extent();
    return ConductanceFields<Real, dimension>::footprint(problem, backend, owned, halo) +
           2 * Field<Real>::footprint(backend, owned, halo) + OperatorProducts::footprint(backend);
  }

  /// The conductances of the field's grid, with ghost points.
  [[nodiscard]] Conductances<Real, dimension> const& conductances() const { return conductances_; }
  /// Replaces the reaction term. @param reaction  with filled ghost layers; must outlive its use
  void set_reaction(FieldView<Real const> reaction) { conductances_.reaction = reaction; }
  /// The last search direction p of conjugate gradients.
  [[nodiscard]] DistributedField<Real>& direction() { return direction_; }
  /// A p, the operator applied to the last search direction.
  [[nodiscard]] DistributedField<Real>& operator_times_direction() {
    return operator_times_direction_;
  }
  /// Applies the operator, and computes inner products of this rank's values; the caller adds those
  /// of other ranks.
  [[nodiscard]] OperatorProducts& products() { return products_; }

 private:
  ConductanceFields<Real, dimension> fields_;
  Conductances<Real, dimension> conductances_;  ///< views of fields_
  DistributedField<Real> direction_;
  DistributedField<Real> operator_times_direction_;
  OperatorProducts products_;
};

/// For a medium with separable coefficients whose corrections are exact: the conductances as rows
/// along the axes. Neither copyable nor movable.
template <class Real, int dimension>
class OperatorState<Real, dimension, true, false> {
 public:
  /// Computes the rows.
  OperatorState(Problem const& problem, FieldSpace<Real>& space) : rows_(problem, space) {}

  /// Returns an upper bound on the bytes that it allocates, see Buffer::footprint.
  static std::size_t footprint(Problem const& problem, Subdomain const& subdomain,
                               Backend backend) {
    return SeparableConductanceRows<Real, dimension>::footprint(
        backend, subdomain.extent(), FieldSpace<Real>::halo_points_of(problem.grid, 1));
  }

  /// The conductances of the field's grid.
  [[nodiscard]] SeparableConductances<Real, dimension> conductances() const { return rows_.view(); }

 private:
  SeparableConductanceRows<Real, dimension> rows_;
};

}  // namespace isotherm
