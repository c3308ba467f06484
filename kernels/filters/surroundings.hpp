#pragma once

#include <cstdint>
#include <utility>

#include "kernels/core/field.hpp"
#include "kernels/filters/beyond.hpp"

namespace isotherm {

/// The boundary treatment of one axis, and the positions of two fields on it.
struct Ends {
  std::int64_t points = 1;  ///< number of points of the whole axis
  Beyond beyond = Beyond::clamp;
  std::int64_t from_first = 0;  ///< the point of the axis that has index 0 in the source
  std::int64_t to_first = 0;  ///< the point, possibly beyond an end, that has index 0 in the target
};

/// Returns a range [first, end) of points of an axis that contains all points whose values the
/// indices lower <= i < upper have. It has at least one point.
std::pair<std::int64_t, std::int64_t> points_standing_for(std::int64_t lower, std::int64_t upper,
                                                          std::int64_t points, Beyond beyond);

/// Enqueues copying a field together with its surroundings: to(p) = from(q), where q is the point
/// whose value p has, or 0 if there is none. Fills all points of `to`, including its halo.
/// @throws Error  if `from` lacks such a point
template <class From, class To>
void surround(Queue& queue, FieldView<From const> from, FieldView<To> to,
              PerAxis<Ends> const& ends);

}  // namespace isotherm
