#include "solver/discretise/shapes/films/point_on_surface.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/discretise/shapes/cell.hpp"
#include "solver/discretise/shapes/films/surface_distance.hpp"
#include "solver/discretise/shapes/lines/open_layers.hpp"
#include "solver/discretise/shapes/open_shares.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Returns the only axis along which an expression varies; −1 if there is none, or several.
int only_axis(Region const& region, Grid const& grid) {
  int found = -1, count = 0;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (grid.points[axis] == 1 || !region.varies_along[axis]) continue;
    found = axis;
    ++count;
  }
  return count == 1 ? found : -1;
}

/// True if all sides of a region are known to be planes across axes.
bool has_flat_sides(Region const& region, Grid const& grid) {
  return region.solid ? region.solid->is_box() : only_axis(region, grid) >= 0;
}

/// Returns the region of the fluid with flat sides that contains a place; null if none does.
Region const* flat_fluid_around(Problem const& problem, PerAxis<double> const& place) {
  for (FixedRegion const& fixed : problem.medium.fixed) {
    Region const& where = fixed.where;
    if (!has_film_on_surface(fixed) || !has_flat_sides(where, problem.grid)) continue;
    if (contains(where, place)) return &where;
  }
  return nullptr;
}

/// Returns the place at which a point lies in a part of its volume: at one end of periodic axes.
PerAxis<double> place_in(Cell const& part, Grid const& grid, Index3 global) {
  PerAxis<double> place = place_of(grid, global);
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (!part[axis].contains(place[axis])) place[axis] = grid.upper(axis);
  }
  return place;
}

/// Returns a part of a volume with its surroundings, in which a surface may belong to it. The part
/// ends where a periodic axis closes.
Cell with_surroundings(Cell part, Grid const& grid) {
  constexpr double margin = 4.0 * minimum_open_share;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    double const more = margin * part[axis].length();
    bool const is_periodic = grid.periodic[axis];
    if (!is_periodic || part[axis].lower != grid.lower[axis]) part[axis].lower -= more;
    if (!is_periodic || part[axis].upper != grid.upper(axis)) part[axis].upper += more;
  }
  return part;
}

/// Appends the flat sides of a region that cut a part of a volume.
void append_sides(Grid const& grid, Region const& region, Cell const& part,
                  PerAxis<double> const& place, std::vector<PointOnSurface>& sides) {
  auto const append = [&](int axis, Interval bounds, Interval within) {
    for (double const at : {bounds.lower, bounds.upper}) {
      if (within.contains(at)) sides.push_back({axis, at, at - place[axis]});
    }
  };
  if (!region.solid) {
    int const axis = only_axis(region, grid);
    double const slack = coincidence * part[axis].length();
    Interval const inside{part[axis].lower + slack, part[axis].upper - slack};
    for (Interval const& bounds : parts_inside(region, axis, place, part[axis])) {
      append(axis, bounds, inside);  // the ends of the part are no sides
    }
    return;
  }
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (grid.points[axis] > 1) append(axis, bounds_within(*region.solid, grid, axis), part[axis]);
  }
}

/// True if a region alone shuts a part of a volume.
bool shuts_alone(Problem const& problem, Region const& region, Cell const& part,
                 PerAxis<double> const& place) {
  bool is_alone = true;
  for_each_shutting(problem, [&](Region const& other) {
    is_alone = is_alone && (&other == &region || covered_share(other, part, place) == 0.0);
  });
  return is_alone;
}

/// Returns the flat side of fluids that cuts the volume of a point in them; none if there are
/// several. At the end of a periodic axis, copies of a fluid have copies of its side.
std::optional<PointOnSurface> only_side(Problem const& problem, Index3 global) {
  Grid const& grid = problem.grid;
  std::vector<PointOnSurface> sides;
  std::size_t parts = 0;
  bool is_alone = true;
  for_each_part(grid, global, [&](Cell const& own) {
    ++parts;
    PerAxis<double> const place = place_in(own, grid, global);
    Region const* const fluid = is_alone ? flat_fluid_around(problem, place) : nullptr;
    is_alone = fluid != nullptr;
    if (!is_alone) return;
    Cell const part = with_surroundings(own, grid);
    std::size_t const before = sides.size();
    append_sides(grid, *fluid, part, place, sides);
    is_alone = sides.size() == before || shuts_alone(problem, *fluid, part, place);
  });
  if (!is_alone || sides.empty()) return std::nullopt;
  PointOnSurface const side = sides.front();
  double const rounding = coincidence * grid.spacing[side.axis];
  bool const is_same = std::ranges::all_of(sides, [&](PointOnSurface const& other) {
    return other.axis == side.axis && std::abs(other.offset - side.offset) <= rounding;
  });
  // If the side's own axis closes at the point, half of the parts lie at its other end.
  bool const closes = grid.periodic[side.axis] && global[side.axis] == 0;
  bool const is_in_all = sides.size() * (closes ? 2 : 1) == parts;
  bool const is_away = std::abs(side.offset) > rounding;
  return is_same && is_in_all && is_away ? std::optional(side) : std::nullopt;
}

/// True if the link from a point across a surface leads to a point in no region.
bool leads_to_medium(Problem const& problem, Index3 global, PointOnSurface const& side) {
  Grid const& grid = problem.grid;
  Index3 next = global;
  next[side.axis] += side.offset > 0.0 ? 1 : -1;
  bool const is_inside = next[side.axis] >= 0 && next[side.axis] < grid.points[side.axis];
  if (!is_inside && !grid.periodic[side.axis]) return false;
  next[side.axis] = grid.on_axis(side.axis, next[side.axis]);
  return constraint_of(problem, next) < constraint::first_region;
}

}  // namespace

std::optional<PointOnSurface> point_on_surface(Problem const& problem, Index3 global) {
  if (!problem.medium.layers) return std::nullopt;
  auto const side = only_side(problem, global);
  bool const is_moved = side && constraint_of(problem, global) == constraint::none &&
                        leads_to_medium(problem, global, *side);
  return is_moved ? side : std::nullopt;
}

}  // namespace isotherm
