#pragma once

#include <cmath>

#include "kernels/core/axis_rows.hpp"
#include "kernels/core/field.hpp"
#include "kernels/core/queue/queue.hpp"

namespace isotherm {

/// How large the points' volumes are along each axis.
template <class Real>
struct VolumeRows {
  AxisRows<Real> width;    ///< of a point's volume; 1 on axes without extent
  AxisRows<Real> per_gap;  ///< 1 / distance to the next point
};

/// Enqueues g(p) = κ A / h between a point and the next one along `axis`, for the points of `box`:
/// κ is the harmonic mean of both points' conductivities, of which the sign is not looked at and
/// zero lets nothing pass. Along x the conductance takes the sign of its point's conductivity (−0
/// counts): that of a point that keeps its value (kernels/operators/conductances.hpp).
/// @throws Error  where a field does not cover the box, and what lies next to it
template <class Real>
void set_conductances(Queue& queue, int axis, FieldView<Real const> conductivity,
                      VolumeRows<Real> const& volumes, FieldView<Real> conductances, LocalBox box);

/// One of them.
template <class Real>
ISOTHERM_INLINE Real conductance_between(Real here, Real next, Real factor) {
  Real const a = std::abs(here);
  Real const b = std::abs(next);  // of −0, too, as the result has no sign
  Real const sum = a + b;
  return sum > Real{0} ? Real{2} * (a * (b / sum)) * factor : Real{0};
}

}  // namespace isotherm
