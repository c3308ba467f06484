#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "case/basics/text/wording.hpp"
#include "case/sections/parts.hpp"
#include "case/sections/regions.hpp"
#include "case/toml/case_schema.hpp"
#include "kernels/core/text.hpp"
#include "solver/discretise/shapes/regional_source.hpp"

// Sources in regions and at places: [[source]]. Each adds to [equation] source and to the others.
//
//     [[source]]
//     name  = "die"
//     box   = { lower = [-0.001, -0.001, 0.003], upper = [0.001, 0.001, 0.0035] }
//     power = 50.0                    # in all; or density = 2.5e10, per volume
//
//     [[source]]
//     at    = [0.01, 0.02, 0.0]       # a point source
//     power = "5*exp(-t)"

namespace isotherm {
namespace {

/// Returns the key that says how much heat the source puts in: "power" or "density".
std::string amount_key(CaseSection const& section) {
  bool const power = section.has("power"), density = section.has("density");
  if (power && density) {
    section.fail("density",
                 "conflicts with power (give one: power is the total, density the heat "
                 "per volume)");
  }
  if (!power && !density) {
    section.fail("power",
                 "is missing (needs the power of the whole source, or density, the heat per "
                 "volume)");
  }
  if (density && section.has("at")) {
    section.fail("density", "needs a region (a source at a point has no volume: give power)");
  }
  return power ? "power" : "density";
}

/// Requires that a power is finite and depends on time alone.
void check_power(CaseSection const& section, ScalarFunction const& power) {
  constexpr double nowhere = std::numeric_limits<double>::quiet_NaN();
  // What depends on the place gives NaN at a place that is NaN.
  if (std::isfinite(power(nowhere, nowhere, nowhere, 0.0))) return;
  if (std::isfinite(power(0.0, 0.0, 0.0, 0.0))) {
    section.fail("power",
                 "depends on the position (a power is one number for the whole source, or an "
                 "expression of t; density may depend on x)");
  }
  section.fail("power", "is not a finite number");
}

/// Returns the place of a point source, which must lie on the grid.
PerAxis<double> read_place(CaseSection const& section, Grid const& grid) {
  PerAxis<double> const place = section.place("at", grid.dimension);
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (is_inside(grid, axis, place[axis])) continue;
    section.fail(
        "at", "is " + shortest(place[axis]) + ' ' + on_axis(axis) + ", " + outside_of(grid, axis));
  }
  return place;
}

/// Refuses a source that can heat nothing.
void require_heated(CaseSection const& section, std::string const& key,
                    RegionalSource const& source) {
  if (source.heated() > 0.0) return;
  section.fail(key, source.covered() > 0.0
                        ? "covers only points that cannot be heated (they are fixed, insulated or "
                          "on Dirichlet faces)"
                        : "covers no part of the grid");
}

/// Reads one [[source]].
ScalarFunction read_one(CaseSection const& section, CaseDocument const& document,
                        Problem const& problem) {
  (void)read_region_name(section);
  std::string const amount = amount_key(section);
  FunctionScope const scope = document.scope(problem, problem.equation == Equation::diffusion);
  ScalarFunction const value = section.function(amount, 0.0, scope);
  if (section.has("at")) {
    for (std::string_view const key : region_keys) {
      section.refuse(std::string(key), "conflicts with at (a source is in a region or at a place)");
    }
    RegionalSource const source(problem, read_place(section, problem.grid));
    require_heated(section, "at", source);
    check_power(section, value);
    return source.of_power(value);
  }
  CaseRegion const region = read_region(section, problem, document);
  RegionalSource const source(problem, region.region, region.within);
  require_heated(section, region.key, source);
  if (amount == "power") {
    check_power(section, value);
    return source.of_power(value);
  }
  require_values(section, "density", value, problem,
                 {.points = region.within, .holds = region.region.contains});
  return source.of_density(value);
}

}  // namespace

std::vector<ScalarFunction> read_sources(CaseDocument const& document, Problem const& problem) {
  std::vector<ScalarFunction> all;
  for (CaseSection const& section : CaseSection(document.root, "").sections("source")) {
    if (problem.equation == Equation::laplace) {
      section.fail(section.has("power") ? "power" : "density",
                   R"(does not belong to Laplace's equation (write [equation] type = "poisson"))");
    }
    all.push_back(read_one(section, document, problem));
  }
  return all;
}

}  // namespace isotherm
