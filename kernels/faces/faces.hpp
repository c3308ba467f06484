#pragma once

#include <span>

#include "kernels/core/field.hpp"

namespace isotherm {

/// Points of a box, and a dense array over them, x fastest.
template <class Real>
struct Parcel {
  LocalBox box;
  Real* dense = nullptr;
};

/// As many as a box has neighbours.
constexpr int most_parcels = 26;

/// Enqueues copying each box's points into its array, all at once. At most most_parcels, none of
/// whose arrays overlap; an array may lie in another device's memory.
template <class Real>
void pack(Queue& queue, FieldView<Real const> field, std::span<Parcel<Real> const> parcels);

/// Enqueues copying each array into its box's points, likewise.
template <class Real>
void unpack(Queue& queue, std::span<Parcel<Real const> const> parcels, FieldView<Real> field);

/// Enqueues copying the points of `box` into a dense array, x fastest.
template <class Real>
void pack(Queue& queue, FieldView<Real const> field, LocalBox box, Real* dense);

/// Enqueues copying a dense array, x fastest, into the points of `box`.
template <class Real>
void unpack(Queue& queue, Real const* dense, FieldView<Real> field, LocalBox box);

/// Enqueues filling `boxes`, which lie around `period`, with the values inside it: along each axis
/// on which a point lies outside, the value is the one a whole period away. The halo of a grid that
/// closes on itself. At most most_wrapped_boxes, none reaching further out than the period is long.
template <class Real>
void wrap(Queue& queue, FieldView<Real> field, std::span<LocalBox const> boxes, LocalBox period);

/// As many as are left of a box where another is cut out of it.
constexpr int most_wrapped_boxes = 6;

/// Enqueues filling `box`, which lies beyond the plane `axis` = `mirror`, with the values that
/// mirror it: coordinate c takes the value at 2·mirror − c. The halo of a Neumann face, whose
/// derivative is carried by the source (see Problem).
template <class Real>
void reflect(Queue& queue, FieldView<Real> field, LocalBox box, int axis, std::int64_t mirror);

/// Enqueues filling `box`, which lies beyond the plane `axis` = `last`, with the values of that
/// plane: the halo of a field that goes on as it ends.
template <class Real>
void extend(Queue& queue, FieldView<Real> field, LocalBox box, int axis, std::int64_t last);

/// Enqueues field(p) = value for the points of `box`.
template <class Real>
void fill(Queue& queue, FieldView<Real> field, LocalBox box, Real value);

}  // namespace isotherm
