#include "solver/discretise/shapes/open_shares.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kernels/core/connections.hpp"
#include "kernels/core/text.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/region_rows.hpp"
#include "solver/discretise/shapes/covered_link.hpp"
#include "solver/discretise/shapes/lines/line_surface.hpp"
#include "solver/discretise/shapes/lines/open_layers.hpp"
#include "solver/discretise/shapes/mixture.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Links with a smaller open share are shut. A nearly floating point would cost digits.
constexpr double minimum_open_link = 1e-6;

bool has_surface(Region const& region) { return !region.at_points; }
bool is_expression(Region const& region) { return !region.at_points && !region.solid; }

/// What insulated and fixed regions cover of a cell: fractions between 0 and 1.
struct Covered {
  double insulated = 0.0;
  double fixed = 0.0;
};

/// Returns what an insulated region and the fixed regions cover of a cell, or several insulated
/// regions together. The flat surfaces of boxes divide the cell first.
Covered covered_by(std::span<Region const* const> insulated, Problem const& problem,
                   Cell const& cell, PerAxis<double> const& point) {
  std::vector<Region const*> regions(insulated.begin(), insulated.end());
  for (FixedRegion const& fixed : problem.medium.fixed) {
    if (!fixed.is_excluded) regions.push_back(&fixed.where);
  }
  Covered covered;
  double volume = 0.0;
  for (Cell const& part : cut_by_boxes(cell, regions)) {
    Mixture mixture(regions.size() + 1);
    for (std::size_t i = 0; i < regions.size(); ++i) {
      mixture.set_share(i + 1, covered_share(problem.grid, *regions[i], part, point));
    }
    volume += volume_of(problem.grid, part);
    for (std::size_t i = 0; i < regions.size(); ++i) {
      (i < insulated.size() ? covered.insulated : covered.fixed) +=
          volume_of(problem.grid, part) * mixture.fraction(i + 1);
    }
  }
  return {covered.insulated / volume, covered.fixed / volume};
}

/// Returns the insulated regions with surfaces that cover a part of a cell.
std::vector<Region const*> regions_in(Problem const& problem, Cell const& cell,
                                      PerAxis<double> const& point) {
  std::vector<Region const*> found;
  for_each_shutting(problem, [&](Region const& region) {
    if (covered_share(problem.grid, region, cell, point) > 0.0) found.push_back(&region);
  });
  return found;
}

Covered covered_of(Problem const& problem, Cell const& cell, PerAxis<double> const& point) {
  // Most cells lie in no insulated region.
  auto const regions = regions_in(problem, cell, point);
  return regions.empty() ? Covered{} : covered_by(regions, problem, cell, point);
}

/// True if a single region shuts a whole cell.
bool is_filled_by_one(Problem const& problem, Cell const& cell, PerAxis<double> const& point) {
  bool found = false;
  for_each_shutting(problem, [&](Region const& region) {
    found = found || covered_share(problem.grid, region, cell, point) == 1.0;
  });
  return found;
}

/// Returns the mean over the parts of a point's control volume of a function of them.
template <class Function>
double mean_of_volume(Grid const& grid, Index3 global, Function const& function) {
  double sum = 0.0, volume = 0.0;
  for_each_part(grid, global, [&](Cell const& part) {
    sum += volume_of(grid, part) * function(part);
    volume += volume_of(grid, part);
  });
  return sum / volume;
}

/// True if a place lies in an insulated region given by an expression, and in no fixed region.
bool is_hidden(Problem const& problem, PerAxis<double> const& place) {
  bool hides = false;
  for_each_shutting(problem, [&](Region const& region) {
    hides = hides || (is_expression(region) && contains(region, place));
  });
  if (!hides) return false;
  return std::ranges::none_of(problem.medium.fixed, [&](FixedRegion const& fixed) {
    return !fixed.is_excluded && contains(fixed.where, place);
  });
}

bool has_expressions(Problem const& problem) {
  bool has = false;
  for_each_shutting(problem, [&](Region const& region) { has = has || is_expression(region); });
  return has;
}

/// True if a region certainly contains no place of a box.
bool is_apart(Region const& region, Cell const& box) {
  if (!region.solid) return region.certainty_in(box) == Certainty::outside;
  Cell const bounds = bounds_of(*region.solid);
  for (int axis = 0; axis < 3; ++axis) {
    double const margin = coincidence * box[axis].length();
    Interval const wider{box[axis].lower - margin, box[axis].upper + margin};
    if (intersection(bounds[axis], wider).empty()) return true;
  }
  return false;
}

