#pragma once

#include "kernels/core/field.hpp"
#include "kernels/core/queue/queue.hpp"

namespace isotherm {

/// Enqueues the dense matrix-vector product to(p) = Σ_q matrix[p · n + q] from(q) over the n points
/// of `box`.
///
/// Rows and columns are numbered like the points, x fastest. The matrix (an inverse, for the
/// coarsest grid) lies in the queue's memory. The cost is n² multiplications, so this suits small
/// n.
/// @throws Error  if a field does not cover the box
/// @pre `from` and `to` do not overlap.
template <class Real>
void multiply_dense(Queue& queue, Real const* matrix, FieldView<Real const> from,
                    FieldView<Real> to, LocalBox box);

}  // namespace isotherm
