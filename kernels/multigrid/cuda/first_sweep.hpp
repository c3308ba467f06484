#pragma once

#include "kernels/multigrid/first_sweep.hpp"

namespace isotherm::cuda {

template <class Real, int dimension>
void sweep_from_zero(Queue& queue, Conductances<Real, dimension> const& of, Real weight,
                     FieldView<Real const> source, FieldView<Real> values, LocalBox box);

}  // namespace isotherm::cuda