/// True if no region shuts a part of a link or of its face. Cheap, and true for most links.
bool is_untouched(Problem const& problem, Link const& link, Cell box) {
  box[link.axis] = link.along;
  bool untouched = true;
  for_each_shutting(problem,
                    [&](Region const& region) { untouched = untouched && is_apart(region, box); });
  return untouched;
}

/// True if none of eight places between two ends, nor the ends, are hidden.
bool is_clear(Problem const& problem, PerAxis<double> const& from, PerAxis<double> const& to) {
  constexpr int parts = 8;
  for (int i = 0; i <= parts; ++i) {
    double const share = static_cast<double>(i) / parts;
    PerAxis<double> place{};
    for (int axis = 0; axis < 3; ++axis) {
      place[axis] = (1.0 - share) * from[axis] + share * to[axis];
    }
    if (is_hidden(problem, place)) return false;
  }
  return true;
}

/// The corners of a cell, over the axes on which it has a length. Bit `axis` of a corner's number
/// chooses its upper end. The corners lie a little inside, since surfaces may coincide with faces.
struct Corners {
  explicit Corners(Cell const& whole) : cell(whole) {
    for (unsigned axis = 0; axis < 3; ++axis) {
      if (cell[static_cast<int>(axis)].length() > 0.0) axes |= 1U << axis;
    }
  }
  [[nodiscard]] bool exists(unsigned corner) const { return (corner & ~axes) == 0; }
  [[nodiscard]] PerAxis<double> place(unsigned corner) const {
    PerAxis<double> place{};
    for (int axis = 0; axis < 3; ++axis) {
      double const margin = coincidence * cell[axis].length();
      place[axis] =
          ((corner >> axis) & 1U) != 0 ? cell[axis].upper - margin : cell[axis].lower + margin;
    }
    return place;
  }

  Cell cell;
  unsigned axes = 0;  ///< a bit for each axis with a length
};

/// True if the corners of a cell that are not hidden are connected along its edges. If all are
/// hidden, the medium is thinner than the cell, as a pin is.
bool has_connected_corners(Problem const& problem, Cell const& cell) {
  Corners const corners(cell);
  std::array<bool, 8> open{};
  for (unsigned corner = 0; corner < open.size(); ++corner) {
    open[corner] = corners.exists(corner) && !is_hidden(problem, corners.place(corner));
  }
  Connections connected(open.size());
  for (unsigned corner = 0; corner < open.size(); ++corner) {
    for (unsigned bit = 1; bit < open.size(); bit <<= 1U) {
      unsigned const other = corner | bit;
      if (other == corner || !open[corner] || !open[other]) continue;
      if (is_clear(problem, corners.place(corner), corners.place(other))) {
        connected.join(corner, other);
      }
    }
  }
  std::size_t components = 0;
  for (std::size_t corner = 0; corner < open.size(); ++corner) {
    if (open[corner] && connected(corner) == corner) ++components;
  }
  return components <= 1;
}

/// True if a path leads from one point of a link through its face to the other without entering a
/// region given by an expression. If a point is hidden, the path begins at a corner of the face, or
/// at another place of it if all corners are hidden.
bool has_path(Problem const& problem, Link const& link, Cell face) {
  double const middle = link.along.middle();
  face[link.axis] = {middle, middle};
  PerAxis<double> const lower = link.place(link.along.lower), upper = link.place(link.along.upper);
  bool const hides_lower = is_hidden(problem, lower), hides_upper = is_hidden(problem, upper);
  auto const leads_through = [&](PerAxis<double> const& place) {
    return !is_hidden(problem, place) && (hides_lower || is_clear(problem, lower, place)) &&
           (hides_upper || is_clear(problem, place, upper));
  };
  if (!hides_lower && !hides_upper && leads_through(link.place(middle))) return true;
  Corners const corners(face);
  bool all_hidden = true;
  for (unsigned corner = 0; corner < 8; ++corner) {
    if (!corners.exists(corner)) continue;
    if (leads_through(corners.place(corner))) return true;
    all_hidden = all_hidden && is_hidden(problem, corners.place(corner));
  }
  // A medium that is thinner than the face may contain none of its corners.
  auto const place = all_hidden ? open_place(shutting_regions_of(problem), face) : std::nullopt;
  return place && leads_through(*place);
}

