#include "io/surface/closed_surface.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

using Corner = std::array<double, 3>;

Corner corner_of(PerAxis<double> const& place) { return {place[0], place[1], place[2]}; }

/// An edge of a triangle; `from` is the corner that comes first in lexicographic order.
struct Edge {
  Corner from, to;
  int direction;  ///< 1 if the triangle runs from `from` to `to`, else -1
};

/// Returns the edges of all triangles, with equal ones next to each other.
std::vector<Edge> sorted_edges(std::vector<Triangle> const& triangles) {
  std::vector<Edge> edges;
  edges.reserve(3 * triangles.size());
  for (Triangle const& triangle : triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      Corner const a = corner_of(triangle[i]), b = corner_of(triangle[(i + 1) % 3]);
      if (a == b) continue;  // of a triangle without area, whose other edges cancel
      edges.push_back(a < b ? Edge{a, b, 1} : Edge{b, a, -1});
    }
  }
  std::ranges::sort(edges, [](Edge const& a, Edge const& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  });
  return edges;
}

/// Refuses a surface if an edge does not have as many triangles on one side as on the other.
void require_closed(std::vector<Triangle> const& triangles, std::string const& name) {
  auto const edges = sorted_edges(triangles);
  std::int64_t open = 0, turned = 0;
  Corner first{};
  for (auto begin = edges.begin(); begin != edges.end();) {
    auto const end = std::find_if(begin, edges.end(), [&](Edge const& edge) {
      return edge.from != begin->from || edge.to != begin->to;
    });
    int sum = 0;
    for (auto edge = begin; edge != end; ++edge) sum += edge->direction;
    if (sum != 0) {
      if (open + turned == 0) first = begin->from;
      ++((end - begin) % 2 != 0 ? open : turned);
    }
    begin = end;
  }
  if (open + turned == 0) return;
  std::string const place = fmt::format("the first begins at x = {:.6g}, y = {:.6g}, z = {:.6g}",
                                        first[0], first[1], first[2]);
  if (open == 0) {
    throw InputError(
        fmt::format("{}: the triangles on both sides of {} edges turn in different "
                    "directions, {} (make the normals consistent in a mesh program)",
                    name, turned, place));
  }
  throw InputError(
      fmt::format("{} is not a closed surface: it has {} open edges, {} (close it in "
                  "a mesh program; corners that coincide must be equal)",
                  name, open, place));
}

/// Returns how an edge contributes to the winding number of a triangle around a point of the plane:
/// the sign of its crossing with the ray towards larger x. The same edge in the other direction
/// contributes the opposite, with the same rounding.
int crossing(PerAxis<double> const& a, PerAxis<double> const& b, double x, double y) {
  bool const rises = std::pair(a[1], a[0]) < std::pair(b[1], b[0]);
  auto const& low = rises ? a : b;
  auto const& high = rises ? b : a;
  if (y < low[1] || y >= high[1]) return 0;
  double const side = (high[0] - low[0]) * (y - low[1]) - (high[1] - low[1]) * (x - low[0]);
  if (!(side > 0.0)) return 0;
  return rises ? 1 : -1;
}

/// Returns the z of a triangle above a point of the plane, between those of its corners.
double height(Triangle const& t, double x, double y) {
  double const ux = t[1][0] - t[0][0], uy = t[1][1] - t[0][1], uz = t[1][2] - t[0][2];
  double const vx = t[2][0] - t[0][0], vy = t[2][1] - t[0][1], vz = t[2][2] - t[0][2];
  double const area = ux * vy - uy * vx;
  auto const [minimum, maximum] = std::minmax({t[0][2], t[1][2], t[2][2]});
  if (area == 0.0) return minimum;
  double const along_u = ((x - t[0][0]) * vy - (y - t[0][1]) * vx) / area;
  double const along_v = (ux * (y - t[0][1]) - uy * (x - t[0][0])) / area;
  return std::clamp(t[0][2] + along_u * uz + along_v * vz, minimum, maximum);
}

/// Returns the number of the part that contains a coordinate, of an interval in equal parts. It
/// does not decrease with the coordinate, so rounding never puts a point between two others
/// elsewhere.
std::int64_t part_of(double lower, double upper, std::int64_t parts, double coordinate) {
  double const share = (coordinate - lower) / (upper - lower);
  // The comparison is false for NaN, if the surface has no extent.
  if (!(share > 0.0)) return 0;
  return std::min(parts - 1, static_cast<std::int64_t>(share * static_cast<double>(parts)));
}

