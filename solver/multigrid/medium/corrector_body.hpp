#pragma once

#include "decomposition/field/distributed_field.hpp"
#include "kernels/multigrid/directions.hpp"
#include "solver/level/medium/conductance_fields.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// The part of a corrector's state that only heterogeneous media need: nothing for constant
/// coefficients.
template <class Real, int dimension, bool conducts>
class CorrectorBody {
 public:
  /// Needs no memory.
  CorrectorBody(Problem const& /*problem*/, FieldSpace<Real>& /*space*/) {}
  /// Returns 0.
  static std::size_t footprint(Problem const& /*problem*/, Subdomain const& /*subdomain*/,
                               Backend /*backend*/) {
    return 0;
  }
};

/// For a heterogeneous medium: the conductances of the field's grid, and the state of conjugate
/// gradients. Neither copyable nor movable.
template <class Real, int dimension>
class CorrectorBody<Real, dimension, true> {
 public:
  /// Computes the conductances and allocates the fields. Collective.
  CorrectorBody(Problem const& problem, FieldSpace<Real>& space)
      : fields_(problem, space),
        conductances_(fields_.view()),
        direction_(space),
        image_(space),
        products_(space.queue()) {}

  /// Returns an upper bound on the bytes that it allocates, see Buffer::footprint.
  static std::size_t footprint(Problem const& problem, Subdomain const& subdomain,
                               Backend backend) {
    Index3 const halo = FieldSpace<Real>::halo_points_of(problem.grid, 1);
    Extent3 const owned = subdomain.extent();
    return ConductanceFields<Real, dimension>::footprint(problem, backend, owned, halo) +
           2 * Field<Real>::footprint(backend, owned, halo) + FieldProducts::footprint(backend);
  }

  /// The conductances of the field's grid, with ghost points.
  [[nodiscard]] Conductances<Real, dimension> const& conductances() const { return conductances_; }
  /// The last search direction p of conjugate gradients.
  [[nodiscard]] DistributedField<Real>& direction() { return direction_; }
  /// A p, the operator applied to the last search direction.
  [[nodiscard]] DistributedField<Real>& image() { return image_; }
  /// Inner products in memory of the queue.
  [[nodiscard]] FieldProducts& products() { return products_; }

 private:
  ConductanceFields<Real, dimension> fields_;
  Conductances<Real, dimension> conductances_;
  DistributedField<Real> direction_;
  DistributedField<Real> image_;
  FieldProducts products_;
};

}  // namespace isotherm
