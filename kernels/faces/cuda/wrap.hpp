#pragma once

#include <span>

#include "kernels/faces/faces.hpp"

namespace isotherm::cuda {

/// Enqueues filling the ghost points of a periodic grid. See kernels/faces/faces.hpp.
/// @pre At least one of the boxes contains points.
template <class Real>
void wrap(Queue& queue, FieldView<Real> field, std::span<LocalBox const> boxes, LocalBox period);

}  // namespace isotherm::cuda
