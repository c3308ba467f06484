#pragma once

#include "kernels/multigrid/mean.hpp"

namespace isotherm::cuda {

/// Sums over shares of the box, FieldSums::most_parts of them.
template <class Real>
void sum_parts(Queue& queue, FieldView<Real const> field, LocalBox const& box,
               HalfPlanes const& halves, FieldSums::Sums* parts);

template <class Real>
void add_constant(Queue& queue, FieldView<Real> field, LocalBox box, double value);

}  // namespace isotherm::cuda
