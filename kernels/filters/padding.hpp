#pragma once

#include <cstdint>
#include <utility>

#include "kernels/core/field.hpp"
#include "kernels/filters/edge_mode.hpp"

namespace isotherm {

/// The boundary treatment of one axis, and the positions of two fields on it.
struct AxisPadding {
  std::int64_t points = 1;  ///< number of points of the whole axis
  EdgeMode edge_mode = EdgeMode::clamp;
  std::int64_t from_first = 0;  ///< the point of the axis that has index 0 in the source
  std::int64_t to_first = 0;  ///< the point, possibly beyond an end, that has index 0 in the target
};

/// Returns a range [first, end) of points of an axis that contains all points whose values the
/// indices lower <= i < upper have. It has at least one point.
std::pair<std::int64_t, std::int64_t> padding_source_range(std::int64_t lower, std::int64_t upper,
                                                           std::int64_t points, EdgeMode edge_mode);

/// Enqueues copying a field together with its surroundings: to(p) = from(q), where q is the point
/// whose value p has, or 0 if there is none. Fills all points of `to`, including its halo.
/// @throws Error  if `from` lacks such a point
template <class From, class To>
void pad(Queue& queue, FieldView<From const> from, FieldView<To> to,
         PerAxis<AxisPadding> const& ends);

}  // namespace isotherm
