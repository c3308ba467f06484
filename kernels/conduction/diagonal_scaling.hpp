#pragma once

#include "kernels/operators/conductances.hpp"
#include "kernels/operators/separable_conductances.hpp"

namespace isotherm {

/// Enqueues computing the diagonal scaling S between two operators, A of a heterogeneous medium and
/// L of a homogeneous one: S A S has the diagonal of L.
///
/// The factor of a point is the root of L's diagonal over A's. In a smooth medium it is
/// approximately κ^(-1/2). It is zero at fixed points, and if the diagonal of A is zero or so small
/// that its reciprocal would overflow.
/// @param reference  the operator L
/// @param scale      receives the factors at the points of `box`
/// @pre The conductances exist one point before the box on each axis.
/// @throws Error  if a field does not cover the box
template <class From, class To, int dimension>
void set_diagonal_scaling(Queue& queue, Conductances<From, dimension> const& conductances,
                          SeparableConductances<From, dimension> const& reference,
                          FieldView<To> scale, LocalBox box);

/// Enqueues product(p) = a(p) · b(p) at the points of `box`. `product` may be one of the factors.
/// @throws Error  if a field does not cover the box
template <class Real>
void multiply(Queue& queue, FieldView<Real const> a, FieldView<Real const> b,
              FieldView<Real> product, LocalBox box);

}  // namespace isotherm
