#pragma once

#include "kernels/conduction/island_sums.hpp"

namespace isotherm::cuda {

/// Enqueues computing sums[part], the sum of a term over the points of each part.
/// @param count  number of parts
template <class Real, int dimension>
void sum_islands(Queue& queue, IslandTerm<Real, dimension> const& term, IslandRow const* rows,
                 IslandPart const* parts, std::size_t count, double* sums);

/// Enqueues adding values[part] to the field at the points of each part.
/// @param count  number of parts
template <class Real>
void add_to_islands(Queue& queue, FieldView<Real> field, IslandRow const* rows,
                    IslandPart const* parts, std::size_t count, double const* values);

}  // namespace isotherm::cuda
