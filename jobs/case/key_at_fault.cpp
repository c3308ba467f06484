#include "jobs/case/key_at_fault.hpp"

namespace isotherm {

std::string place_of(Case const& chosen, std::string const& key) {
  auto const said = chosen.said.find(key);
  return said == chosen.said.end() ? "" : said->second + ": ";
}

std::string deciding_key(Case const& chosen, std::string const& key) {
  auto const end_of_axis = key.find('_');
  for (std::string const& said : {key, key.substr(0, end_of_axis), std::string("boundary.all")}) {
    if (chosen.said.contains(said)) return said;
    if (!key.starts_with("boundary.")) break;
  }
  return key;
}

}  // namespace isotherm
