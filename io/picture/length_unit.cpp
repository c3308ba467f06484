#include "io/picture/length_unit.hpp"

#include <algorithm>
#include <array>

namespace isotherm {
namespace {

struct KnownUnit {
  std::string_view name;
  double per_metre;
};

// The inch is 25.4 mm and the foot 0.3048 m exactly, by the agreement of 1959.
constexpr std::array known_units{
    KnownUnit{"km", 1e-3}, KnownUnit{"m", 1.0},           KnownUnit{"cm", 1e2},
    KnownUnit{"mm", 1e3},  KnownUnit{"µm", 1e6},          KnownUnit{"um", 1e6},
    KnownUnit{"nm", 1e9},  KnownUnit{"in", 1.0 / 0.0254}, KnownUnit{"ft", 1.0 / 0.3048},
};

}  // namespace

std::optional<double> per_metre(std::string_view unit) {
  auto const* const found = std::ranges::find(known_units, unit, &KnownUnit::name);
  return found == known_units.end() ? std::nullopt : std::optional(found->per_metre);
}

std::string known_length_units() {
  std::string line;
  for (KnownUnit const& unit : known_units) {
    if (unit.name == "µm") continue;  // um is the same in ASCII
    line += (line.empty() ? "" : ", ") + std::string(unit.name);
  }
  return line;
}

std::optional<LengthUnit> length_unit_of(std::string const& name, std::optional<double> scale) {
  if (name.empty()) return LengthUnit{"", scale.value_or(1.0)};
  if (!scale) scale = per_metre(name);
  if (!scale) return std::nullopt;
  return LengthUnit{name == "um" ? "µm" : name, *scale};
}

}  // namespace isotherm
