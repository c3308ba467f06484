#include "solver/discretise/shapes/lines/line_surface.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "decomposition/field/staging/host_staging.hpp"
#include "solver/discretise/region_rows.hpp"
#include "solver/discretise/shapes/covered_link.hpp"
#include "solver/discretise/shapes/lines/line_quadrature.hpp"

namespace isotherm {

namespace {

/// A part of a line that the union of some regions covers, and the regions at its ends.
struct CoveredPart {
  Interval part;
  Region const* at_lower;
  Region const* at_upper;
};

using Regions = std::span<Region const* const>;

/// Returns the parts of a line that regions cover, in ascending order. They do not touch.
std::vector<CoveredPart> covered_parts(Regions regions, int axis, PerAxis<double> const& place,
                                       Interval line) {
  std::vector<CoveredPart> parts;
  for (Region const* region : regions) {
    for (Interval const& part : parts_of(*region, axis, place, line)) {
      parts.push_back({part, region, region});
    }
  }
  std::ranges::sort(parts, {}, [](CoveredPart const& one) { return one.part.lower; });
  std::vector<CoveredPart> joined;
  for (CoveredPart const& next : parts) {
    if (joined.empty() || next.part.lower > joined.back().part.upper) {
      joined.push_back(next);
    } else if (next.part.upper > joined.back().part.upper) {
      joined.back().part.upper = next.part.upper;
      joined.back().at_upper = next.at_upper;
    }
  }
  return joined;
}

/// Returns nodes at equal distances, and between the flat surfaces of regions, so that some
/// lines meet a thin set. Their weights have no meaning.
PerAxis<std::vector<LineNode>> search_nodes(Regions regions, Cell const& box) {
  constexpr int count = 9;  // odd: a pin is widest in the middle
  PerAxis<std::vector<LineNode>> nodes;
  for (int axis = 0; axis < 3; ++axis) {
    double const length = box[axis].length();
    if (!(length > 0.0)) {
      nodes[axis] = {{box[axis].middle(), 1.0}};
      continue;
    }
    for (int i = 0; i < count; ++i) {
      nodes[axis].push_back({box[axis].lower + (i + 0.5) / count * length, 1.0});
    }
    // A surface may leave the box between its ends and the outermost of these.
    constexpr double inset = 1e-6;
    nodes[axis].push_back({box[axis].lower + inset * length, 1.0});
    nodes[axis].push_back({box[axis].upper - inset * length, 1.0});
    std::vector<double> flat{box[axis].lower, box[axis].upper};
    for (Region const* region : regions) {
      if (!region->solid) continue;
      for (double const at :
           {region->solid->between[axis].lower, region->solid->between[axis].upper}) {
        if (box[axis].contains(at)) flat.push_back(at);
      }
    }
    std::ranges::sort(flat);
    for (std::size_t i = 0; flat.size() > 2 && i + 1 < flat.size(); ++i) {
      nodes[axis].push_back({0.5 * (flat[i] + flat[i + 1]), 1.0});
    }
  }
  return nodes;
}

/// What a place is: in a region, or in none.
enum class Side { open, covered };

/// Returns the part of a cell in which bounds of the regions leave a side possible; none if they
/// leave it nowhere.
std::optional<Cell> possible_part(Regions regions, Cell const& cell, Side side) {
  Cell part = cell;
  // What bounds of one of several regions exclude from it may be covered by another.
  if (side == Side::covered && regions.size() > 1) return part;
  for (Region const* region : regions) {
    if (!region->blocks) continue;
    auto const rest = region->blocks->uncertain_part(
        part, side == Side::open ? Certainty::inside : Certainty::outside);
    if (!rest) return std::nullopt;
    part = *rest;
  }
  return part;
}

void extend(Interval& all, Interval part) {
  if (!(part.length() > 0.0)) return;
  all = {std::min(all.lower, part.lower), std::max(all.upper, part.upper)};
}

/// Returns the box around what lines through a part of a cell find of a side.
/// @param within  contains all of that side
Cell box_by_lines(Regions regions, Cell const& cell, Side side, Cell const& within) {
  constexpr Interval nothing{1e300, -1e300};
  PerAxis<std::vector<LineNode>> const nodes = search_nodes(regions, within);
  Cell box{{nothing, nothing, nothing}};
  for (int axis = 0; axis < 3; ++axis) {
    Interval const line = cell[axis];
    for_each_line(axis, nodes, [&](PerAxis<double> const& place, double) {
      if (!(line.length() > 0.0)) return;
      double end = line.lower;
      for (auto const& [part, at_lower, at_upper] : covered_parts(regions, axis, place, line)) {
        extend(box[axis], side == Side::covered ? part : Interval{end, part.lower});
        end = part.upper;
      }
      if (side == Side::open) extend(box[axis], {end, line.upper});
    });
    if (box[axis].empty()) box[axis] = within[axis];
  }
  return box;
}

/// Returns a box around the surface in a cell: that around what is open, within that around what is
/// covered. None if there is no surface.
std::optional<Cell> box_of_surface(Regions regions, Cell const& cell) {
  Cell box = cell;
  for (Side const side : {Side::open, Side::covered}) {
    auto const possible = possible_part(regions, cell, side);
    if (!possible) return std::nullopt;
    // The first lines may miss the places where a round pin is widest.
    Cell const first = box_by_lines(regions, cell, side, *possible);
    Cell const found = box_by_lines(regions, cell, side, first);
    for (int axis = 0; axis < 3; ++axis) box[axis] = intersection(box[axis], found[axis]);
  }
  return box;
}

/// Returns the upper end of a point's cell along an axis. It lies beyond the middle of the gap,
/// where surfaces often are.
double end_of_cell(Grid const& grid, int axis, std::int64_t index) {
  constexpr double beyond_middle = 0.0317;
  if (index < 0) return grid.lower[axis];
  if (index >= grid.points[axis] - 1) return grid.upper(axis);
  return grid.coordinate(axis, index) + (0.5 + beyond_middle) * grid.gap(axis, index);
}

/// Returns the cell of a point. The cells of all points fill the grid.
Cell cell_of(Grid const& grid, Index3 global) {
  Cell cell;
  for (int axis = 0; axis < 3; ++axis) {
    double const at = grid.coordinate(axis, global[axis]);
    bool const exists = axis < grid.dimension && grid.points[axis] > 1;
    cell[axis] = exists ? Interval{end_of_cell(grid, axis, global[axis] - 1),
                                   end_of_cell(grid, axis, global[axis])}
                        : Interval{at, at};
  }
  return cell;
}

/// True if the cell of a point ends where a periodic axis closes.
bool lies_at_seam(Grid const& grid, Index3 global) {
  bool found = false;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    bool const is_at_end = global[axis] == 0 || global[axis] == grid.points[axis] - 1;
    found = found || (grid.periodic[axis] && grid.points[axis] > 1 && is_at_end);
  }
  return found;
}

}  // namespace

