#include <algorithm>
#include <string>
#include <utility>
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

/// Returns the key that gives the amount of heat: "power" or "density". Exactly one must be
/// present, and a point source has a power.
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

/// Refuses a source that can heat nothing. The message depends on the reason: the source lies
/// outside the grid, or it covers only points that cannot be heated.
/// @param sizes  see sizes_in_words(); empty for a source at a place
void require_heated(CaseSection const& section, std::string const& key,
                    RegionalSource const& source, std::string const& sizes) {
  if (source.heated() > 0.0) return;
  section.fail(key, source.covered() > 0.0
                        ? "covers only points that cannot be heated (they are fixed, insulated or "
                          "on Dirichlet faces)"
                        : "covers no part of the grid" + sizes);
}

/// Reads the name of a source. Columns of tables are named after it, so no other may have it.
std::string read_unique_name(CaseSection const& section, std::vector<SourceTerm> const& others) {
  std::string name = read_region_name(section);
  auto const same = [&](SourceTerm const& other) { return other.name == name; };
  if (!name.empty() && std::ranges::any_of(others, same)) {
    section.fail(
        "name", "is " + in_quotes(name) + ", the name of another [[source]] (needs a unique name)");
  }
  return name;
}

/// Reads the source term of one [[source]]: heat per volume and time at each point.
///
/// A power is divided among the control volumes that can be heated, so exactly this power enters on
/// any grid. A density applies to the covered part of each volume.
ScalarFunction read_density(CaseSection const& section, CaseDocument const& document,
                            Problem const& problem) {
  std::string const amount = amount_key(section);
  FunctionScope const scope = document.scope(problem, problem.equation == Equation::diffusion);
  ScalarFunction const value = section.function(amount, 0.0, scope);
  // A point source: it has a power, and no region.
  if (section.has("at")) {
    for (std::string_view const key : region_keys) {
      section.refuse(std::string(key), "conflicts with at (a source is in a region or at a place)");
    }
    section.refuse("outside", "applies only to a region (leave it out)");
    RegionalSource const source(problem, read_place(section, "at", problem.grid));
    require_heated(section, "at", source, "");
    require_power(section, value, "source, or an expression of t; density may depend on x");
    return source.of_power(value);
  }
  // A source in a region, with a power or a density.
  CaseRegion const region = read_region(section, problem, document);
  require_holdable(document, problem.grid);
  RegionalSource const source(problem, region.region, region.within);
  require_heated(section, region.key, source, sizes_in_words(region, problem.grid));
  if (amount == "power") {
    require_power(section, value, "source, or an expression of t; density may depend on x");
    return source.of_power(value);
  }
  require_values(section, "density", value, problem,
                 {.points = region.within, .holds = region.region.contains});
  return source.of_density(value);
}

}  // namespace

std::vector<SourceTerm> read_sources(CaseDocument const& document, Problem const& problem) {
  std::vector<SourceTerm> all;
  for (CaseSection const& section : CaseSection(document.root, "").sections("source")) {
    if (problem.equation == Equation::laplace) {
      section.fail(section.has("power") ? "power" : "density",
                   R"(does not belong to Laplace's equation (write [equation] type = "poisson"))");
    }
    std::string name = read_unique_name(section, all);
    all.push_back({std::move(name), read_density(section, document, problem)});
  }
  return all;
}

}  // namespace isotherm
