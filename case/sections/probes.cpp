#include <algorithm>
#include <array>

#include "case/basics/text/wording.hpp"
#include "case/sections/parts.hpp"
#include "decomposition/field/point_sampler.hpp"
#include "decomposition/grid/nearest_plane.hpp"
#include "kernels/core/text.hpp"
#include "solver/discretise/flux/heat_content.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {
namespace {

/// Reads a line: two different ends, and the number of places between them.
Probe::Line read_line(CaseSection const& section, Grid const& grid) {
  constexpr std::int64_t max_points = 100'000;
  for (char const* const key : {"from", "to"})
    section.require_key(key, "a position, as in " + std::string(key) + " = [0.5, 0.5, 0.5]");
  section.require_key("points", "the number of points on the line, as in points = 101");
  Probe::Line const line{read_place(section, "from", grid), read_place(section, "to", grid),
                         section.whole("points", 0, 2)};
  if (line.points > max_points) {
    section.fail("points", "is " + std::to_string(line.points) + " (needs at most " +
                               std::to_string(max_points) + ')');
  }
  if (line.from == line.to)
    section.fail("to", "is the same position as from (for a point write at = ...)");
  return line;
}

/// Reads a plane normal to an axis. It is moved to the nearest plane of grid points.
Probe::Plane read_plane(CaseSection const& probe, Grid const& grid) {
  CaseSection const section = probe.section("plane");
  std::optional<Probe::Plane> plane;
  for (int axis = 0; axis < 3; ++axis) {
    std::string const key = axis_name(axis);
    if (!section.has(key)) continue;
    if (axis >= grid.dimension) section.fail(key, "is not an axis of this grid, which is 2D");
    if (plane)
      probe.fail("plane", "names two axes (needs only the one perpendicular to the plane)");
    double const coordinate = section.number(key, 0.0);
    if (!is_inside(grid, axis, coordinate)) {
      section.fail(key, "is " + shortest(coordinate) + ", " + outside_of(grid, axis));
    }
    plane = Probe::Plane{axis, nearest_plane(grid, axis, coordinate)};
  }
  if (!plane) probe.fail("plane", "names no axis (needs one, as in plane = { x = 0.5 })");
  return *plane;
}

/// Reads a point, and refuses one whose value would be interpolated from excluded points only.
Probe::Point read_point(CaseSection const& section, Problem const& problem) {
  Probe::Point const point{read_place(section, "at", problem.grid)};
  PointSet const excluded = excluded_points(problem);
  auto const corners = corners_of(problem.grid, cell_around(problem.grid, point.at));
  if (excluded && std::ranges::all_of(corners, excluded, &CellCorner::point)) {
    bool const is_in_medium =
        knows_surfaces(problem) && material_at_place(problem, point.at) != excluded_material;
    if (is_in_medium) {
      section.fail("at",
                   "lies in the medium, but no grid point near it does: the medium is thinner than "
                   "the spacing there (take a finer grid, or move the probe)");
    }
    section.fail("at",
                 "lies inside an [[insulated]] region, which has no values (move the probe to a "
                 "place outside of it)");
  }
  return point;
}

/// Determines the kind of a probe from its keys, and refuses keys of another kind.
///
///     [[probe]]
///     name = "middle"
///     at = [0.5, 0.5, 0.5]                     # a point
///
///     [[probe]]
///     name = "axis"
///     from = [0.0, 0.5, 0.5]                   # a line
///     to = [1.0, 0.5, 0.5]
///     points = 101
///
///     [[probe]]
///     name = "top"
///     plane = { z = 1.0 }                      # a plane
Probe::Where read_where(CaseSection const& section, Problem const& problem) {
  Grid const& grid = problem.grid;
  struct Kind {
    char const* key;
    std::vector<char const*> others;
  };
  std::array const kinds{Kind{"at", {"from", "to", "points", "plane"}},
                         Kind{"plane", {"from", "to", "points"}}};
  for (Kind const& kind : kinds) {
    if (!section.has(kind.key)) continue;
    for (char const* const other : kind.others) {
      section.refuse(
          other, "conflicts with " + std::string(kind.key) +
                     " (a probe is either a point: at, a line: from, to and points, or a plane)");
    }
  }
  if (section.has("at")) return read_point(section, problem);
  if (section.has("plane")) return read_plane(section, grid);
  if (section.has("from") || section.has("to") || section.has("points")) {
    return read_line(section, grid);
  }
  section.fail("at", "is missing (needs at for a point; from, to and points for a line; or plane)");
}

/// Reads the probe's name, and returns the file name of its table. Names consist of ASCII letters,
/// digits, '-' and '_', since they become file names. "middle" yields "probe_middle.csv".
std::string read_table_name(CaseSection const& section) {
  constexpr std::size_t max_letters = 200;
  section.require_key("name", "a string in quotes, which names the table");
  std::string const name = section.text("name");
  std::string table = "probe_" + name + ".csv";
  if (!is_probe_table_name(table)) {
    section.fail("name", "is " + in_quotes(name) + " (needs only ASCII letters, digits, - and _)");
  }
  if (name.size() > max_letters) {
    section.fail("name", "has " + std::to_string(name.size()) + " characters (needs at most " +
                             std::to_string(max_letters) + ')');
  }
  return table;
}

/// Reads one [[probe]].
Probe read_probe(CaseSection const& section, Problem const& problem) {
  return {read_table_name(section), read_where(section, problem), section.place_of("name")};
}

/// Refuses a patch whose name is the number of one without a name.
void require_distinct_patches(CaseSection const& output, Problem const& problem) {
  for (std::size_t i = 0; i < problem.patches.size(); ++i) {
    if (!problem.patches[i].name.empty()) continue;
    std::string const number = std::to_string(i);
    if (std::ranges::count(problem.patches, number, &BoundaryPatch::name) == 0) continue;
    output.fail("quantities",
                "contains flux, but a [[boundary.patch]] is named " + in_quotes(number) +
                    ", which is the number of another, unnamed one (give that one a name)");
  }
}

/// Returns the boundaries through which heat flows in, as their columns are called. Patches of the
/// same name have one column. A patch or a fixed region without a name is identified by its number,
/// counted from 0. The columns are "flux_x_lower", …, "flux_patch_NAME", …, "flux_fixed_NAME", …,
/// "flux_source", "flux_source_NAME", …, "flux_reaction" if there is a reaction coefficient, and
/// "flux_balance". Periodic faces have no flux of their own. Sources without a name are contained
/// in "flux_source" only.
std::vector<std::string> inflow_names(CaseSection const& output, Problem const& problem) {
  std::vector<std::string> names;
  for (Face const face : faces(problem.grid)) {
    if (!is(problem, face, BoundaryKind::periodic)) names.push_back(isotherm::name(face));
  }
  require_distinct_patches(output, problem);
  for (std::string const& patch : names_of_patches(problem)) names.push_back("patch_" + patch);
  std::size_t number = 0;
  for (FixedRegion const& region : problem.medium.fixed) {
    std::string const called = name_of_fixed(problem, number);
    std::string const column = (region.is_excluded ? "convection_" : "fixed_") + called;
    if (std::ranges::count(names, column) > 0) {
      output.fail("quantities",
                  "contains flux, but a [[fixed]] is named " + in_quotes(called) +
                      ", which is the number of another, unnamed one (give that one a name)");
    }
    if (transfers_without_radiation(region)) names.push_back(column);
    if (radiates(region)) names.push_back("radiation_" + called);
    ++number;
  }
  names.emplace_back("source");
  for (SourceTerm const& term : problem.source_terms) {
    if (!term.name.empty()) names.push_back("source_" + term.name);
  }
  if (!problem.reaction.is_zero()) names.emplace_back("reaction");
  names.emplace_back("balance");
  return names;
}

/// Refuses the heat content in steady problems, which have no heat capacity.
void require_capacity(CaseSection const& output, Problem const& problem) {
  if (!counts_heat_from_zero(problem)) {
    output.fail(
        "quantities",
        "contains heat, but the capacity is not a positive number at u = 0, from which heat "
        "is counted (leave it out)");
  }
  if (problem.equation == Equation::diffusion) return;
  output.fail("quantities", std::string("contains heat, but ") + name(problem.equation) +
                                " has no heat capacity (for the integral of u write integral)");
}

/// Reads [output] quantities, which form one probe with a common table, "quantities.csv".
///
///     [output]
///     quantities = ["integral", "max", "flux"]
std::optional<Probe> read_quantities(CaseSection const& output, Problem const& problem) {
  if (!output.has("quantities")) return std::nullopt;
  Probe::Quantities quantities;
  for (std::string const& asked : output.texts("quantities")) {
    for (Quantity const one : all_quantities) {
      if (asked != name(one)) continue;
      if (std::ranges::count(quantities.which, one) > 0) {
        output.fail("quantities", "names " + asked + " twice");
      }
      quantities.which.push_back(one);
      if (one == Quantity::heat) require_capacity(output, problem);
      if (one == Quantity::energy && is_nonlinear(problem)) {
        output.fail(
            "quantities",
            "contains energy, which cannot be computed yet if a coefficient depends on u or t "
            "(leave it out; \"heat\" is the heat content)");
      }
      if (one == Quantity::flux) quantities.inflows = inflow_names(output, problem);
    }
  }
  if (quantities.which.empty()) return std::nullopt;
  return Probe{"quantities.csv", quantities, output.place_of("quantities")};
}

}  // namespace

std::vector<Probe> read_probes(CaseDocument const& document, Problem const& problem) {
  constexpr std::size_t max_probes = 500;  // since each keeps a file open
  std::vector<Probe> probes;
  for (CaseSection const& section : CaseSection(document.root, "").sections("probe")) {
    Probe probe = read_probe(section, problem);
    auto const same = [&](Probe const& other) { return other.table == probe.table; };
    if (std::ranges::any_of(probes, same)) {
      section.fail("name", "is " + in_quotes(section.text("name")) +
                               ", the name of another probe (needs a unique name)");
    }
    if (probes.size() == max_probes) {
      section.fail("name", "belongs to one probe more than the maximum of " +
                               std::to_string(max_probes) + " (one line can replace many points)");
    }
    probes.push_back(std::move(probe));
  }
  if (auto quantities = read_quantities(document.section("output"), problem)) {
    probes.push_back(std::move(*quantities));
  }
  return probes;
}

}  // namespace isotherm
