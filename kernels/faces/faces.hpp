#pragma once

#include <span>

#include "kernels/core/field.hpp"

namespace isotherm {

// Halos and messages: packing points of a field into contiguous arrays and back, and filling ghost
// points of periodic and Neumann faces. All boxes are in local indices. No function communicates.

/// Points of a box, and a contiguous array that holds their values, x fastest.
template <class Real>
struct PackedBox {
  LocalBox box;
  Real* dense = nullptr;  ///< box.point_count() values
};

/// Maximum number of packed boxes per call: a box has 26 neighbours.
constexpr int max_packed_boxes = 26;

/// Enqueues packing: copies each box's points into its array, by a single kernel launch on CUDA. An
/// array may lie in another device's memory.
/// @pre There are at most max_packed_boxes packed boxes, and their arrays do not overlap.
/// @throws Error  if a box reaches past the field
template <class Real>
void pack(Queue& queue, FieldView<Real const> field, std::span<PackedBox<Real> const> packed_boxes);

/// Enqueues unpacking: copies each array into its box's points. The conditions are those of pack().
template <class Real>
void unpack(Queue& queue, std::span<PackedBox<Real const> const> packed_boxes,
            FieldView<Real> field);

/// Enqueues packing the points of one box.
template <class Real>
void pack(Queue& queue, FieldView<Real const> field, LocalBox box, Real* dense);

/// Enqueues unpacking the points of one box.
template <class Real>
void unpack(Queue& queue, Real const* dense, FieldView<Real> field, LocalBox box);

/// Enqueues filling the ghost points of a periodic grid.
///
/// `boxes` lie around `period`. Along each axis on which a point lies outside, its value is that of
/// the point one period away.
/// @pre There are at most max_wrapped_boxes boxes, none of which reaches further outside than the
///   period's length.
/// @throws Error  if a box reaches past the field or too far, or overlaps the period
template <class Real>
void wrap(Queue& queue, FieldView<Real> field, std::span<LocalBox const> boxes, LocalBox period);

/// Maximum number of boxes to wrap: a box minus an inner box consists of 6 boxes.
constexpr int max_wrapped_boxes = 6;

/// Enqueues filling the ghost points of a Neumann face by reflection.
///
/// `box` lies beyond the plane `axis` = `mirror`. Coordinate c gets the value at 2·mirror − c. A
/// nonzero derivative at the face is part of the source (see Problem).
/// @throws Error  if the box or its mirror image reaches past the field, or the two overlap
template <class Real>
void reflect(Queue& queue, FieldView<Real> field, LocalBox box, int axis, std::int64_t mirror);

/// Enqueues constant extrapolation: fills `box`, which lies beyond the plane `axis` = `last`, with
/// the values of that plane.
/// @throws Error  if the box or that plane reaches past the field, or the two overlap
template <class Real>
void extend(Queue& queue, FieldView<Real> field, LocalBox box, int axis, std::int64_t last);

/// Enqueues field(p) = value for the points of `box`.
/// @throws Error  if the field does not cover the box
template <class Real>
void fill(Queue& queue, FieldView<Real> field, LocalBox box, Real value);

}  // namespace isotherm