/// Returns the bounds of a triangle along an axis.
std::pair<double, double> extent_of(Triangle const& t, int axis) {
  return std::minmax({t[0][axis], t[1][axis], t[2][axis]});
}

}  // namespace

ClosedSurface::ClosedSurface(std::vector<Triangle> triangles, std::string const& name)
    : triangles_(std::move(triangles)) {
  require_closed(triangles_, name);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  lower_ = {infinity, infinity, infinity};
  upper_ = {-infinity, -infinity, -infinity};
  for (Triangle const& triangle : triangles_) {
    for (auto const& corner : triangle) {
      for (int axis = 0; axis < 3; ++axis) {
        lower_[axis] = std::min(lower_[axis], corner[axis]);
        upper_[axis] = std::max(upper_[axis], corner[axis]);
      }
    }
  }
  fill_bins();
  fill_cells();
}

std::int64_t ClosedSurface::bin_on(int axis, double coordinate) const {
  return part_of(lower_[axis], upper_[axis], bins_[static_cast<std::size_t>(axis)], coordinate);
}

std::int64_t ClosedSurface::cell_on(int axis, double coordinate) const {
  return part_of(lower_[axis], upper_[axis], cell_counts_[static_cast<std::size_t>(axis)],
                 coordinate);
}

std::size_t ClosedSurface::cell_of(double x, double y, double z) const {
  return static_cast<std::size_t>(
      cell_on(0, x) + cell_counts_[0] * (cell_on(1, y) + cell_counts_[1] * cell_on(2, z)));
}

template <class Work>
void ClosedSurface::for_each_bin(Triangle const& t, Work const& work) const {
  auto const [x0, x1] = extent_of(t, 0);
  auto const [y0, y1] = extent_of(t, 1);
  for (std::int64_t j = bin_on(1, y0); j <= bin_on(1, y1); ++j) {
    for (std::int64_t i = bin_on(0, x0); i <= bin_on(0, x1); ++i) {
      work(static_cast<std::size_t>(i + bins_[0] * j));
    }
  }
}

// There are approximately as many bins as triangles. If many triangles are large, fewer bins keep
// the lists short.
void ClosedSurface::fill_bins() {
  constexpr std::int64_t max_bins = 2048;
  auto const count = static_cast<std::int64_t>(triangles_.size());
  std::int64_t const along = std::clamp<std::int64_t>(std::llround(std::sqrt(count)), 1, max_bins);
  std::size_t const max_items = 16 * triangles_.size() + 4096;
  bins_ = {2 * along, 2 * along};
  std::size_t items = 0;
  do {
    bins_ = {std::max<std::int64_t>(bins_[0] / 2, 1), std::max<std::int64_t>(bins_[1] / 2, 1)};
    items = 0;
    for (Triangle const& t : triangles_) {
      auto const [x0, x1] = extent_of(t, 0);
      auto const [y0, y1] = extent_of(t, 1);
      items += static_cast<std::size_t>((bin_on(0, x1) - bin_on(0, x0) + 1) *
                                        (bin_on(1, y1) - bin_on(1, y0) + 1));
    }
  } while (items > max_items && bins_[0] > 1);
  starts_.assign(static_cast<std::size_t>(bins_[0] * bins_[1]) + 1, 0);
  for (Triangle const& t : triangles_) {
    for_each_bin(t, [&](std::size_t bin) { ++starts_[bin + 1]; });
  }
  for (std::size_t bin = 1; bin < starts_.size(); ++bin) starts_[bin] += starts_[bin - 1];
  items_.resize(starts_.back());
  std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
  for (std::size_t number = 0; number < triangles_.size(); ++number) {
    Triangle const& t = triangles_[number];
    auto const [y_lower, y_upper] = extent_of(t, 1);
    Item const item{y_lower, y_upper, extent_of(t, 0).second, extent_of(t, 2).second,
                    static_cast<std::uint32_t>(number)};
    for_each_bin(t, [&](std::size_t bin) { items_[next[bin]++] = item; });
  }
}

