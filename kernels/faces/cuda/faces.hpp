#pragma once

#include <span>

#include "kernels/faces/faces.hpp"

namespace isotherm::cuda {

/// The CUDA implementations of kernels/faces/faces.hpp.
template <class Real>
void pack(Queue& queue, FieldView<Real const> field, std::span<Parcel<Real> const> parcels);
/// Enqueues unpacking.
template <class Real>
void unpack(Queue& queue, std::span<Parcel<Real const> const> parcels, FieldView<Real> field);
/// Enqueues filling ghost points of a periodic grid.
template <class Real>
void wrap(Queue& queue, FieldView<Real> field, std::span<LocalBox const> boxes, LocalBox period);
/// Enqueues filling ghost points by reflection.
template <class Real>
void reflect(Queue& queue, FieldView<Real> field, LocalBox box, int axis, std::int64_t mirror);
/// Enqueues constant extrapolation.
template <class Real>
void extend(Queue& queue, FieldView<Real> field, LocalBox box, int axis, std::int64_t last);
/// Enqueues filling a box with a value.
template <class Real>
void fill(Queue& queue, FieldView<Real> field, LocalBox box, Real value);

}  // namespace isotherm::cuda
