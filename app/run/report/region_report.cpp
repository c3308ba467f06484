#include "app/run/report/region_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <utility>

#include "case/basics/text/text.hpp"
#include "decomposition/grid/point_name.hpp"
#include "decomposition/grid/point_number.hpp"
#include "kernels/core/error.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/discretise/shapes/cell.hpp"
#include "solver/discretise/shapes/face_shares.hpp"
#include "solver/discretise/shapes/films/surface_film.hpp"
#include "solver/discretise/shapes/lines/line_surface.hpp"
#include "solver/discretise/shapes/link_conductivity.hpp"
#include "solver/discretise/shapes/regional_source.hpp"

namespace isotherm::app {

namespace {

/// Volumes, and surfaces that volumes are cut by, are measured on at most this many points.
constexpr std::int64_t max_volumes = 20'000'000;
/// Expressions are evaluated at the points of at most this many.
constexpr std::int64_t max_points = 2'000'000;

/// True for the surface between two materials.
bool is_contact(PlacedRegion const& placed) { return placed.contact >= 0; }
/// True for the film on the surface of a [[fixed]] with h.
bool is_film(PlacedRegion const& placed) { return placed.kind == "film"; }
/// True if the measure is that of a surface within the grid, on which a fluid or a contact acts.
bool is_surface(PlacedRegion const& placed) {
  return placed.kind == "convection" || placed.kind == "radiation" || is_film(placed) ||
         is_contact(placed);
}

/// True if the measure of a region is an area: a patch, or a surface within the grid.
bool has_area(PlacedRegion const& placed) { return placed.face || is_surface(placed); }

/// Returns the number of the region that acts on a surface, in Medium::fixed.
int number_of_fluid(PlacedRegion const& placed, Problem const& problem) {
  auto const found = std::ranges::find_if(problem.medium.fixed, [&](FixedRegion const& region) {
    if (!is_film(placed)) return region.is_excluded && region.name == placed.name;
    return !region.is_excluded && region.film_coefficient &&
           region.where.text == placed.where.text &&
           (region.name.empty() || region.name == placed.name);
  });
  if (found == problem.medium.fixed.end()) throw Error("a surface has no region");
  return static_cast<int>(found - problem.medium.fixed.begin());
}

/// Returns the measure of a shape within the grid, of its section with a face, or of the surface on
/// which a film lies.
std::optional<double> asked_of(PlacedRegion const& placed, Grid const& grid) {
  if (is_film(placed)) {
    // Small regions are what needs a comparison. Larger ones have their areas, and take long.
    constexpr std::int64_t small_enough = 4'096;
    bool const is_known = !placed.by_points && placed.within.point_count() <= small_enough;
    return is_known ? area_of_surface(grid, placed.where, placed.within) : std::nullopt;
  }
  if (!placed.where.solid || is_surface(placed)) return std::nullopt;
  // The measures of shapes are those of Cartesian coordinates.
  if (grid.geometry != Geometry::cartesian) return std::nullopt;
  if (placed.face) return area_on(*placed.where.solid, grid, *placed.face);
  return placed.where.solid->measure(grid.dimension, extent_of(grid));
}

/// Returns the measure of an expression or a surface of triangles by samples, if what the grid
/// covers of it differs.
std::optional<double> differing_sample(PlacedRegion const& placed, Grid const& grid, double found) {
  constexpr double tolerance = 0.01, errors = 3.0;
  constexpr double few_hits = 10.0;  // the root of a hundred
  bool const is_sampled = !placed.where.solid && !placed.by_points && !placed.where.at_points &&
                          grid.geometry == Geometry::cartesian;
  if (!is_sampled) return std::nullopt;
  auto const [volume, error] = sampled_volume(grid, placed.where, placed.within);
  if (!(volume > few_hits * error)) return std::nullopt;
  bool const differs = std::abs(volume - found) > tolerance * volume + errors * error;
  return differs ? std::optional(volume) : std::nullopt;
}

/// Measures a region. The discrete measure is unknown for a source at a place, and for an
/// expression on a large grid.
MeasuredRegion measure(PlacedRegion const& placed, Problem const& problem) {
  bool const is_large = !placed.where.solid && problem.grid.point_count() > max_points;
  if (!placed.where.contains || is_large) {  // at a place, or an expression
    return {placed, placed.where.contains ? std::nullopt : asked_of(placed, problem.grid)};
  }
  MeasuredRegion measured{placed, asked_of(placed, problem.grid)};
  Region region = placed.where;
  region.at_points = placed.by_points;
  if (placed.by_points) region.solid.reset();
  if (placed.face) {
    measured.found = covered_area(problem, *placed.face, region);
    return measured;
  }
  if (placed.within.point_count() > max_volumes) return measured;
  if (is_surface(placed)) {
    measured.found = film_area(problem, number_of_fluid(placed, problem), placed.within);
    return measured;
  }
  if (placed.kind != "source") {
    measured.found = covered_volume(problem.grid, region, placed.within);
    measured.sampled = differing_sample(placed, problem.grid, *measured.found);
    return measured;
  }
  RegionalSource const source(problem, region, placed.within);
  measured.found = source.covered();
  measured.sampled = differing_sample(placed, problem.grid, *measured.found);
  if (source.covered() > 0.0) measured.heated_share = source.heated() / source.covered();
  return measured;
}

/// Returns the number of grid points on a face.
std::int64_t points_on(Grid const& grid, Face face) {
  return grid.point_count() / grid.points[face.axis];
}

/// Returns which points of the grid have a value that is shown, x fastest.
std::vector<char> shown_points(Problem const& problem) {
  std::vector<char> shown(static_cast<std::size_t>(problem.grid.point_count()));
  for (std::size_t i = 0; i < shown.size(); ++i) {
    Index3 const point = point_of_number(problem.grid.points, static_cast<std::int64_t>(i));
    shown[i] = is_excluded(problem, point) ? 0 : 1;
  }
  return shown;
}

/// True if a point, or one of up to 26 neighbours, is marked.
bool is_near(Grid const& grid, std::vector<char> const& marked, Index3 point) {
  for (int neighbour = 0; neighbour < 27; ++neighbour) {
    Index3 other = point;
    bool exists = true;
    for (int axis = 0, digits = neighbour; axis < 3; ++axis, digits /= 3) {
      other[axis] = grid.on_axis(axis, point[axis] + digits % 3 - 1);
      exists = exists && other[axis] >= 0 && other[axis] < grid.points[axis];
    }
    if (exists && marked[static_cast<std::size_t>(number_of_point(grid, other))] != 0) return true;
  }
  return false;
}

/// Returns true if a region of no size covers a part of the grid, so its deviation has no value.
bool is_added(MeasuredRegion const& region) {
  return region.asked && *region.asked == 0.0 && region.found && *region.found > 0.0;
}

/// Returns how a line begins: `material "copper"`, `source 2`, `contact copper to steel`, or
/// `patch "inlet" on z_upper`.
/// Regions without a name have their number.
std::string title_of(PlacedRegion const& placed) {
  bool const is_bare =
      is_contact(placed) || placed.name.find_first_not_of("0123456789") == std::string::npos;
  std::string const name = is_bare ? placed.name : '"' + placed.name + '"';
  if (!placed.face) return placed.kind + ' ' + name;
  return "patch " + name + " on " + isotherm::name(*placed.face);
}

/// Returns true if a region has less than the volume of a point, as with a wrong unit of length.
bool is_tiny(MeasuredRegion const& region, Grid const& grid) {
  if (has_area(region.placed) || !region.found || grid.geometry != Geometry::cartesian) {
    return false;
  }
  double volume = 1.0;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (grid.points[axis] == 1) continue;
    volume *= grid.length(axis) / static_cast<double>(grid.intervals(axis));
  }
  return *region.found > 0.0 && *region.found < 0.1 * volume;
}

/// Returns the line of a region, without the keyword in the first column.
std::string line_of(MeasuredRegion const& region, Grid const& grid) {
  PlacedRegion const& placed = region.placed;
  bool const is_part_of_surface = has_area(placed);
  bool const is_radial = grid.geometry != Geometry::cartesian;
  bool const is_volume = !is_part_of_surface && (grid.dimension == 3 || is_radial);
  // A line has the area 1 across it.
  bool const is_line = grid.dimension == 2 && grid.points.y == 1;
  bool const is_length =
      !is_radial && (is_line ? !is_part_of_surface : is_part_of_surface && grid.dimension == 2);
  std::string text = title_of(placed);
  if (placed.power) text += fmt::format(", power {:g}", *placed.power);
  if (region.found) {
    text += fmt::format(", {} {:.6g}",
                        is_volume   ? "volume"
                        : is_length ? "length"
                                    : "area",
                        *region.found);
  }
  if (is_tiny(region, grid)) text += ", far less than a point's: is its unit that of the grid?";
  if (is_added(region)) text += " (asked 0)";
  if (auto const deviation = region.deviation()) {
    if (std::abs(*deviation) > 1e-3) {
      text += fmt::format(" (asked {:.6g}: {:+.2g} %{})", *region.asked, 100.0 * *deviation,
                          placed.by_points ? ", as it is the set of the grid points inside" : "");
    }
  }
  if (region.sampled) {
    text += fmt::format(" (by samples {:.4g}: {:+.2g} %)", *region.sampled,
                        100.0 * (*region.found / *region.sampled - 1.0));
  }
  if (region.found && *region.found == 0.0) {
    text += region.asked == 0.0 ? ", as asked" : ": " + reason_for_zero(placed.kind);
  }
  if (region.heated_share < 1.0 - 1e-9) {
    text += fmt::format("; {:.2g} % of it cannot be heated", 100.0 * (1.0 - region.heated_share));
  }
  return text;
}

/// Returns a warning if the grid covers another measure of a region than its shape has; else an
/// empty text.
std::string remark_on_measure(MeasuredRegion const& region) {
  constexpr double tolerance = 0.01;
  std::string const title = title_of(region.placed);
  auto const deviation = region.deviation();
  if (is_film(region.placed) && deviation && std::abs(*deviation) > tolerance) {
    return fmt::format(
        "the {} acts on {:.2g} % {} area than its surface has; a finer grid, or a convection on an "
        "insulated region, has the true area",
        title, 100.0 * std::abs(*deviation), *deviation > 0.0 ? "more" : "less");
  }
  if (!region.sampled) return "";
  double const difference = *region.found / *region.sampled - 1.0;
  return fmt::format(
      "the grid covers {:.2g} % {} than the {} contains; parts that are thinner than half a "
      "spacing "
      "may be missed: describe them by box, ball or cylinder, or take a finer grid",
      100.0 * std::abs(difference), difference > 0.0 ? "more" : "less", title);
}

/// Returns true if a region may need the user's attention: its measures differ, a part of it cannot
/// be heated, or it contains no point.
bool is_remarkable(MeasuredRegion const& region) {
  auto const deviation = region.deviation();
  return (deviation && std::abs(*deviation) > 1e-3) || is_added(region) || region.sampled ||
         region.heated_share < 1.0 - 1e-9 || (region.found == 0.0 && region.asked != 0.0);
}

}  // namespace

