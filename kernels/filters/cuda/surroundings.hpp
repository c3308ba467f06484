#pragma once

#include "kernels/filters/point_standing.hpp"

namespace isotherm::cuda {

/// Enqueues filling the points of `box` of the target.
template <class From, class To>
void surround(Queue& queue, LocalBox const& box, Surround<From, To> const& work);

}  // namespace isotherm::cuda
