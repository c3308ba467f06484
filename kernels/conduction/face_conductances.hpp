#pragma once

#include <cmath>

#include "kernels/core/axis_rows.hpp"
#include "kernels/core/field.hpp"
#include "kernels/core/queue/queue.hpp"

namespace isotherm {

/// The geometry of the points' finite volumes along each axis.
template <class Real>
struct VolumeRows {
  AxisRows<Real> width;        ///< of a point's volume; 1 on axes without extent
  AxisRows<Real> inverse_gap;  ///< 1 / distance to the next point
};

/// Enqueues computing the conductances g(p) = κ A / h between the points p of `box` and the next
/// ones along `axis`.
///
/// κ is the harmonic mean of the conductivities of both points, regardless of their signs; if one
/// of them is zero, κ is zero. A is the area of the face between their volumes, h their distance.
/// Along x, g takes the sign of the conductivity of p, including that of −0: the sign marks fixed
/// points (kernels/operators/conductances.hpp).
///
/// The harmonic mean makes the flux continuous if the conductivity jumps midway between two points:
/// S. V. Patankar, Numerical Heat Transfer and Fluid Flow (1980), chapter 4.
/// @throws Error  if a field does not cover the box and, for the conductivity, the next points
template <class Real>
void set_conductances(Queue& queue, int axis, FieldView<Real const> conductivity,
                      VolumeRows<Real> const& volumes, FieldView<Real> conductances, LocalBox box);

/// Returns the conductance between two points: the harmonic mean of the absolute values of their
/// conductivities, times `factor`. The result is never negative. The quotient is computed first, so
/// the product of two large conductivities cannot overflow.
template <class Real>
ISOTHERM_INLINE Real conductance_between(Real here, Real next, Real factor) {
  Real const a = std::abs(here);
  Real const b = std::abs(next);  // also of −0, so that the result is not −0
  Real const sum = a + b;
  return sum > Real{0} ? Real{2} * (a * (b / sum)) * factor : Real{0};
}

}  // namespace isotherm