// The surface enters no cell but those that the bounds of its triangles meet. Between two points of
// another cell it has no crossing, so the middle decides for all of them.
void ClosedSurface::fill_cells() {
  constexpr double max_along = 64.0;
  double const along =
      std::clamp(2.0 * std::cbrt(static_cast<double>(triangles_.size())), 8.0, max_along);
  auto n = static_cast<std::int64_t>(along);
  auto const range = [this](Triangle const& t, int axis) {
    auto const [from, to] = extent_of(t, axis);
    return std::pair(cell_on(axis, from), cell_on(axis, to));
  };
  // Few cells suffice if many triangles are large.
  std::size_t const max_visits = 64 * triangles_.size() + (std::size_t{1} << 20);
  auto const visits = [&] {
    std::size_t sum = 0;
    for (Triangle const& t : triangles_) {
      std::int64_t cells = 1;
      for (int axis = 0; axis < 3; ++axis) {
        auto const [first, last] = range(t, axis);
        cells *= last - first + 1;
      }
      sum += static_cast<std::size_t>(cells);
    }
    return sum;
  };
  for (cell_counts_ = {n, n, n}; n > 1 && visits() > max_visits; cell_counts_ = {n, n, n}) n /= 2;
  cells_.assign(static_cast<std::size_t>(n * n * n), Cell::outside);
  for (Triangle const& t : triangles_) {
    for (std::int64_t k = range(t, 2).first; k <= range(t, 2).second; ++k) {
      for (std::int64_t j = range(t, 1).first; j <= range(t, 1).second; ++j) {
        auto const row = cells_.begin() + n * (j + n * k);
        std::fill(row + range(t, 0).first, row + range(t, 0).second + 1, Cell::both);
      }
    }
  }
  auto const middle = [&](int axis, std::int64_t i) {
    double const share = (static_cast<double>(i) + 0.5) / static_cast<double>(n);
    return lower_[axis] + share * (upper_[axis] - lower_[axis]);
  };
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
    auto const i = static_cast<std::int64_t>(cell);
    if (cells_[cell] == Cell::both) continue;
    bool const inside = is_enclosed(middle(0, i % n), middle(1, i / n % n), middle(2, i / (n * n)));
    cells_[cell] = inside ? Cell::inside : Cell::outside;
  }
}

bool ClosedSurface::contains(double x, double y, double z) const {
  // The comparison is false for NaN.
  bool const in_bounds = x >= lower_[0] && x <= upper_[0] && y >= lower_[1] && y <= upper_[1] &&
                         z >= lower_[2] && z <= upper_[2];
  if (!in_bounds) return false;
  Cell const cell = cells_[cell_of(x, y, z)];
  return cell == Cell::both ? is_enclosed(x, y, z) : cell == Cell::inside;
}

bool ClosedSurface::is_enclosed(double x, double y, double z) const {
  auto const bin = static_cast<std::size_t>(bin_on(0, x) + bins_[0] * bin_on(1, y));
  int winding = 0;
  for (std::size_t i = starts_[bin]; i < starts_[bin + 1]; ++i) {
    if (!items_[i].may_cross(x, y, z)) continue;
    Triangle const& t = triangles_[items_[i].triangle];
    int const sign =
        crossing(t[0], t[1], x, y) + crossing(t[1], t[2], x, y) + crossing(t[2], t[0], x, y);
    if (sign != 0 && height(t, x, y) > z) winding += sign;
  }
  return winding != 0;
}

// By Gauss's theorem: the sum of the tetrahedra between the triangles and a point.
double ClosedSurface::volume() const {
  double sum = 0.0;
  auto const& o = lower_;
  for (Triangle const& t : triangles_) {
    std::array<Corner, 3> c{};
    for (std::size_t i = 0; i < 3; ++i) {
      c[i] = {t[i][0] - o[0], t[i][1] - o[1], t[i][2] - o[2]};
    }
    sum += c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[2][1]) +
           c[0][1] * (c[1][2] * c[2][0] - c[1][0] * c[2][2]) +
           c[0][2] * (c[1][0] * c[2][1] - c[1][1] * c[2][0]);
  }
  return std::abs(sum) / 6.0;
}

std::uint64_t ClosedSurface::digest() const {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  std::uint64_t digest = triangles_.size();
  for (Triangle const& triangle : triangles_) {
    for (auto const& corner : triangle) {
      for (int axis = 0; axis < 3; ++axis) {
        digest = (digest ^ std::bit_cast<std::uint64_t>(corner[axis])) * odd;
        digest ^= digest >> 29;
      }
    }
  }
  return digest;
}

}  // namespace isotherm
