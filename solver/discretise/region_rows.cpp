#include "solver/discretise/region_rows.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "solver/discretise/shapes/cell.hpp"

namespace isotherm {

namespace {

/// Returns the cross-sections of the control volumes of a row along x, whose intervals of x are
/// those of the grid. There are several at the ends of periodic axes.
std::vector<Cell> tubes_along_x(Grid const& grid, Index3 row) {
  std::vector<Cell> tubes;
  row.x = 1;  // its volume has one part, whatever that is
  for_each_part(grid, row, [&](Cell tube) {
    tube[0] = {grid.lower[0], grid.upper(0)};
    tubes.push_back(tube);
  });
  return tubes;
}

/// Returns the tube, wider by a millionth of a spacing: a region may include its surface with a
/// tolerance.
Cell widened(Cell tube, Grid const& grid) {
  constexpr double share = 1e-6;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    double const margin = share * grid.spacing[axis];
    tube[axis] = {tube[axis].lower - margin, tube[axis].upper + margin};
  }
  return tube;
}

/// Returns the part of x in which a region may touch a tube; empty if it does not.
Interval reach_in(Region const& region, Grid const& grid, Cell const& tube) {
  Interval const all = tube[0];
  if (region.solid) {
    Cell const wider = widened(tube, grid);
    return intersection(wider[0], region.solid->some_chord(0, wider));
  }
  if (!region.blocks || region.at_points) return all;
  Certainty const known = region.blocks->in(tube);
  if (known != Certainty::unknown) {
    return known == Certainty::inside ? all : Interval{1.0, 0.0};
  }
  std::vector<Interval> const unknown = region.blocks->unknown_along_x(tube);
  if (unknown.empty()) return all;
  // Blocks before the first and behind the last of them are certain.
  Cell before = tube, behind = tube;
  before[0].upper = std::max(all.lower, unknown.front().lower);
  behind[0].lower = std::min(all.upper, unknown.back().upper);
  Interval reach = all;
  if (region.blocks->in(before) == Certainty::outside) reach.lower = before[0].upper;
  if (region.blocks->in(behind) == Certainty::outside) reach.upper = behind[0].lower;
  return reach;
}

/// True if a coordinate lies between the ends of an axis, or the grid does not have the axis.
bool lies_within(Grid const& grid, int axis, double coordinate) {
  constexpr double slack = 1e-9;
  double const margin = slack * grid.spacing[axis];
  return axis >= grid.dimension ||
         (coordinate >= grid.lower[axis] - margin && coordinate <= grid.upper(axis) + margin);
}

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> count{0};
  return ++count;
}

/// What a thread has found for one row of one list.
struct Remembered {
  std::uint64_t id = 0;
  double y = 0.0;
  double z = 0.0;
  std::vector<NearRegions::Reach> found{};
};

}  // namespace

GlobalBox with_neighbours(Grid const& grid, GlobalBox within) {
  for (int axis = 0; axis < grid.dimension; ++axis) {
    // A volume may reach into the region although its point does not.
    within.lower[axis] = std::max<std::int64_t>(within.lower[axis] - 1, 0);
    within.upper[axis] = std::min(within.upper[axis] + 1, grid.points[axis]);
    // The volume of the first point of a periodic axis has a part at the other end.
    if (grid.periodic[axis]) within.lower[axis] = 0;
  }
  return within;
}

RowRange reach_along_row(Region const& region, Grid const& grid, Index3 row) {
  RowRange const all{0, grid.points.x};
  RowRange reach{all.last, all.first};
  for (Cell const& tube : tubes_along_x(grid, row)) {
    Interval const part = reach_in(region, grid, tube);
    if (part.empty()) continue;
    // The volume of the first point of a periodic axis has a part at the other end.
    if (grid.periodic[0]) return all;
    auto const from = static_cast<std::int64_t>(std::floor(grid.position(0, part.lower)));
    auto const to = static_cast<std::int64_t>(std::ceil(grid.position(0, part.upper)));
    reach.first = std::min(reach.first, std::max<std::int64_t>(from - 1, all.first));
    reach.last = std::max(reach.last, std::min<std::int64_t>(to + 2, all.last));
  }
  return reach;
}

bool misses_row(Region const& region, Grid const& grid, Index3 row) {
  if (region.at_points || (!region.solid && !region.blocks)) return false;
  for (Cell const& tube : tubes_along_x(grid, row)) {
    bool const misses = region.solid ? region.solid->some_chord(0, widened(tube, grid)).empty()
                                     : region.blocks->in(tube) == Certainty::outside;
    if (!misses) return false;
  }
  return true;
}

NearRegions::NearRegions(Grid grid, std::vector<Region> regions)
    : grid_(std::move(grid)), regions_(std::move(regions)), id_(next_id()) {}

std::span<NearRegions::Reach const> NearRegions::at(double y, double z) const {
  if (regions_.empty()) return {};
  // Several lists are often evaluated in turn.
  constexpr std::size_t slots = 32;
  thread_local std::array<Remembered, slots> memory;
  Remembered& here = memory[id_ % slots];
  if (here.id != id_ || here.y != y || here.z != z) {
    here.found = search(y, z);
    here.id = id_;
    here.y = y;
    here.z = z;
  }
  return here.found;
}

std::vector<NearRegions::Reach> NearRegions::search(double y, double z) const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  bool const is_on_grid = lies_within(grid_, 1, y) && lies_within(grid_, 2, z);
  Index3 const row = is_on_grid ? nearest_point(grid_, {grid_.lower[0], y, z}) : Index3{};
  std::vector<Reach> found;
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    Region const& region = regions_[i];
    Reach reach{i, -infinity, infinity};
    // Regions are compared with the volumes of the row: every place is in that of the nearest
    // point.
    if (is_on_grid && misses_row(region, grid_, row)) continue;
    if (is_on_grid && region.solid && !region.at_points) {
      RowRange const range = reach_along_row(region, grid_, row);
      if (range.empty()) continue;
      if (range.first > 0) reach.lower = grid_.coordinate(0, range.first);
      if (range.last < grid_.points.x) reach.upper = grid_.coordinate(0, range.last - 1);
    }
    found.push_back(reach);
  }
  return found;
}

}  // namespace isotherm
