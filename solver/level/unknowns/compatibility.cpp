#include "solver/level/unknowns/compatibility.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "decomposition/field/value_refusal.hpp"
#include "kernels/core/text.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Returns the first face with a prescribed flux, on the whole face or on a patch.
std::optional<Face> face_with_flux(Problem const& problem) {
  std::vector<Face> const all = faces(problem.grid);
  auto const found = std::ranges::find_if(all, [&](Face face) {
    // What a mean gradient drives in at one end, it drives out at the other.
    return has_flux(problem, face) && !is(problem, face, BoundaryKind::periodic);
  });
  return found == all.end() ? std::nullopt : std::optional(*found);
}

/// The origin of the heat flow, and the key of the case file that gives it.
struct Supply {
  std::string key;
  std::string text;  ///< such as "the source adds up"
};

/// Returns the key of the condition that gives a flux through a face: that of the face, or else of
/// its first patch.
std::string key_of_flux(Problem const& problem, Face face) {
  if (!condition(problem, face).value.is_zero()) return "boundary." + name(face);
  auto const patch = std::ranges::find_if(problem.patches, [&](BoundaryPatch const& one) {
    return one.face == face && !one.condition.value.is_zero();
  });
  return "boundary.patch." + std::to_string(patch - problem.patches.begin());
}

/// Names the source if it is not zero, else the first face with a flux.
Supply supply_of(Problem const& problem) {
  auto const face = face_with_flux(problem);
  if (!problem.source.is_zero()) {
    return {"equation.source",
            face ? "the source and the fluxes through the faces add up" : "the source adds up"};
  }
  return {face ? key_of_flux(problem, *face) : std::string(),
          "the fluxes through the faces add up"};
}

}  // namespace

std::string remark_on_compatibility(Problem const& problem, double inflow, double mean,
                                    std::string const& where) {
  auto const digits = [](double number) { return shortest(static_cast<float>(number)); };
  auto const [key, supply] = supply_of(problem);
  if (!problem.project) {
    std::string const held =
        has_given_values(problem) ? "no point there" : "no face and no [[fixed]] region";
    throw ValueRefusal(
        {key, "no steady solution: " + held + " has a given value, but " + supply + " to " +
                  digits(inflow) + ' ' + where +
                  " (needs 0: give a dirichlet or robin face or a [[fixed]] region, "
                  "or set [equation] compatible = \"project\", which subtracts the mean, " +
                  digits(mean) + ", from the source)"});
  }
  return supply + " to " + digits(inflow) + ' ' + where + " instead of 0: " + digits(mean) +
         " is subtracted from the source at every point there";
}

}  // namespace isotherm