LineSurface surface_by_lines(Grid const& grid, Regions regions, Cell const& cell) {
  LineSurface surface;
  surface.of_regions.resize(regions.size());
  auto const box = box_of_surface(regions, cell);
  if (!box) return surface;
  double width = 1e300;  // of the cubes in which normals are found: small, so few contain an edge
  for (Interval const& side : *box) {
    constexpr double small = 0.02;
    if (side.length() > 0.0) width = std::min(width, small * side.length());
  }
  PerAxis<std::vector<LineNode>> nodes = quadrature_over(*box);
  for (int axis = 0; axis < 3; ++axis) {
    bool const is_flat = cell[axis].length() > 0.0 && !((*box)[axis].length() > 0.0);
    if (is_flat) nodes[axis].front().weight = 0.0;  // lines across the axis lie in the surface
  }
  for (int axis = 0; axis < 3; ++axis) {
    Interval const line = cell[axis];
    if (!(line.length() > 0.0)) continue;
    for_each_line(axis, nodes, [&](PerAxis<double> place, double weight) {
      auto const add = [&](Region const& region, double at, double sign) {
        if (at == line.lower || at == line.upper) return;
        place[axis] = at;
        double const area = weight * grid.metric(0, place[0]);
        double const term = area * normal_component(region, grid, axis, place, width);
        surface.terms[axis] += term;
        auto const number = std::ranges::find(regions, &region) - regions.begin();
        surface.of_regions[static_cast<std::size_t>(number)] += term;
        surface.vector[axis] += sign * area;
      };
      for (auto const& [part, at_lower, at_upper] : covered_parts(regions, axis, place, line)) {
        add(*at_lower, part.lower, -1.0);
        add(*at_upper, part.upper, 1.0);
      }
    });
  }
  return surface;
}

std::optional<PerAxis<double>> open_place(Regions regions, Cell const& cell) {
  auto const possible = possible_part(regions, cell, Side::open);
  if (!possible) return std::nullopt;
  PerAxis<std::vector<LineNode>> const nodes = search_nodes(regions, *possible);
  std::optional<PerAxis<double>> found;
  double longest = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    Interval const line = (*possible)[axis];
    if (!(line.length() > 0.0)) continue;
    for_each_line(axis, nodes, [&](PerAxis<double> place, double) {
      double end = line.lower;
      auto const examine = [&](double next) {
        if (next - end <= longest) return;
        longest = next - end;
        place[axis] = 0.5 * end + 0.5 * next;
        found = place;
      };
      for (auto const& [part, at_lower, at_upper] : covered_parts(regions, axis, place, line)) {
        examine(part.lower);
        end = part.upper;
      }
      examine(line.upper);
    });
  }
  return found;
}

std::optional<double> area_of_surface(Grid const& grid, Region const& region, GlobalBox within) {
  within = with_neighbours(grid, within);
  if (within.empty()) return 0.0;
  Extent3 const n = within.extent();
  std::vector<double> rows(static_cast<std::size_t>(n.y * n.z));
  std::array const regions{&region};
  for_each_row({within.lower, within.upper}, [&](std::int64_t j, std::int64_t k) {
    double& row = rows[static_cast<std::size_t>((j - within.lower.y) + n.y * (k - within.lower.z))];
    for (std::int64_t i = within.lower.x; i < within.upper.x; ++i) {
      Cell const cell = cell_of(grid, {i, j, k});
      double const share = covered_share(region, cell, middle_of(cell));
      // The surface may continue at the other end of a periodic axis.
      if (share > 0.0 && lies_at_seam(grid, {i, j, k})) row = std::nan("");
      if (share == 0.0 || share == 1.0) continue;
      row += surface_by_lines(grid, regions, cell).area();
    }
  });
  double const area = std::accumulate(rows.begin(), rows.end(), 0.0);
  return std::isnan(area) ? std::nullopt : std::optional(area);
}

}  // namespace isotherm
