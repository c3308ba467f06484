#include "app/command_line/word_advice.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "app/command_line/app_parts.hpp"
#include "case/basics/text/wording.hpp"
#include "case/toml/case_schema.hpp"
#include "kernels/core/error.hpp"

namespace isotherm::app {

namespace {

/// Returns the message about a word that is not a subcommand. Names of commands are short, so a
/// name is suggested only if it differs by one letter.
std::string command_advice(CLI::App const& app, std::string const& name, std::string const& word) {
  std::vector<std::string> names;
  for (CLI::App const* const command : commands_of(app)) names.push_back(command->get_name());
  std::string const near = nearest_name(word, names, 1);
  return in_quotes(word) + " is not a command of " + name + " (" +
         (near.empty() ? "there are " + join(names) + ", see "
                       : "did you mean " + near + "? See ") +
         name + " --help)";
}

/// Returns how to set the key of the case that an option names: "write --set
/// method.tolerance=VALUE"; an empty text if no section, or more than one, has such a key.
std::string key_for(std::string word) {
  word.erase(0, word.find_first_not_of('-'));
  std::ranges::replace(word, '-', '_');
  std::vector<std::string> sections;
  for (KeyRule const& rule : case_keys()) {
    if (rule.key != word) continue;
    // An entry of a list would need its number.
    KeyRule const* const section = rule_for(case_keys(), "", rule.section);
    if (section && section->type == KeyType::table) sections.emplace_back(rule.section);
  }
  return sections.size() == 1 ? "write --set " + sections.front() + '.' + word + "=VALUE" : "";
}

/// Returns the message about an unknown option. It suggests an option that begins with the word, or
/// else the nearest one, or else a key of the case.
std::string option_advice(CLI::App const& app, std::string const& name, std::string const& word) {
  std::vector<std::string> names;
  for (CLI::Option const* const option : options_of(app)) {
    for (std::string const& one : option->get_lnames()) names.push_back("--" + one);
  }
  auto const first = std::ranges::find_if(
      names, [&](std::string const& one) { return word.size() > 3 && one.starts_with(word); });
  std::string const near = first != names.end() ? *first : nearest_name(word, names);
  bool const takes_keys = std::ranges::find(names, "--set") != names.end();
  std::string const key = near.empty() && takes_keys ? key_for(word) : "";
  return in_quotes(word) + " is not an option of " + name + " (" +
         (!near.empty()  ? "did you mean " + near + "? "
          : !key.empty() ? "it is a key of the case: " + key + "; "
                         : "") +
         "see " + name + " --help)";
}

/// Returns the maximum number of positional arguments in words.
std::string argument_count(CLI::App const& command) {
  int count = 0;
  for (CLI::Option const* option : command.get_options()) {
    if (option->get_positional()) count += option->get_items_expected_max();
  }
  constexpr std::array words{"none", "one", "two", "three"};
  auto const index = static_cast<std::size_t>(count);
  return index < words.size() ? words[index] : std::to_string(count);
}

}  // namespace

// `before` is the option that the empty word belongs to; the message names it.
void refuse_empty_words(int argc, char const* const* argv) {
  std::string before;
  for (int i = 1; i < argc; ++i) {
    std::string const word = argv[i];
    bool const ends_empty = word.starts_with("--") && word.find('=') == word.size() - 1;
    if (word.empty() || ends_empty) {
      if (ends_empty) before = word.substr(0, word.size() - 1);
      throw InputError((before.starts_with('-') ? before : "an argument") +
                       " is empty (is a variable of the shell not set? see isotherm --help)");
    }
    before = word;
  }
}

bool is_case_file(std::string_view word) { return word == "-" || word.ends_with(".toml"); }

bool is_setting(std::string_view word) {
  std::string_view const key = word.substr(0, word.find('='));
  return key.find('/') == key.npos && (key.size() < word.size() || word.starts_with('!'));
}

void require_case_file(std::string const& word) {
  if (!is_setting(word) || is_case_file(word)) return;
  throw InputError(in_quotes(word) +
                   " is not a case file (the case comes first: isotherm run CASE.toml " +
                   in_quotes(word) + ")");
}

void require_setting(std::string const& word, std::string const& command) {
  if (is_setting(word)) return;
  throw InputError(in_quotes(word) + " is not a setting of the form KEY=VALUE (" + command +
                   " takes one case and settings for it, see " + command + " --help)");
}

std::string word_advice(CLI::App const& app, CLI::ParseError const& error) {
  CLI::App const* command = &app;
  std::string name = app.get_name();
  while (!command->get_subcommands().empty()) {  // those that were parsed
    command = command->get_subcommands().front();
    name += ' ' + command->get_name();
  }
  std::vector<std::string> const unexpected = app.remaining(true);
  // CLI11 found an invalid value before it reached the unexpected words.
  bool const is_about_value = dynamic_cast<CLI::ValidationError const*>(&error) != nullptr;
  if (unexpected.empty() || is_about_value) {
    return std::string(error.what()) + " (see " + name + " --help)";
  }
  std::string const word = unexpected.front().substr(
      0, unexpected.front().starts_with('-') ? unexpected.front().find('=') : std::string::npos);
  if (word.starts_with('-') && word.size() > 1) return option_advice(*command, name, word);
  if (!commands_of(*command).empty()) return command_advice(*command, name, word);
  return "too many arguments, such as " + in_quotes(word) + ": " + name + " takes " +
         argument_count(*command) + " (see " + name + " --help)";
}

}  // namespace isotherm::app
