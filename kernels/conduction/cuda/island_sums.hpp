#pragma once

#include "kernels/conduction/island_sums.hpp"

namespace isotherm::cuda {

/// Enqueues `sums[part]` = the sum of the part's terms.
template <class Real, int dimension>
void sum_islands(Queue& queue, IslandTerm<Real, dimension> const& term, IslandRow const* rows,
                 IslandPart const* parts, std::size_t count, double* sums);

/// Enqueues adding `values[part]` at the part's points.
template <class Real>
void add_to_islands(Queue& queue, FieldView<Real> field, IslandRow const* rows,
                    IslandPart const* parts, std::size_t count, double const* values);

}  // namespace isotherm::cuda
