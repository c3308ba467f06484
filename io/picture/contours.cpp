#include "io/picture/contours.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>

namespace isotherm {
namespace {

/// The line between two neighbouring samples.
struct Edge {
  std::int64_t column;  ///< of the first sample
  std::int64_t row;
  bool upwards;  ///< true: the second sample lies above the first one; false: to its right
};

/// True if both places lie on the same side of the slice's rim.
bool on_one_side(SlicePlace a, SlicePlace b) {
  auto const at_end = [](double first, double second) {
    return first == second && (first == 0.0 || first == 1.0);
  };
  return at_end(a.right, b.right) || at_end(a.up, b.up);
}

/// Marching squares. Each square of four neighbouring samples is crossed by at most two segments,
/// from one of its edges to another. Segments that end on the same edge are joined to lines.
class Marching {
 public:
  Marching(SliceSamples const& samples, double level) : samples_(samples), level_(level) {}

  /// All contour lines of the level.
  std::vector<Contour> lines();

 private:
  using EdgeId = std::int64_t;
  /// A segment across a square, from one of its edges to another.
  struct Segment {
    std::array<EdgeId, 2> ends;
    bool used = false;  ///< true once it is part of a line
  };

  [[nodiscard]] double value(std::int64_t column, std::int64_t row) const {
    return samples_.values[static_cast<std::size_t>(row * samples_.columns + column)];
  }
  /// A unique number of an edge: each sample has one edge to the right and one upwards.
  [[nodiscard]] EdgeId id_of(Edge edge) const {
    return 2 * (edge.row * samples_.columns + edge.column) + (edge.upwards ? 1 : 0);
  }
  /// The inverse of id_of().
  [[nodiscard]] Edge edge_of(EdgeId id) const {
    return {id / 2 % samples_.columns, id / 2 / samples_.columns, id % 2 == 1};
  }
  /// The place at which the level crosses an edge, by linear interpolation.
  [[nodiscard]] SlicePlace crossing(EdgeId id) const;
  /// Returns the difference of the largest and the smallest corner of a square of four samples; NaN
  /// if a corner is not finite.
  [[nodiscard]] double span(std::int64_t column, std::int64_t row) const;
  /// True if the samples of a square belong to several materials.
  [[nodiscard]] bool is_mixed(std::int64_t column, std::int64_t row) const;
  /// True if the field jumps in a square, at the contact of two materials: its values differ far
  /// more than those of the squares around it that belong to one material.
  [[nodiscard]] bool jumps(std::int64_t column, std::int64_t row) const;
  /// Adds the segments of the square whose lower left sample is given.
  void cross(std::int64_t column, std::int64_t row);
  /// Adds a segment between two edges.
  void add(EdgeId from, EdgeId to);
  /// Uses an unused segment that ends on this edge, and returns its other end; nullopt if there is
  /// none.
  std::optional<EdgeId> step_from(EdgeId end);
  /// Follows unused segments from an edge as far as possible, and returns the edges that it
  /// reaches.
  std::vector<EdgeId> walk_from(EdgeId end);

