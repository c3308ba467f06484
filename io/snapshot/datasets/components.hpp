#pragma once

#include <cstdint>

#include "kernels/core/box.hpp"

namespace isotherm {

// Scalar and vector fields. A scalar field has one number at each point; a vector field has three,
// adjacent in memory.
//
// In a file a vector field is stored like a scalar field with three times as many points along x.
// It is written, checked and read as such. Only the shape of the HDF5 dataset has an additional
// axis: (z, y, x, 3).

/// Numbers at each point.
inline constexpr int scalar_components = 1;
inline constexpr int vector_components = 3;

/// Returns the extent in numbers of a field with `components` numbers at each point.
inline Extent3 numbers_of(Extent3 points, int components) {
  return {points.x * components, points.y, points.z};
}
/// Returns the box of numbers that belong to a box of points.
template <class Box>
Box numbers_of(Box box, int components) {
  box.lower.x *= components;
  box.upper.x *= components;
  return box;
}

}  // namespace isotherm
