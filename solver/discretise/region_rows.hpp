#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "decomposition/grid/grid.hpp"
#include "solver/problem/medium.hpp"

// Which rows of points regions touch.
//
// Most points are far from a region, and functions are evaluated row by row along x. So a region is
// compared with a whole row before it is compared with points. Functions here do not communicate,
// and may be called from several threads at once.

namespace isotherm {

/// Consecutive points along x: first <= index < last.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
  [[nodiscard]] bool empty() const { return first >= last; }
};

/// Returns the box of all points whose control volumes may reach into a region that contains points
/// of the given box only.
GlobalBox with_neighbours(Grid const& grid, GlobalBox within);
/// Returns a range that contains all points of a row along x whose control volumes a region
/// touches. Much cheaper than asking for each point. @param row  any point of the row, in global
/// indices
RowRange reach_along_row(Region const& region, Grid const& grid, Index3 row);
/// True if a region certainly contains no part of the control volumes of a row. Cheaper still.
bool misses_row(Region const& region, Grid const& grid, Index3 row);

/// A list of regions. For the row of points that a thread evaluated last, it remembers which of
/// them are near.
///
///     NearRegions const near(grid, regions);
///     for (NearRegions::Reach const& reach : near.at(y, z)) {
///       if (reach.includes(x) && regions[reach.region].contains(x, y, z)) …
///     }
class NearRegions {
 public:
  /// The coordinates along x beyond which a region contains no part of the control volumes.
  struct Reach {
    std::size_t region;  ///< its number in the list
    double lower;
    double upper;
    [[nodiscard]] bool includes(double x) const { return lower <= x && x <= upper; }
  };

  NearRegions(Grid grid, std::vector<Region> regions);

  /// Returns the regions that may touch the control volumes of the points (·, y, z), in the order
  /// of the list. The span is valid until the thread's next call for any list.
  [[nodiscard]] std::span<Reach const> at(double y, double z) const;
  /// True if a region may touch the control volume of the point that is nearest to a place.
  [[nodiscard]] bool any_at(double x, double y, double z) const {
    for (Reach const& reach : at(y, z)) {
      if (reach.includes(x)) return true;
    }
    return false;
  }

 private:
  [[nodiscard]] std::vector<Reach> search(double y, double z) const;

  Grid grid_;
  std::vector<Region> regions_;
  std::uint64_t id_;  ///< unlike an address, never used again
};

}  // namespace isotherm