  SliceSamples const& samples_;
  double level_;
  std::vector<Segment> segments_;
  std::unordered_map<EdgeId, std::vector<std::size_t>> at_;  ///< segments by end
};

SlicePlace Marching::crossing(EdgeId id) const {
  Edge const edge = edge_of(id);
  // Half of each value, so the difference of two finite values cannot overflow.
  double const first = 0.5 * value(edge.column, edge.row);
  double const second =
      0.5 * value(edge.column + (edge.upwards ? 0 : 1), edge.row + (edge.upwards ? 1 : 0));
  double const part = second == first ? 0.0 : (0.5 * level_ - first) / (second - first);
  auto const on_axis = [&](std::int64_t index, std::int64_t count, bool moves) {
    return (static_cast<double>(index) + (moves ? part : 0.0)) / static_cast<double>(count - 1);
  };
  return {on_axis(edge.column, samples_.columns, !edge.upwards),
          on_axis(edge.row, samples_.rows, edge.upwards)};
}

void Marching::add(EdgeId from, EdgeId to) {
  // Both ends refer to the segment that is appended below.
  at_[from].push_back(segments_.size());
  at_[to].push_back(segments_.size());
  segments_.push_back({{from, to}});
}

double Marching::span(std::int64_t column, std::int64_t row) const {
  double const at[]{value(column, row), value(column + 1, row), value(column, row + 1),
                    value(column + 1, row + 1)};
  auto const [low, high] = std::ranges::minmax(at);
  bool const is_finite = std::ranges::all_of(at, [](double one) { return std::isfinite(one); });
  return is_finite ? high - low : std::numeric_limits<double>::quiet_NaN();
}

bool Marching::is_mixed(std::int64_t column, std::int64_t row) const {
  if (samples_.materials.empty()) return false;
  auto const material = [&](std::int64_t i, std::int64_t j) {
    return samples_.materials[samples_.position(i, j)];
  };
  int const first = material(column, row);
  return material(column + 1, row) != first || material(column, row + 1) != first ||
         material(column + 1, row + 1) != first;
}

bool Marching::jumps(std::int64_t column, std::int64_t row) const {
  constexpr double far_more = 3.0;
  if (!is_mixed(column, row)) return false;
  double largest = -1.0;
  for (std::int64_t j = std::max<std::int64_t>(row - 1, 0);
       j <= std::min(row + 1, samples_.rows - 2); ++j) {
    for (std::int64_t i = std::max<std::int64_t>(column - 1, 0);
         i <= std::min(column + 1, samples_.columns - 2); ++i) {
      if (!is_mixed(i, j) && span(i, j) > largest) largest = span(i, j);
    }
  }
  return largest >= 0.0 && span(column, row) > far_more * largest;
}

void Marching::cross(std::int64_t column, std::int64_t row) {
  // Counter-clockwise: corner i lies between the edges i − 1 and i.
  std::array const corners{value(column, row), value(column + 1, row), value(column + 1, row + 1),
                           value(column, row + 1)};
  std::array const edges{id_of({column, row, false}), id_of({column + 1, row, true}),
                         id_of({column, row + 1, false}), id_of({column, row, true})};
  std::array<bool, 4> above{};
  double middle = 0.0;
  for (std::size_t i = 0; i < 4; ++i) {
    // A gap in the lines next to NaN and infinities.
    if (!std::isfinite(corners[i])) {
      return;
    }
    above[i] = corners[i] >= level_;
    middle += 0.25 * corners[i];
  }
  bool const is_crossed = std::ranges::any_of(above, [&](bool one) { return one != above[0]; });
  if (!is_crossed || jumps(column, row)) return;
  // The edges whose ends lie on different sides of the level. Their number is 0, 2 or 4.
  std::array<EdgeId, 4> crossed{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    if (above[i] != above[(i + 1) % 4]) {
      crossed[count++] = edges[i];
    }
  }
  if (count == 2 && !on_one_side(crossing(crossed[0]), crossing(crossed[1]))) {
    add(crossed[0], crossed[1]);
  } else if (count == 4) {  // a saddle
    // The mean of the corners decides which two opposite corners are connected through the centre.
    // The other two are cut off.
    bool const cuts_off_second = (middle >= level_) == above[0];
    add(edges[0], edges[cuts_off_second ? 1 : 3]);
    add(edges[2], edges[cuts_off_second ? 3 : 1]);
  }
}

/// The other end of an unused segment that begins on this edge.
std::optional<Marching::EdgeId> Marching::step_from(EdgeId end) {
  for (std::size_t const index : at_[end]) {
    Segment& segment = segments_[index];
    if (!segment.used) {
      segment.used = true;
      return segment.ends[segment.ends[0] == end ? 1 : 0];
    }
  }
  return std::nullopt;
}

std::vector<Marching::EdgeId> Marching::walk_from(EdgeId end) {
  std::vector<EdgeId> way;
  while (auto const next = step_from(way.empty() ? end : way.back())) {
    way.push_back(*next);
  }
  return way;
}

std::vector<Contour> Marching::lines() {
  for (std::int64_t row = 0; row + 1 < samples_.rows; ++row) {
    for (std::int64_t column = 0; column + 1 < samples_.columns; ++column) {
      cross(column, row);
    }
  }
  // Segments are joined to lines. Each segment belongs to exactly one line.
  std::vector<Contour> all;
  for (Segment const& segment : segments_) {
    if (segment.used) {
      continue;
    }
    // A line is followed from an arbitrary segment in both directions. If the first walk returns to
    // its start, the line is closed, and the second walk is empty.
    EdgeId const start = segment.ends[0];
    std::vector<EdgeId> const forth = walk_from(start);
    std::vector<EdgeId> way = walk_from(start);  // none if the first walk came back here
    std::reverse(way.begin(), way.end());
    Contour line;
    line.closed = forth.back() == start;
    if (!line.closed) {
      way.push_back(start);
    }
    // The second walk reversed, the start, then the first walk.
    way.insert(way.end(), forth.begin(), forth.end());
    std::transform(way.begin(), way.end(), std::back_inserter(line.places),
                   [&](EdgeId id) { return crossing(id); });
    all.push_back(std::move(line));
  }
  return all;
}

}  // namespace

std::vector<Contour> contours_at(SliceSamples const& samples, double level) {
  return Marching(samples, level).lines();
}

}  // namespace isotherm
