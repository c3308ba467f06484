#pragma once

#include "kernels/multigrid/value_range.hpp"

namespace isotherm::cuda {

/// Enqueues finding the ranges of shares of the box, RangeMeter::part_count of them.
template <class Real>
void range_parts(Queue& queue, FieldView<Real const> field, LocalBox const& box,
                 Links<Real> const& links, ValueRange* parts);

}  // namespace isotherm::cuda
