#pragma once

#include "kernels/multigrid/value_range.hpp"

namespace isotherm::cuda {

/// Enqueues computing RangeMeter::part_count partial ranges of the points of the box.
template <class Real>
void range_parts(Queue& queue, FieldView<Real const> field, LocalBox const& box,
                 Links<Real> const& links, ValueRange* parts);

}  // namespace isotherm::cuda
