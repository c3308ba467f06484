#pragma once

#include <cstdint>
#include <utility>

#include "kernels/core/field.hpp"
#include "kernels/filters/beyond.hpp"

namespace isotherm {

/// Along one axis: what stands beyond its ends, and which part of it two fields have.
struct Ends {
  std::int64_t points = 1;  ///< of the whole axis
  Beyond beyond = Beyond::clamp;
  std::int64_t from_first = 0;  ///< the point that the one field calls 0
  std::int64_t to_first = 0;    ///< the point, maybe beyond an end, that the other calls 0
};

/// The points of an axis, from the first to behind the last, among which those are that stand for
/// lower <= i < upper; at least one.
std::pair<std::int64_t, std::int64_t> points_standing_for(std::int64_t lower, std::int64_t upper,
                                                          std::int64_t points, Beyond beyond);

/// Enqueues to(p) = from(q), q being the point that stands for p, or 0 where none does, for all
/// points of `to`, its halo included.
/// @throws Error  where `from` lacks such a point
template <class From, class To>
void surround(Queue& queue, FieldView<From const> from, FieldView<To> to,
              PerAxis<Ends> const& ends);

}  // namespace isotherm
