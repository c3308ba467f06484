#include "jobs/case/key_at_fault.hpp"

namespace isotherm {

std::string place_of(Case const& chosen, std::string const& key) {
  auto const said = chosen.said.find(key);
  return said == chosen.said.end() ? "" : said->second + ": ";
}

}  // namespace isotherm
