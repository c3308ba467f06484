#pragma once

#include <span>

#include "kernels/faces/faces.hpp"

namespace isotherm::cuda {

/// Enqueues packing. See kernels/faces/faces.hpp.
template <class Real>
void pack(Queue& queue, FieldView<Real const> field, std::span<PackedBox<Real> const> packed_boxes);
/// Enqueues unpacking.
template <class Real>
void unpack(Queue& queue, std::span<PackedBox<Real const> const> packed_boxes,
            FieldView<Real> field);

}  // namespace isotherm::cuda
