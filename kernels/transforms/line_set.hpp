#pragma once

#include <cstdint>

#include "kernels/core/field.hpp"
#include "kernels/core/host_device.hpp"

namespace isotherm {

/// The lines of a box along an axis. They are numbered in the order of their first points: along
/// the first of the other two axes, then along the second.
template <class T>
struct LineSet {
  T* origin = nullptr;        ///< first point of line 0
  std::int64_t step = 0;      ///< elements between adjacent points of a line
  std::int64_t width = 1;     ///< number of lines along the first of the other axes
  std::int64_t stride_a = 0;  ///< elements between adjacent lines along the first of the other axes
  std::int64_t stride_b = 0;  ///< elements between adjacent lines along the second

  /// Returns the place of a line along the first of the other axes.
  [[nodiscard]] ISOTHERM_INLINE std::int64_t a(std::int64_t line) const { return line % width; }
  /// Returns the place of a line along the second of the other axes.
  [[nodiscard]] ISOTHERM_INLINE std::int64_t b(std::int64_t line) const { return line / width; }
  /// Returns the first point of a line.
  [[nodiscard]] ISOTHERM_INLINE T* first_of(std::int64_t line) const {
    return origin + a(line) * stride_a + b(line) * stride_b;
  }
};

/// Returns the lines of `box` along `axis` (0: x, 1: y, 2: z) in a field.
/// @pre The box lies in the field.
template <class T>
LineSet<T> lines_along(FieldView<T> const& field, LocalBox const& box, int axis) {
  Index3 const strides{1, field.stride_y, field.stride_z};
  int const a = axis == 0 ? 1 : 0;
  int const b = axis == 2 ? 1 : 2;
  return {&field(box.lower.x, box.lower.y, box.lower.z), strides[axis], box.extent()[a], strides[a],
          strides[b]};
}

/// Returns the number of lines of `box` along `axis`.
constexpr std::int64_t line_count(LocalBox const& box, int axis) {
  return box.point_count() / box.extent()[axis];
}

}  // namespace isotherm
