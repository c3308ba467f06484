#pragma once

#include <array>
#include <optional>
#include <vector>

#include "decomposition/field/distributed_field.hpp"
#include "kernels/conduction/face_conductances.hpp"
#include "kernels/operators/conductances.hpp"
#include "solver/discretise/body_units.hpp"
#include "solver/level/row_fields.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// The conductances of a problem's body, in units of body_units(), with the halo of their space.
/// Stays where it is.
template <class Real, int dimension>
class ConductanceFields {
 public:
  /// `space` outlives the fields. Collective.
  /// @throws ValueRefusal  on every rank, where a conductivity or a capacity is not a positive
  ///                       number, or a Robin face's coefficient is a negative one
  ConductanceFields(Problem const& problem, FieldSpace<Real>& space);

  [[nodiscard]] Conductances<Real, dimension> view() const;

  /// Bytes that the object takes at most, and while it is made, see Buffer::footprint.
  static std::size_t footprint(Problem const& problem, Backend backend, Extent3 owned, Index3 halo);

 private:
  void make_between_points(Problem const& problem, BodyUnits const& units, FieldSpace<Real>& space);
  void mark_last_plane(Problem const& problem, FieldSpace<Real>& space);
  void make_through_faces(Problem const& problem, BodyUnits const& units, FieldSpace<Real>& space);
  void make_capacity(Problem const& problem, BodyUnits const& units, FieldSpace<Real>& space);

  std::array<std::optional<DistributedField<Real>>, 3> along_{};
  std::optional<DistributedField<Real>> per_capacity_{};
  std::optional<RowFields<Real>> per_width_{};
};

}  // namespace isotherm