/// Returns the coordinate of the flat sheet that a region forms across a link, if it lies between
/// two faces of control volumes and belongs to this link.
std::optional<double> sheet_across(Region const& region, Link const& link, Grid const& grid,
                                   Index3 lower) {
  if (!region.solid) {
    auto const sheet = flat_sheet_between(region, link);
    bool const covers_face = sheet && sheet->contains(link.along.middle());
    return sheet && !covers_face ? std::optional(sheet->middle()) : std::nullopt;
  }
  if (region.solid->round[link.axis]) return std::nullopt;
  int const axis = link.axis;
  Interval const whole{grid.lower[axis], grid.upper(axis)};
  Interval const sheet = intersection(region.solid->between[axis], whole);
  if (sheet.empty()) return std::nullopt;
  // A layer at the end of the grid has one side only.
  bool const at_end = sheet.lower <= whole.lower || sheet.upper >= whole.upper;
  if (at_end && !grid.periodic[axis]) return std::nullopt;
  double const at = sheet.middle();
  if (!(at >= link.along.lower && at < link.along.upper)) return std::nullopt;
  // The faces on both sides of the link's own one.
  std::int64_t const index = lower[axis];
  double const below =
      index > 0 ? link.along.lower - 0.5 * grid.gap(axis, index - 1) : link.along.lower;
  double const above = index + 1 < grid.intervals(axis)
                           ? link.along.upper + 0.5 * grid.gap(axis, index + 1)
                           : link.along.upper;
  bool const is_thin =
      sheet.lower > below && sheet.upper < above && !sheet.contains(link.along.middle());
  return is_thin ? std::optional(at) : std::nullopt;
}

/// False if the flat ends of a solid do not lie between both points of a link.
bool may_lie_between(Region const& region, Link const& link) {
  if (!region.solid) return true;
  if (region.solid->round[link.axis]) return false;
  Interval const sheet = region.solid->between[link.axis];
  return sheet.lower > link.along.lower && sheet.upper < link.along.upper;
}

/// Returns the open fraction of a part of a link's face.
double open_share_of_part(Problem const& problem, Link const& link, Index3 lower, Cell face) {
  PerAxis<double> const point = link.lower_point;
  auto const at = [&](double place) {
    face[link.axis] = {place, place};
    return face;
  };
  double open = 1.0 - covered_of(problem, at(link.along.middle()), point).insulated;
  // The surface of an expression may coincide with the face. A face with a region on either side is
  // shut.
  if (open > 0.0 && has_expressions(problem)) {
    double const step = coincidence * link.along.length();
    for (double const shifted : {link.along.middle() - step, link.along.middle() + step}) {
      open = std::min(open, 1.0 - covered_of(problem, at(shifted), point).insulated);
    }
  }
  auto const shut_by_sheet = [&](Region const& region) {
    auto const sheet = sheet_across(region, link, problem.grid, lower);
    if (!sheet) return;
    Region const* const alone = &region;
    open *= 1.0 - covered_by({&alone, 1}, problem, at(*sheet), point).insulated;
  };
  for (Region const& region : problem.medium.insulated) {
    if (has_surface(region)) shut_by_sheet(region);
  }
  // A fluid that contains points has films on the links to them instead.
  for (FixedRegion const& fixed : problem.medium.fixed) {
    if (has_film_on_surface(fixed) && may_lie_between(fixed.where, link))
      shut_by_sheet(fixed.where);
  }
  return open;
}

/// Returns the regions that shut parts of volumes, to find rows that they do not touch.
std::shared_ptr<NearRegions const> shutting_regions(Problem const& problem) {
  std::vector<Region> regions;
  for_each_shutting(problem, [&](Region const& region) { regions.push_back(region); });
  return std::make_shared<NearRegions const>(problem.grid, std::move(regions));
}

/// True if a point lies in a fluid that is known at points only.
bool is_fluid_point(Problem const& problem, Index3 global) {
  PerAxis<double> const point = place_of(problem.grid, global);
  return std::ranges::any_of(problem.medium.fixed, [&](FixedRegion const& region) {
    return region.is_excluded && region.where.at_points && contains(region.where, point);
  });
}

