#pragma once

#include "kernels/field.hpp"

namespace isotherm {

/// Enqueues copying the points of `box` into a dense array, x fastest.
template <class Real>
void pack(Queue& queue, FieldView<Real const> field, LocalBox box, Real* dense);

/// Enqueues copying a dense array, x fastest, into the points of `box`.
template <class Real>
void unpack(Queue& queue, Real const* dense, FieldView<Real> field, LocalBox box);

/// Enqueues field(p) = field(p + shift) for the points p of `box`: a periodic neighbour that is
/// the rank itself. `box` and `box + shift` must not overlap.
template <class Real>
void copy_within(Queue& queue, FieldView<Real> field, LocalBox box, Index3 shift);

/// Enqueues filling `box`, which lies beyond the plane `axis` = `mirror`, with the values that
/// mirror it: coordinate c takes the value at 2·mirror − c. The halo of a Neumann face, whose
/// derivative is carried by the source (see Problem).
template <class Real>
void reflect(Queue& queue, FieldView<Real> field, LocalBox box, int axis, std::int64_t mirror);

/// Enqueues field(p) = value for the points of `box`.
template <class Real>
void fill(Queue& queue, FieldView<Real> field, LocalBox box, Real value);

}  // namespace isotherm
