#pragma once

#include "kernels/multigrid/mean.hpp"

namespace isotherm::cuda {

/// Enqueues computing FieldSums::most_parts partial sums over the points of the box.
template <class Real>
void sum_parts(Queue& queue, FieldView<Real const> field, LocalBox const& box,
               HalfPlanes const& halves, FieldSums::Sums* parts);

/// Enqueues field(p) += value at the points of `box`.
template <class Real>
void add_constant(Queue& queue, FieldView<Real> field, LocalBox box, double value);

}  // namespace isotherm::cuda
