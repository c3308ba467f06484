#pragma once

#include "kernels/filters/lines.hpp"

namespace isotherm::cuda {

/// Enqueues to(p) = reduce(the line of `from` that begins at p) for the points of `first`.
/// Instantiated for LineSum and LineExtreme.
template <class Real, class Reduce>
void reduce_lines(Queue& queue, FieldView<Real const> from, FieldView<Real> to,
                  LocalBox const& first, Reduce const& reduce);

}  // namespace isotherm::cuda
