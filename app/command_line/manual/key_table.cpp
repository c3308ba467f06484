#include "app/command_line/manual/key_table.hpp"

#include "case/toml/case_schema.hpp"
#include "case/toml/value_type.hpp"

namespace isotherm::app {

std::string key_table() {
  std::string all;
  for (KeyRule const& rule : case_keys()) {
    all.append(rule.section).append("\t").append(rule.key).append("\t");
    all.append(needed(rule.type)).append("\t").append(rule.example).append("\t");
    all.append(rule.choices).append("\n");
  }
  return all;
}

}  // namespace isotherm::app
