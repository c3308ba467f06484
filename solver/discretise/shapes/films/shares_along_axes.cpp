#include "solver/discretise/shapes/films/shares_along_axes.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/discretise/shapes/lines/line_surface.hpp"
#include "solver/discretise/shapes/lines/open_layers.hpp"
#include "solver/discretise/shapes/link_conductivity.hpp"
#include "solver/discretise/shapes/open_shares.hpp"

namespace isotherm {

namespace {

/// True if a fluid or insulation fills the volume of a point on a Dirichlet face.
bool is_shut_at_face(Problem const& problem, Index3 global) {
  return is_given_by_face(problem, global) &&
         is_outside(problem, constraint_by_region(problem, global));
}

/// Returns the parts of a line that insulated regions and fluids cover, in ascending order.
std::vector<Interval> covered_parts(Problem const& problem, int axis, PerAxis<double> const& place,
                                    Interval line) {
  std::vector<Interval> parts;
  for (Region const* region : shutting_regions_of(problem)) {
    auto const inside = parts_of(*region, axis, place, line);
    parts.insert(parts.end(), inside.begin(), inside.end());
  }
  std::ranges::sort(parts, {}, &Interval::lower);
  return parts;
}

/// Returns the longest part of a line that is open; one of length 0 in its middle if none is. Gaps
/// between surfaces that coincide but for their rounding are not open.
Interval longest_open_part(Problem const& problem, int axis, PerAxis<double> const& place,
                           Interval line) {
  Interval longest{line.middle(), line.middle()};
  double end = line.lower;
  auto const examine = [&](double next) {
    double const least = std::max(longest.length(), coincidence * line.length());
    if (next - end > least) longest = {end, next};
  };
  for (Interval const& part : covered_parts(problem, axis, place, line)) {
    examine(part.lower);
    end = std::max(end, part.upper);
  }
  examine(line.upper);
  return longest;
}

/// Returns a place at a corner of a cell that neither insulation nor a fluid covers, if there is
/// one.
std::optional<PerAxis<double>> open_corner(Problem const& problem, Cell const& cell) {
  constexpr double inset = 1e-6;
  std::vector<Region const*> const regions = shutting_regions_of(problem);
  for (unsigned corner = 0; corner < 8; ++corner) {
    PerAxis<double> place{};
    for (int axis = 0; axis < 3; ++axis) {
      bool const is_upper = ((corner >> static_cast<unsigned>(axis)) & 1U) != 0;
      double const margin = inset * cell[axis].length();
      place[axis] = is_upper ? cell[axis].upper - margin : cell[axis].lower + margin;
    }
    auto const covers = [&](Region const* region) { return contains(*region, place); };
    if (std::ranges::none_of(regions, covers)) return place;
  }
  return std::nullopt;
}

/// Returns the open share of a section across a control volume, through the middle of what is open
/// along the axis on the line through its point. If nothing is, through another open place.
double open_share_between(Problem const& problem, int axis, Index3 global) {
  auto const [x, y, z] = coordinates(problem.grid, global);
  PerAxis<double> const point{x, y, z};
  Interval open_part{point[axis], point[axis]};
  auto const examine = [&](PerAxis<double> const& place, Interval line) {
    Interval const part = longest_open_part(problem, axis, place, line);
    if (part.length() > open_part.length()) open_part = part;
  };
  auto const [first, second] = volume_intervals(problem.grid, axis, global[axis]);
  examine(point, first);
  if (second.length() > 0.0) {
    PerAxis<double> other = point;
    other[axis] = second.upper;
    examine(other, second);
  }
  for_each_part(problem.grid, global, [&](Cell const& part) {
    if (open_part.length() > 0.0) return;
    auto place = open_corner(problem, part);
    if (!place) place = open_place(shutting_regions_of(problem), part);
    if (place) examine(*place, part[axis]);
  });
  double const at = open_part.middle();
  double open = 0.0, whole = 0.0;
  for_each_part(problem.grid, global, [&](Cell section) {
    section[axis] = {at, at};
    open += volume_of(section) * open_share(problem, section, point);
    whole += volume_of(section);
  });
  return open / whole;
}

}  // namespace

PerAxis<SharesAlongAxis> shares_along_axes(Problem const& problem, Index3 global) {
  LinkConductivity const links(problem);
  bool const is_given = is_given_by_face(problem, global);
  auto const share = [&](int axis, Index3 lower, Index3 neighbour) {
    bool const is_shut = is_given && is_shut_at_face(problem, neighbour);
    return is_shut ? 0.0 : links.open_share(axis, lower);
  };
  Grid const& grid = problem.grid;
  PerAxis<SharesAlongAxis> shares{};
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (grid.points[axis] == 1) continue;
    Index3 before = global, after = global;
    before[axis] = grid.on_axis(axis, global[axis] - 1);
    after[axis] = grid.on_axis(axis, global[axis] + 1);
    SharesAlongAxis& along = shares[axis];
    along.below = before[axis] >= 0 ? share(axis, before, before)
                                    : open_share_of_boundary(problem, {axis, false}, global);
    along.above = global[axis] < grid.intervals(axis)
                      ? share(axis, global, after)
                      : open_share_of_boundary(problem, {axis, true}, global);
    along.between = open_share_between(problem, axis, global);
  }
  return shares;
}

}  // namespace isotherm
