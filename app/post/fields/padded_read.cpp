#include "app/post/fields/padded_read.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace isotherm::app {

namespace {

/// Points of one axis that are consecutive in the file and in the field. Indices in the file are
/// those of the whole grid.
struct Span {
  std::int64_t read = 0;   ///< the first one's index in the file
  std::int64_t place = 0;  ///< the first one's index in the field
  std::int64_t count = 0;
};

/// The surroundings along one axis.
struct AxisAround {
  std::vector<Span> spans;
  std::int64_t count = 0;  ///< points in all spans
  AxisPadding ends{};
};

/// Returns the surroundings of points that wrap around one end of the axis: a span up to the end,
/// and one from the other end on. @pre [lower, upper) leaves the axis on one side only
AxisAround in_two(std::int64_t lower, std::int64_t upper, std::int64_t points) {
  // The end of the axis that the range crosses.
  std::int64_t const end = lower < 0 ? 0 : points;
  std::int64_t const before = end - lower;
  AxisAround axis;
  axis.spans = {{lower < 0 ? lower + points : lower, 0, before}, {0, before, upper - end}};
  axis.count = upper - lower;
  // The field contains all points in order, so pad() adds none.
  axis.ends = {axis.count, EdgeMode::clamp, 0, 0};
  return axis;
}

/// Returns the surroundings of [first, end) along one axis, with `reach` more points on each side.
/// Beyond an end of the axis, the edge mode determines which points are read.
/// @param points  number of points of the whole axis
AxisAround along(std::int64_t first, std::int64_t end, std::int64_t reach, std::int64_t points,
                 EdgeMode edge_mode) {
  std::int64_t const lower = first - reach;
  std::int64_t const upper = end + reach;
  bool const leaves = lower < 0 || upper > points;
  AxisAround axis;
  // If the range exceeds the whole axis, some points would be read twice. Then the points are read
  // once, and pad() repeats them.
  if (edge_mode == EdgeMode::wrap && leaves && upper - lower <= points) {
    axis = in_two(lower, upper, points);
    // In the field, the owned points begin after `reach` surrounding points.
    axis.ends.to_first = reach;
  } else {
    auto const [read, behind] = padding_source_range(lower, upper, points, edge_mode);
    // A single span, which pad() extends beyond the ends.
    axis.spans = {{read, 0, behind - read}};
    axis.count = behind - read;
    axis.ends = {points, edge_mode, read, first};
  }
  return axis;
}

}  // namespace

std::vector<GlobalBox> PaddedRead::boxes() const {
  std::vector<GlobalBox> boxes;
  std::ranges::transform(pieces, std::back_inserter(boxes), &Piece::read);
  return boxes;
}

PaddedRead padded_read(GlobalBox owned, Extent3 points, Index3 reach,
                       PerAxis<EdgeMode> const& edge_mode) {
  PaddedRead all;
  // The pieces are the Cartesian product of the spans along the axes.
  all.pieces.emplace_back();
  for (int a = 0; a < 3; ++a) {
    AxisAround const axis =
        along(owned.lower[a], owned.upper[a], reach[a], points[a], edge_mode[a]);
    std::vector<PaddedRead::Piece> cut;
    for (PaddedRead::Piece piece : all.pieces) {
      for (Span const& span : axis.spans) {
        // The other axes keep the ranges that earlier iterations have set.
        piece.read.lower[a] = span.read;
        piece.read.upper[a] = span.read + span.count;
        piece.place.lower[a] = span.place;
        piece.place.upper[a] = span.place + span.count;
        cut.push_back(piece);
      }
    }
    all.pieces = std::move(cut);
    all.extent[a] = axis.count;
    all.ends[a] = axis.ends;
  }
  return all;
}

}  // namespace isotherm::app