std::string reason_for_zero(std::string const& kind) {
  if (kind == "contact") return "the materials do not touch, or only in insulated or fixed regions";
  if (kind == "convection" || kind == "radiation") return "has no surface in the grid";
  return "contains no point";
}

std::optional<double> MeasuredRegion::deviation() const {
  if (!asked || !found || *asked == 0.0) return std::nullopt;
  return *found / *asked - 1.0;
}

std::vector<MeasuredRegion> measure_regions(Case const& chosen) {
  Problem const& problem = chosen.problem;
  std::vector<double> areas;  // one pass over the grid measures all contacts
  if (!problem.medium.contacts.empty() && problem.grid.point_count() <= max_volumes) {
    areas = contact_areas(problem);
  }
  std::vector<MeasuredRegion> all;
  for (PlacedRegion const& placed : chosen.regions) {
    if (!is_contact(placed)) {
      all.push_back(measure(placed, problem));
      continue;
    }
    all.push_back({placed});
    if (!areas.empty()) all.back().found = areas.at(static_cast<std::size_t>(placed.contact));
  }
  return all;
}

std::vector<std::string> remarks_on_regions(std::vector<MeasuredRegion> const& regions) {
  std::vector<std::string> remarks;
  for (MeasuredRegion const& region : regions) {
    PlacedRegion const& placed = region.placed;
    std::string remark = remark_on_measure(region);
    if (!remark.empty()) remarks.push_back(std::move(remark));
    if (!is_surface(placed) || is_film(placed) || region.found != 0.0 || region.asked == 0.0) {
      continue;
    }
    remarks.push_back("the " + title_of(placed) + " acts nowhere, because " +
                      (is_contact(placed) ? "" : "it ") + reason_for_zero(placed.kind));
  }
  return remarks;
}

