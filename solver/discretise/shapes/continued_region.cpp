#include "solver/discretise/shapes/continued_region.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "solver/discretise/compiled_condition.hpp"
#include "solver/discretise/shapes/cell.hpp"
#include "solver/discretise/shapes/open_shares.hpp"

namespace isotherm {

namespace {

/// Returns a distance from a face within which the surface of an expression coincides with it.
double margin_at(double face, double gap) {
  constexpr double rounding = 8.0 * std::numeric_limits<double>::epsilon();
  return std::max(coincidence * gap, rounding * std::abs(face));
}

/// Returns the coordinates of places that are inside of all faces by more than a margin.
Cell inside_faces(Grid const& grid) {
  constexpr Interval anywhere = CompiledCondition::anywhere;
  Cell inside{{anywhere, anywhere, anywhere}};
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (grid.periodic[axis] || grid.points[axis] == 1) continue;
    double const lower = grid.lower[axis], upper = grid.upper(axis);
    inside[axis] = {lower + margin_at(lower, grid.gap(axis, 0)),
                    upper - margin_at(upper, grid.gap(axis, grid.intervals(axis) - 1))};
  }
  return inside;
}

double nearest_in(Interval const& interval, double at) {
  return std::clamp(at, interval.lower, interval.upper);
}

}  // namespace

Region continued_beyond_faces(Region region, Grid const& grid) {
  if (region.solid || region.at_points || !region.contains) return region;
  Cell const within = inside_faces(grid);
  if (region.blocks) {
    auto const classify = [blocks = region.blocks, within](Cell const& box) {
      Cell moved;
      for (int axis = 0; axis < 3; ++axis) {
        moved[axis] = {nearest_in(within[axis], box[axis].lower),
                       nearest_in(within[axis], box[axis].upper)};
      }
      return blocks->within(moved);
    };
    region.blocks = std::make_shared<RegionBlocks>(grid, classify);
  }
  if (auto* const condition = region.contains.target<CompiledCondition>()) {
    condition->blocks = region.blocks;
    condition->within = within;
    return region;
  }
  region.contains = [contains = region.contains, within](double x, double y, double z) {
    return contains(nearest_in(within[0], x), nearest_in(within[1], y), nearest_in(within[2], z));
  };
  return region;
}

}  // namespace isotherm
