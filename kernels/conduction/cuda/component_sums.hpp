#pragma once

#include "kernels/conduction/component_sums.hpp"

namespace isotherm::cuda {

/// Enqueues computing sums[part], the sum of a term over the points of each part.
/// @param count  number of parts
template <class Real, int dimension>
void sum_components(Queue& queue, ComponentTerm<Real, dimension> const& term,
                    ComponentRow const* rows, ComponentPart const* parts, std::size_t count,
                    double* sums);

/// Enqueues adding values[part] to the field at the points of each part.
/// @param count  number of parts
template <class Real>
void add_to_components(Queue& queue, FieldView<Real> field, ComponentRow const* rows,
                       ComponentPart const* parts, std::size_t count, double const* values);

}  // namespace isotherm::cuda
