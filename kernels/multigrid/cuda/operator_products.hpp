#pragma once

#include "kernels/multigrid/operator_products.hpp"

namespace isotherm::cuda {

/// Returns the number of partial results of apply_with_products().
/// @pre The box is not empty.
template <class Real, int dimension>
std::size_t parts_of_products(LocalBox const& box);

/// Enqueues OperatorProducts::apply(). @param parts  receives the partial inner products
template <class Correction, class Real, int dimension>
void apply_with_products(Queue& queue, Conductances<Real, dimension> const& op, double shift,
                         FieldView<Real const> p, FieldView<Correction const> r,
                         FieldView<Real> image, LocalBox box, InnerProducts* parts);

}  // namespace isotherm::cuda
