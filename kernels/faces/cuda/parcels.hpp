#pragma once

#include <span>

#include "kernels/faces/faces.hpp"

namespace isotherm::cuda {

/// Enqueues packing. See kernels/faces/faces.hpp.
template <class Real>
void pack(Queue& queue, FieldView<Real const> field, std::span<Parcel<Real> const> parcels);
/// Enqueues unpacking.
template <class Real>
void unpack(Queue& queue, std::span<Parcel<Real const> const> parcels, FieldView<Real> field);

}  // namespace isotherm::cuda
