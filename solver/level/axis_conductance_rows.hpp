#pragma once

#include "kernels/operators/axis_conductances.hpp"
#include "solver/discretise/body_units.hpp"
#include "solver/level/row_fields.hpp"

namespace isotherm {

/// True of a body whose conductances are products of numbers along the axes: it conducts the same
/// everywhere, or its faces do where they conduct at all, and none of its points keeps a value.
/// What is wrong with a number is not asked here: such a body is none.
bool conducts_alike(Problem const& problem);

/// The conductances of such a body, in units of body_units(). Stays where it is.
template <class Real, int dimension>
class AxisConductanceRows {
 public:
  /// `space` outlives the rows. @throws Error  where the body is not such a one
  AxisConductanceRows(Problem const& problem, FieldSpace<Real>& space);

  [[nodiscard]] AxisConductances<Real, dimension> view() const {
    return {per_gap_.view(), width_.view(), per_width_.view()};
  }

  /// Bytes that the object takes at most, see Buffer::footprint.
  static std::size_t footprint(Backend backend, Extent3 owned, Index3 halo) {
    return 3 * RowFields<Real>::footprint(backend, owned, halo);
  }

 private:
  AxisConductanceRows(Problem const& problem, BodyUnits const& units, FieldSpace<Real>& space);

  RowFields<Real> per_gap_;
  RowFields<Real> width_;
  RowFields<Real> per_width_;
};

}  // namespace isotherm
