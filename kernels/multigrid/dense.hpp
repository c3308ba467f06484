#pragma once

#include "kernels/core/field.hpp"
#include "kernels/core/queue.hpp"

namespace isotherm {

/// Enqueues to(p) = Σ matrix[p · n + q] from(q) over the n points of `box`, by which rows and
/// columns are numbered, x fastest; the matrix lies in the queue's memory.
template <class Real>
void multiply_dense(Queue& queue, Real const* matrix, FieldView<Real const> from,
                    FieldView<Real> to, LocalBox box);

}  // namespace isotherm
