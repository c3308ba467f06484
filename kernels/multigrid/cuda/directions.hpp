#pragma once

#include "kernels/multigrid/directions.hpp"

namespace isotherm::cuda {

/// Enqueues computing FieldProducts::most_parts partial products over the points of the box.
template <class Correction, class Real>
void sum_products(Queue& queue, FieldView<Correction const> a, FieldView<Real const> b,
                  FieldView<Real const> c, LocalBox const& box, Products* parts);

/// Enqueues the update of the search direction. See kernels/multigrid/directions.hpp.
template <class Correction, class Real>
void set_direction(Queue& queue, FieldView<Correction const> correction, double scale,
                   FieldView<Real> direction, double keep, LocalBox box);

}  // namespace isotherm::cuda
