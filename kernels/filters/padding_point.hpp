#pragma once

#include "kernels/filters/padding.hpp"

namespace isotherm {

/// Maps an index of the target's axis to the source's index of the point whose value it has.
/// Returns a negative number if there is none.
ISOTHERM_HOST_DEVICE inline std::int64_t padding_source_index(std::int64_t index,
                                                              AxisPadding const& ends) {
  std::int64_t const point = edge_index(ends.to_first + index, ends.points, ends.edge_mode);
  return point < 0 ? -1 : point - ends.from_first;
}

/// The operation of pad() at a point of the target.
template <class From, class To>
struct PadPoint {
  FieldView<From const> from;
  FieldView<To> to;
  AxisPadding x, y, z;

  ISOTHERM_HOST_DEVICE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    std::int64_t const from_i = padding_source_index(i, x);
    std::int64_t const from_j = padding_source_index(j, y);
    std::int64_t const from_k = padding_source_index(k, z);
    bool const is_there = from_i >= 0 && from_j >= 0 && from_k >= 0;
    to(i, j, k) = is_there ? static_cast<To>(from(from_i, from_j, from_k)) : To{0};
  }
};

}  // namespace isotherm