/// Returns how far a region reaches from a place in it along an axis, but not beyond an end; −1 if
/// rounding puts the place outside.
double reach_inside(Region const& region, int axis, PerAxis<double> const& place, double end) {
  Interval const line{std::min(place[axis], end), std::max(place[axis], end)};
  double reach = -1.0;
  for (Interval const& part : parts_of(region, axis, place, line)) {
    if (!part.contains(place[axis])) continue;
    reach =
        std::max(reach, end > place[axis] ? part.upper - place[axis] : place[axis] - part.lower);
  }
  return reach;
}

/// True if a fluid that contains a point is thinner than the point's control volume along an axis.
/// Where the axis closes, copies of the fluid may lie on both sides of the point.
bool is_thin_along(Problem const& problem, FixedRegion const& fluid, int axis, Index3 global) {
  Grid const& grid = problem.grid;
  auto const [first, second] = volume_intervals(grid, axis, global[axis]);
  if (!(first.length() > 0.0)) return false;
  bool const closes = second.length() > 0.0;
  double below = -1.0, above = -1.0;  // negative: no fluid is there
  for (PerAxis<double> const& place : places_of(grid, global)) {
    bool const is_end = closes && place[axis] > first.upper;
    for (FixedRegion const& other : problem.medium.fixed) {
      bool const counts = &other == &fluid || (closes && has_film_on_surface(other));
      if (!counts || !contains(other.where, place)) continue;
      if (!is_end) above = std::max(above, reach_inside(other.where, axis, place, first.upper));
      if (is_end || !closes) {
        double const end = is_end ? second.lower : first.lower;
        below = std::max(below, reach_inside(other.where, axis, place, end));
      }
    }
  }
  double const at = grid.coordinate(axis, global[axis]);
  double const width_below = closes ? second.length() : at - first.lower;
  double const width_above = first.upper - at;
  // A fluid whose surface coincides with a face is as thick as the volume there.
  double const margin = coincidence * (width_below + width_above);
  return below >= 0.0 && above >= 0.0 && below < width_below - margin &&
         above < width_above - margin;
}

/// True if fluids alone shut all links of a point. Their films determine its value, as that of a
/// thin plate in a grid of one axis. @pre  all links are shut
bool is_between_fluids(Problem const& problem, Index3 global) {
  PerAxis<double> const point = place_of(problem.grid, global);
  bool are_fluids = has_films_on_surfaces(problem);
  for_each_part(problem.grid, global, [&](Cell part) {
    // Up to the neighbours, between which a fluid may lie.
    for (int axis = 0; axis < problem.grid.dimension; ++axis) {
      double const more = part[axis].length();
      part[axis] = {part[axis].lower - more, part[axis].upper + more};
    }
    for (Region const* region : regions_in(problem, part, point)) {
      auto const is_region = [&](FixedRegion const& fixed) { return &fixed.where == region; };
      are_fluids =
          are_fluids && region->solid && std::ranges::any_of(problem.medium.fixed, is_region);
    }
  });
  return are_fluids;
}

/// The heat capacity of the open parts of control volumes, by layers.
class OpenCapacity {
 public:
  OpenCapacity(Problem problem, std::vector<MediumLayer> layers)
      : problem_(std::move(problem)), layers_(std::move(layers)) {}

  /// Returns the mean capacity of what is open in a point's volume, for a value of the field if
  /// layers depend on it; none if no line through the volume finds it.
  [[nodiscard]] std::optional<double> mean_at(Index3 global, double u) const {
    double sum = 0.0, open = 0.0;
    for (auto const& [layer, share, place] : layers_at(global)) {
      sum += share * layers_[layer].values[0](place[0], place[1], place[2], u);
      open += share;
    }
    return open > 0.0 ? std::optional(sum / open) : std::nullopt;
  }

 private:
  /// Returns the layers of a point. Those of the last one are kept for each thread, since several
  /// values of u follow one another at a point.
  [[nodiscard]] std::vector<OpenLayer> const& layers_at(Index3 global) const {
    struct Kept {
      std::weak_ptr<bool const> owner{};
      Index3 point{};
      std::vector<OpenLayer> layers{};
    };
    thread_local Kept kept;
    if (kept.owner.lock() != identity_ || kept.point != global) {
      kept = {{}, global, open_layers(problem_, layers_, global)};
      kept.owner = identity_;
    }
    return kept.layers;
  }

  Problem const problem_;
  std::vector<MediumLayer> const layers_;
  std::shared_ptr<bool const> const identity_ = std::make_shared<bool const>(true);
};

}  // namespace

