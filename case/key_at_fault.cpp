#include "case/key_at_fault.hpp"

namespace isotherm {

std::string place_of(Case const& chosen, std::string const& key) {
  auto const said = chosen.said.find(key);
  return said == chosen.said.end() ? "" : said->second + ": ";
}

namespace {

/// Returns the key of the only material that sets a property, for example "material.2.conductivity"
/// for "conductivity". Returns an empty text if there are none or several.
std::string material_key(Case const& chosen, std::string const& name) {
  std::string found;
  for (auto const& [key, said] : chosen.said) {
    if (!key.starts_with("material.") || !key.ends_with('.' + name)) continue;
    if (!found.empty()) return "";
    found = key;
  }
  return found;
}

/// Returns the key that selects the first region of a list: "insulated.0.box" for "insulated".
std::string region_key(Case const& chosen, std::string const& list) {
  for (char const* const shape : {"where", "box", "ball", "cylinder"}) {
    std::string key = list + ".0." + shape;
    if (chosen.said.contains(key)) return key;
  }
  return list;
}

/// Returns the key of the [[convection]] or [[radiation]] of a region, "convection.1.h" for
/// "convection.hall.h". If no entry has that region, as written, it is the key of the first one.
std::string exchange_key(Case const& chosen, std::string const& key) {
  auto const begin = key.find('.'), end = key.rfind('.');
  std::string const list = key.substr(0, begin + 1), last = key.substr(end);
  std::string first = list + '0' + last;
  std::string const region = '"' + key.substr(begin + 1, end - begin - 1) + '"';
  for (int n = 0;; ++n) {
    std::string const entry = list + std::to_string(n);
    auto const of = chosen.said.find(entry + ".of");
    if (of == chosen.said.end()) return first;
    if (of->second.ends_with(region)) return entry + last;
  }
}

}  // namespace

std::string deciding_key(Case const& chosen, std::string const& key) {
  if (key == "fixed" || key == "insulated") return region_key(chosen, key);
  if (key.starts_with("boundary.patch.")) {
    for (char const* const given : {".power", ".value", ".type"}) {
      if (chosen.said.contains(key + given)) return key + given;
    }
  }
  bool const is_exchange = key.starts_with("convection.") || key.starts_with("radiation.");
  if (is_exchange && !chosen.said.contains(key)) return exchange_key(chosen, key);
  constexpr std::string_view equation = "equation.";
  if (key.starts_with(equation) && !chosen.said.contains(key)) {
    return material_key(chosen, key.substr(equation.size()));
  }
  // From the most specific key to the most general: boundary.x_lower, boundary.x, boundary.all.
  auto const end_of_axis = key.find('_');
  for (std::string const& said : {key, key.substr(0, end_of_axis), std::string("boundary.all")}) {
    if (chosen.said.contains(said)) return said;
    if (!key.starts_with("boundary.")) break;
  }
  return key;
}

}  // namespace isotherm
