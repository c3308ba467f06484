#pragma once

#include "kernels/conduction/coarsening.hpp"
#include "kernels/operators/conductances.hpp"

namespace isotherm {

/// Enqueues making the operator of a correction on the finest grid, in the correction's precision,
/// at the points of `box`.
///
/// The correction is zero at fixed points and beyond the faces of the grid. Conductances between
/// points are those of `conductances`, with the signs that mark fixed points. Conductances through
/// a face of the grid, and `shift` c V of an implicit step, are added to the reaction term.
/// @param conductances     operator of the field that is corrected
/// @param shift  σ of an implicit step; 0 for a steady equation
/// @param grid   points of the grid in the fields' frame; extends beyond them on periodic axes
/// @param flow   receives the operator
/// @throws Error  if a field does not cover the box
template <class From, class To, int dimension>
void set_correction_operator(Queue& queue, Conductances<From, dimension> const& conductances,
                             double shift, LocalBox grid, OperatorFields<To> const& flow,
                             LocalBox box);

/// Enqueues computing the inverse diagonal 1 / (Σ g + reaction) of a correction's operator at the
/// points of `box`. A relaxation multiplies by it (SmoothingConductances).
///
/// It is zero at fixed points, and if the diagonal is zero or so small that its reciprocal would
/// overflow.
/// @pre The conductances exist one point before the box on each axis.
/// @throws Error  if a field does not cover the box
template <class Real, int dimension>
void set_inverse_diagonal(Queue& queue, Conductances<Real, dimension> const& conductances,
                          FieldView<Real> inverse_diagonal, LocalBox box);

}  // namespace isotherm