bool has_open_shares(Problem const& problem) {
  return std::ranges::any_of(problem.medium.insulated, has_surface) ||
         has_films_on_surfaces(problem);
}

double open_share(Problem const& problem, Cell const& cell, PerAxis<double> const& point) {
  return 1.0 - covered_of(problem, cell, point).insulated;
}

double open_share_of_volume(Problem const& problem, Index3 global) {
  if (!has_open_shares(problem)) return 1.0;
  PerAxis<double> const point = place_of(problem.grid, global);
  return mean_of_volume(problem.grid, global,
                        [&](Cell const& part) { return open_share(problem, part, point); });
}

double open_share_on(Problem const& problem, Face face, Cell section,
                     PerAxis<double> const& point) {
  double const on_face = open_share(problem, section, point);
  if (on_face == 0.0) return 0.0;
  // A flat surface that ends short of the face by rounding lies on it.
  double const inwards = coincidence * problem.grid.spacing[face.axis] * (face.upper ? -1.0 : 1.0);
  double const at = section[face.axis].lower + inwards;
  section[face.axis] = {at, at};
  double const inside = open_share(problem, section, point);
  constexpr double leap = 1e-6;
  return inside < on_face - leap ? inside : on_face;
}

double open_share_of_boundary(Problem const& problem, Face face, Index3 global) {
  if (!has_open_shares(problem)) return 1.0;
  PerAxis<double> const point = place_of(problem.grid, global);
  return mean_of_volume(problem.grid, global, [&](Cell part) {
    part[face.axis] = {point[face.axis], point[face.axis]};
    return open_share_on(problem, face, part, point);
  });
}

double open_share_of_link(Problem const& problem, int axis, Index3 lower) {
  if (!has_open_shares(problem)) return 1.0;
  Link const link = make_link(problem.grid, axis, lower);
  std::vector<Region const*> const regions = shutting_regions_of(problem);
  double open = 0.0, area = 0.0;
  for (Cell const& section : sections_of(problem.grid, axis, lower)) {
    if (is_untouched(problem, link, section)) {
      open += volume_of(problem.grid, section);
      area += volume_of(problem.grid, section);
      continue;
    }
    if (has_expressions(problem) && !has_path(problem, link, section)) {
      area += volume_of(problem.grid, section);
      continue;
    }
    for (Cell const& face : cut_by_boxes(section, regions, axis)) {
      open += volume_of(problem.grid, face) * open_share_of_part(problem, link, lower, face);
      area += volume_of(problem.grid, face);
    }
  }
  double const share = open / area;
  return share < minimum_open_link ? 0.0 : std::min(share, 1.0);
}

double open_share_within(Problem const& problem, Region const& region, Index3 global) {
  PerAxis<double> const point = place_of(problem.grid, global);
  return mean_of_volume(problem.grid, global, [&](Cell const& cell) {
    if (!has_open_shares(problem)) return covered_share(problem.grid, region, cell, point);
    auto regions = regions_in(problem, cell, point);
    if (regions.empty()) return covered_share(problem.grid, region, cell, point);
    regions.push_back(&region);
    double sum = 0.0;
    for (Cell const& part : cut_by_boxes(cell, regions)) {
      sum += volume_of(problem.grid, part) * covered_share(problem.grid, region, part, point) *
             open_share(problem, part, point);
    }
    return sum / volume_of(problem.grid, cell);
  });
}

bool is_in_thin_fluid(Problem const& problem, Index3 global) {
  Grid const& grid = problem.grid;
  for (FixedRegion const& fixed : problem.medium.fixed) {
    if (!has_film_on_surface(fixed) || !place_inside(fixed.where, grid, global)) continue;
    for (int axis = 0; axis < grid.dimension; ++axis) {
      if (is_thin_along(problem, fixed, axis, global)) return true;
    }
  }
  return false;
}

bool is_insulated_point(Problem const& problem, Index3 global) {
  if (problem.medium.insulated.empty()) return false;
  PerAxis<double> const point = place_of(problem.grid, global);
  return std::ranges::any_of(problem.medium.insulated, [&](Region const& region) {
    return region.at_points && contains(region, point);
  });
}

