#include "kernels/filters/padding.hpp"

#include <algorithm>

#include "kernels/core/error.hpp"
#include "kernels/core/for_each_point.hpp"
#include "kernels/filters/padding_point.hpp"

namespace isotherm {

namespace {

/// Checks that the source has all points whose values the target needs.
void check(LocalBox const& from, LocalBox const& to, PerAxis<AxisPadding> const& ends) {
  for (int axis = 0; axis < 3; ++axis) {
    for (std::int64_t i = to.lower[axis]; i < to.upper[axis]; ++i) {
      AxisPadding const& here = ends[axis];
      std::int64_t const point = edge_index(here.to_first + i, here.points, here.edge_mode);
      if (point < 0) continue;
      std::int64_t const index = point - here.from_first;
      require(index >= 0 && index >= from.lower[axis] && index < from.upper[axis],
              "a field has too few points to extend beyond its ends");
    }
  }
}

}  // namespace

std::pair<std::int64_t, std::int64_t> padding_source_range(std::int64_t lower, std::int64_t upper,
                                                           std::int64_t points, EdgeMode beyond) {
  bool const leaves = lower < 0 || upper > points;
  // A periodic axis may need points of both ends, which are not contiguous.
  if (beyond == EdgeMode::wrap && leaves) return {0, points};
  std::int64_t first = std::clamp<std::int64_t>(lower, 0, points - 1);
  std::int64_t end = std::clamp(upper, first + 1, points);
  if (beyond == EdgeMode::mirror) {
    // Index −m is the reflection of point m; points − 1 + m that of points − 1 − m.
    if (lower < 0) end = std::max(end, std::min(points, 1 - lower));
    if (upper > points) first = std::min(first, std::max<std::int64_t>(0, 2 * points - 1 - upper));
  }
  return {first, end};
}

template <class From, class To>
void pad(Queue& queue, FieldView<From const> from, FieldView<To> to,
         PerAxis<AxisPadding> const& ends) {
  check(from.box, to.box, ends);
  for_each_point(queue, to.box, PadPoint<From, To>{from, to, ends[0], ends[1], ends[2]});
}

template void pad(Queue&, FieldView<float const>, FieldView<float>, PerAxis<AxisPadding> const&);
template void pad(Queue&, FieldView<double const>, FieldView<double>, PerAxis<AxisPadding> const&);
template void pad(Queue&, FieldView<float const>, FieldView<double>, PerAxis<AxisPadding> const&);

}  // namespace isotherm
