#pragma once

#include "kernels/filters/point_standing.hpp"

namespace isotherm::cuda {

template <class From, class To>
void surround(Queue& queue, LocalBox const& box, Surround<From, To> const& work);

}  // namespace isotherm::cuda
