#pragma once

#include <vector>

#include "kernels/filters/table_sum.hpp"

namespace isotherm::cuda {

/// Enqueues a correlation and waits for it. See kernels/filters/correlation.hpp.
template <class Real>
void correlate(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox const& box,
               TableShape const& shape, std::vector<Real> const& weights);

}  // namespace isotherm::cuda