std::vector<std::string> remarks_on_thin_parts(Problem const& problem) {
  Grid const& grid = problem.grid;
  // Larger grids would delay the start of the run.
  constexpr std::int64_t max_examined = 200'000;
  if (!may_exclude_points(problem) || grid.point_count() > max_examined) return {};
  std::vector<char> const is_shown = shown_points(problem);
  std::vector<int> constraints(static_cast<std::size_t>(grid.points.x));
  std::int64_t count = 0;
  std::optional<Index3> first;
  for (std::int64_t number = 0; number < grid.point_count(); ++number) {
    Index3 const point = point_of_number(grid.points, number);
    if (point.x == 0) find_constraints(problem, point, constraints);
    bool const is_unknown = constraints[static_cast<std::size_t>(point.x)] == constraint::none;
    if (!is_unknown || is_near(grid, is_shown, point)) continue;
    if (!first) first = point;
    ++count;
  }
  if (!first) return {};
  return {fmt::format(
      "{} of the medium {} near no grid point of it, the first at {}: parts of the medium are "
      "thinner than the spacing, and pictures, extremes and probes leave them out (take a finer "
      "grid)",
      format_count(count, "control volume"), count == 1 ? "lies" : "lie",
      point_name(grid, *first))};
}

std::vector<std::string> remarks_on_fluxes(Problem const& problem) {
  std::vector<std::string> remarks;
  Problem whole = problem;  // without insulated regions
  whole.medium.insulated.clear();
  std::erase_if(whole.medium.fixed, [](FixedRegion const& one) { return one.is_excluded; });
  auto const add = [&](std::string const& what, Face face, BoundaryCondition const& condition,
                       std::optional<std::size_t> patch) {
    ScalarFunction const& value = condition.value;
    bool const is_flux = condition.kind == BoundaryKind::neumann && condition.is_flux;
    if (!is_flux || !value.is_constant() || value.is_zero()) return;
    if (points_on(problem.grid, face) > max_volumes || flux_area(problem, face, patch) > 0.0)
      return;
    double const area = flux_area(whole, face, patch);
    if (area == 0.0) return;
    remarks.push_back(
        fmt::format("the flux {:g} of {} enters nowhere, because insulated regions shut all of it: "
                    "the power is "
                    "0 instead of {:.6g}",
                    value.constant, what, value.constant * area));
  };
  if (!may_exclude_points(problem)) return remarks;
  for (Face const face : faces(problem.grid)) {
    add("the face " + name(face), face, problem.boundary[face], std::nullopt);
  }
  for (std::size_t i = 0; i < problem.patches.size(); ++i) {
    BoundaryPatch const& patch = problem.patches[i];
    add(fmt::format("patch {} on {}", i + 1, name(patch.face)), patch.face, patch.condition, i);
  }
  return remarks;
}

std::vector<std::string> region_lines(std::vector<MeasuredRegion> const& regions,
                                      Grid const& grid) {
  constexpr std::size_t maximum = 20;
  std::vector<std::string> lines;
  std::size_t others = 0;
  for (MeasuredRegion const& region : regions) {
    bool const is_shown =
        regions.size() <= maximum || (is_remarkable(region) && lines.size() < maximum);
    if (is_shown) lines.push_back(line_of(region, grid));
    if (!is_shown) ++others;
  }
  if (others > 0) lines.push_back(fmt::format("and {} more", others));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i] = fmt::format("{:<14}{}", i == 0 ? "regions" : "", lines[i]);
  }
  return lines;
}

}  // namespace isotherm::app
