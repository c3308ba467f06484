#pragma once

#include "kernels/core/field.hpp"

namespace isotherm::cuda {

/// The lines of a box in memory. Adjacent lines form pairs; they are adjacent along y if
/// the transform is along x, else along x.
template <class Real>
struct LineField {
  Real* first;          ///< the first point of the box
  std::int64_t along;   ///< elements from one point of a line to the next
  std::int64_t across;  ///< elements from one line to the next
  std::int64_t third;   ///< elements from one plane of lines to the next
};

/// Returns the lines of `box` along `axis`.
template <class Value>
LineField<Value> lines_of(FieldView<Value> const& field, LocalBox const& box, int axis) {
  PerAxis<std::int64_t> const strides{{1, field.stride_y, field.stride_z}};
  return {&field(box.lower.x, box.lower.y, box.lower.z), strides[axis], strides[axis == 0 ? 1 : 0],
          strides[axis == 2 ? 1 : 2]};
}

}  // namespace isotherm::cuda