bool is_open(Problem const& problem, Index3 global) {
  Grid const& grid = problem.grid;
  if (!has_open_shares(problem) || is_insulated_point(problem, global)) return false;
  if (is_fluid_point(problem, global)) return false;
  PerAxis<double> const point = place_of(grid, global);
  // Most points inside are far from the surface.
  bool const is_filled = mean_of_volume(grid, global, [&](Cell const& part) {
                           return is_filled_by_one(problem, part, point) ? 1.0 : 0.0;
                         }) == 1.0;
  if (is_filled || is_in_thin_fluid(problem, global)) return false;
  // Only the medium counts: a fixed region needs no unknown.
  double const share = mean_of_volume(grid, global, [&](Cell const& part) {
    Covered const covered = covered_of(problem, part, point);
    return 1.0 - covered.insulated - covered.fixed;
  });
  if (share < minimum_open_share) return false;
  if (is_hidden(problem, point)) {
    Cell cell;
    for (int axis = 0; axis < 3; ++axis) cell[axis] = volume_intervals(grid, axis, global[axis])[0];
    if (!has_connected_corners(problem, cell)) return false;
  }
  for (int axis = 0; axis < grid.dimension; ++axis) {
    Index3 before = global;
    before[axis] = grid.on_axis(axis, global[axis] - 1);
    if (grid.points[axis] == 1) continue;
    if (global[axis] < grid.intervals(axis) && open_share_of_link(problem, axis, global) > 0.0) {
      return true;
    }
    if (before[axis] >= 0 && open_share_of_link(problem, axis, before) > 0.0) return true;
  }
  return is_between_fluids(problem, global);
}

bool is_shut_in(Problem const& problem, Index3 global) {
  // Solids include their surface, so those that fill a volume contain its point.
  bool has_expression = false;
  for_each_shutting(problem, [&](Region const& region) {
    has_expression = has_expression || is_expression(region);
  });
  if (!has_expression) return false;
  Cell cell;
  for (int axis = 0; axis < 3; ++axis) {
    Interval const first = volume_intervals(problem.grid, axis, global[axis])[0];
    // Places within the volume, since a region may begin at the plane of a face.
    double const quarter = 0.25 * first.length();
    cell[axis] = {first.lower + quarter, first.upper - quarter};
  }
  // Most volumes have such a place outside of all regions.
  Corners const corners(cell);
  for (unsigned corner = 0; corner < 8; ++corner) {
    if (!corners.exists(corner)) continue;
    PerAxis<double> const place = corners.place(corner);
    bool shuts = false;
    for_each_shutting(problem,
                      [&](Region const& region) { shuts = shuts || contains(region, place); });
    if (!shuts) return false;
  }
  return !(open_share_of_volume(problem, global) > 0.0);
}

ScalarFunction source_in_open_part(Problem const& problem, ScalarFunction const& source) {
  if (!has_open_shares(problem) || source.is_zero()) return source;
  ScalarFunction function = source;
  function.text = source.is_constant() ? shortest(source.constant) : source.text;
  function.varies_along = {true, true, true};
  function.evaluate = [kept = std::make_shared<Problem const>(problem), source,
                       near = shutting_regions(problem)](double x, double y, double z, double t) {
    if (!near->any_at(x, y, z)) return source(x, y, z, t);
    double const share = open_share_of_volume(*kept, nearest_point(kept->grid, {x, y, z}));
    // The value need not be finite in the region.
    return share == 0.0 ? 0.0 : share * source(x, y, z, t);
  };
  return function;
}

ScalarFunction capacity_of_open_part(Problem const& problem, ScalarFunction const& capacity,
                                     std::vector<MediumLayer> const& layers) {
  if (!has_open_shares(problem)) return capacity;
  ScalarFunction function = capacity;
  function.text = capacity.is_constant() ? shortest(capacity.constant) : capacity.text;
  function.varies_along = {true, true, true};
  auto const in_layers =
      layers.size() > 1 ? std::make_shared<OpenCapacity>(problem, layers) : nullptr;
  function.evaluate = [kept = std::make_shared<Problem const>(problem), capacity, in_layers,
                       near = shutting_regions(problem)](double x, double y, double z, double t) {
    if (!near->any_at(x, y, z)) return capacity(x, y, z, t);
    Index3 const global = nearest_point(kept->grid, {x, y, z});
    double const share = open_share_of_volume(*kept, global);
    if (share < minimum_open_share) return capacity(x, y, z, t);
    auto const mean = in_layers && share < 1.0 ? in_layers->mean_at(global, t) : std::nullopt;
    return share * (mean ? *mean : capacity(x, y, z, t));
  };
  return function;
}

}  // namespace isotherm
