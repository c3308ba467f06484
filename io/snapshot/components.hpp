#pragma once

#include <cstdint>

#include "kernels/core/box.hpp"

namespace isotherm {

// A field has one number at each point, or, where vectors are stored, three beside each other. In a
// file these lie as those of a field with three times as many points along x, and are written,
// checked and read as such. Only the shape that HDF5 is told has one axis more, (z, y, x, 3).

inline constexpr int scalar_components = 1;
inline constexpr int vector_components = 3;

/// The numbers at so many points.
inline Extent3 numbers_of(Extent3 points, int components) {
  return {points.x * components, points.y, points.z};
}
/// Those of the points of a box.
template <class Box>
Box numbers_of(Box box, int components) {
  box.lower.x *= components;
  box.upper.x *= components;
  return box;
}

}  // namespace isotherm
