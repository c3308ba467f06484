#pragma once

#include "kernels/filters/polynomial.hpp"

namespace isotherm::cuda {

/// Enqueues interpolation at the points of `box`.
template <class Node, class Real>
void interpolate(Queue& queue, LocalBox const& box, Interpolate<Node, Real> const& work);

}  // namespace isotherm::cuda
