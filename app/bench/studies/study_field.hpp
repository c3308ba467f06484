#pragma once

#include <vector>

#include "kernels/core/field.hpp"

// Fields of studies that measure an operation on one rank.

namespace isotherm::app {

/// Returns pseudo-random numbers from 0 to 1, since the power of a GPU depends on the values.
template <class Real>
std::vector<Real> random_numbers(std::int64_t count);

/// Returns a field of random values in all its points, including the halo.
Field<float> random_study_field(Queue& queue, Extent3 owned, Index3 halo);

/// Copies the owned points of a field to the host; dense, x fastest.
std::vector<float> values_of(Queue& queue, Field<float> const& field);

}  // namespace isotherm::app
