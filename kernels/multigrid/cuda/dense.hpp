#pragma once

#include "kernels/multigrid/dense.hpp"

namespace isotherm::cuda {

template <class Real>
void multiply_dense(Queue& queue, Real const* matrix, FieldView<Real const> from,
                    FieldView<Real> to, LocalBox box);

}  // namespace isotherm::cuda
