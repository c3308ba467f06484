#include "app/command_line/app_parts.hpp"

#include <sstream>

namespace isotherm::app {

// The predicate selects all subcommands; without it, CLI11 returns only those that were parsed.
std::vector<CLI::App const*> commands_of(CLI::App const& app) {
  return app.get_subcommands([](CLI::App const*) { return true; });
}

std::vector<CLI::Option const*> options_of(CLI::App const& app) {
  return app.get_options([](CLI::Option const* one) { return one->nonpositional(); });
}

std::vector<CLI::Option const*> arguments_of(CLI::App const& app) {
  return app.get_options([](CLI::Option const* one) { return one->get_positional(); });
}

std::vector<std::string> names_of(CLI::Option const& option) {
  std::vector<std::string> names;
  for (std::string const& name : option.get_snames()) names.push_back('-' + name);
  for (std::string const& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

// The type name doubles as the list of choices, because CLI11 validators cannot be queried.
std::vector<std::string> choices_of(CLI::Option const& option) {
  std::string const type = option.get_type_name();
  if (type.find('|') == std::string::npos) return {};
  std::vector<std::string> words;
  std::istringstream stream(type);
  for (std::string word; std::getline(stream, word, '|');) words.push_back(word);
  return words;
}

}  // namespace isotherm::app
