#pragma once

#include "kernels/multigrid/coarsest/dense.hpp"

namespace isotherm::cuda {

/// Enqueues the matrix-vector product. See kernels/multigrid/coarsest/dense.hpp.
template <class Real>
void multiply_dense(Queue& queue, Real const* matrix, FieldView<Real const> from,
                    FieldView<Real> to, LocalBox box);

}  // namespace isotherm::cuda
