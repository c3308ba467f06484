#include "app/command_line/manual/completion.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <vector>

#include "app/command_line/app_parts.hpp"
#include "case/basics/text/wording.hpp"
#include "case/toml/case_schema.hpp"
#include "kernels/core/error.hpp"

// The completions of all shells share one design. Tables, generated here, map a command, option,
// argument or key to a description of the possible words. The hand-written scripts follow the
// command line and look these tables up. completion.sh documents the descriptions.
namespace isotherm::app {
namespace {

/// The files or keys that an argument or option accepts. Options of type FILE without an entry
/// accept any file.
struct FileNames {
  std::string_view command, option, takes;
};
constexpr std::array file_names{
    FileNames{"isotherm run", "CASE", "files *.toml"},
    FileNames{"isotherm run", "SETTINGS", "keys"},
    FileNames{"isotherm run", "--resume", "maybe-files *.vtkhdf"},
    FileNames{"isotherm sweep", "CASE", "files *.toml"},
    FileNames{"isotherm sweep", "SETTINGS", "keys"},
    FileNames{"isotherm sweep", "--over", "keys"},
    FileNames{"isotherm table", "DIR", "directories"},
    FileNames{"isotherm info", "FILE", "files *.vtkhdf"},
    FileNames{"isotherm verify", "FILE", "files"},
    FileNames{"isotherm compare", "A", "files *.vtkhdf"},
    FileNames{"isotherm compare", "B", "files *.vtkhdf"},
    FileNames{"isotherm smooth", "FILE", "files *.vtkhdf"},
    FileNames{"isotherm smooth", "--output", "files *.vtkhdf"},
    FileNames{"isotherm smooth", "--weights", "files"},
    FileNames{"isotherm project", "FILE", "files *.vtkhdf"},
    FileNames{"isotherm project", "--output", "files *.vtkhdf"},
    FileNames{"isotherm resample", "FILE", "files *.vtkhdf"},
    FileNames{"isotherm resample", "--output", "files *.vtkhdf"},
    FileNames{"isotherm resample", "--like", "files *.vtkhdf"},
    FileNames{"isotherm picture", "FILE", "files *.vtkhdf"},
    FileNames{"isotherm picture", "--output", "files"},
    FileNames{"isotherm film", "DIRECTORY", "directories"},
    FileNames{"isotherm film", "--output", "files"},
    FileNames{"isotherm plot", "FILE", "files"},
    FileNames{"isotherm plot", "--output", "files"},
    FileNames{"isotherm report", "DIR", "directories"},
    FileNames{"isotherm report", "--output", "files *.html"},
    FileNames{"isotherm combine", "A", "files *.vtkhdf"},
    FileNames{"isotherm combine", "B", "files *.vtkhdf"},
    FileNames{"isotherm combine", "--output", "files *.vtkhdf"},
};

/// Returns the description of an option's or argument's value in the language of completion.sh; an
/// empty text if it has no value.
std::string taken_by(std::string const& command, CLI::Option const& option) {
  auto const choices = choices_of(option);
  if (!choices.empty()) return "words " + join(choices, " ");
  auto const known = std::ranges::find_if(file_names, [&](FileNames const& one) {
    return one.command == command && one.option == option.get_name();
  });
  if (known != file_names.end()) return std::string(known->takes);
  // A new argument without an entry fails the build, so the table is always complete.
  require(!option.get_positional(), "completion.cpp does not know what " + command + " takes as " +
                                        option.get_name() + ": add it to its table");
  std::string const type = option.get_type_name();
  if (type == "FILE") return "files";
  if (type == "DIR" || type == "DIRECTORY") return "directories";
  if (type == "KEY=VALUE") return "keys";
  return option.get_items_expected_min() > 0 ? "anything" : "";
}

/// Generates a lookup function of a shell. In bash and zsh, the function sets `found` to the
/// result; in fish, it prints the result.
///
/// For example, in bash:
///
///     _isotherm_value() {
///       case $1 in
///         'isotherm run --device') found='words auto cuda cpu' ;;
///         *) found= ;;
///       esac
///     }
class Table {
 public:
  Table(Shell shell, std::string const& name)
      : shell_(shell),
        text_(shell == Shell::fish ? "\nfunction " + name + "\n  switch $argv[1]\n"
                                   : "\n" + name + "() {\n  case $1 in\n") {}
  /// Adds a result for several patterns. Empty results need no entry: they are the default.
  void add(std::vector<std::string> const& patterns, std::string const& found) {
    if (patterns.empty() || found.empty()) return;
    text_ += shell_ == Shell::fish
                 ? "    case " + join(patterns, " ") + "\n      echo '" + found + "'\n"
                 : "    " + join(patterns, " | ") + ") found='" + found + "' ;;\n";
  }
  /// Returns the complete function.
  [[nodiscard]] std::string text() const {
    return text_ + (shell_ == Shell::fish ? "  end\nend\n" : "    *) found= ;;\n  esac\n}\n");
  }

 private:
  Shell shell_;
  std::string text_;
};

/// Returns a text in single quotes. @pre the text contains no single quote
std::string in_shell_quotes(std::string const& text) { return '\'' + text + '\''; }

/// Returns the patterns for options of a command: the command's full name with each option.
std::vector<std::string> patterns_of(std::string const& command, std::vector<std::string> names) {
  for (std::string& name : names) {
    name.insert(0, command + ' ');
    name = in_shell_quotes(name);
  }
  return names;
}

/// The four tables about commands: subcommands, options, values of options, and arguments.
struct CommandTables {
  Shell shell_;
  Table commands, options, values, arguments;

  explicit CommandTables(Shell shell)
      : shell_(shell),
        commands(shell, "_isotherm_commands"),
        options(shell, "_isotherm_options"),
        values(shell, "_isotherm_value"),
        arguments(shell, "_isotherm_argument") {}

  /// Adds a command and, recursively, its subcommands. @param name  its full name
  void add(CLI::App const& app, std::string const& name) {
    std::vector<std::string> command_names;
    for (CLI::App const* const command : commands_of(app)) {
      command_names.push_back(command->get_name());
      add(*command, name + ' ' + command->get_name());
    }
    commands.add({in_shell_quotes(name)}, join(command_names, " "));
    add_options(app, name);
    add_arguments(app, name);
  }

 private:
  /// Adds all options of a command, and the values of each.
  void add_options(CLI::App const& app, std::string const& name) {
    std::vector<std::string> all;
    for (CLI::Option const* const option : options_of(app)) {
      auto const names = names_of(*option);
      all.insert(all.end(), names.begin(), names.end());
      values.add(patterns_of(name, names), taken_by(name, *option));
    }
    options.add({in_shell_quotes(name)}, join(all, " "));
  }

  /// Adds the arguments by their numbers. An argument that may be repeated matches every number,
  /// including those of later words.
  void add_arguments(CLI::App const& app, std::string const& name) {
    auto const all = arguments_of(app);
    for (std::size_t i = 0; i < all.size(); ++i) {
      bool const many = all[i]->get_items_expected_max() > 1;
      std::string const number = many ? "*" : std::to_string(i);
      // A quoted star is no pattern in bash and zsh; in fish only a quoted one is.
      std::string const pattern = shell_ == Shell::fish
                                      ? in_shell_quotes(fmt::format("{} {}", name, number))
                                      : fmt::format("{}{}", in_shell_quotes(name + ' '), number);
      arguments.add({pattern}, taken_by(name, *all[i]));
    }
  }
};

/// Returns the sections to which a rule applies, in the form that --set uses. The pattern "grid.*"
/// stands for several tables. For example, the rule for "grid.*" and "stretch" yields the sections
/// grid.x, grid.y and grid.z.
std::vector<std::string> sections_of(KeyRule const& rule, std::span<KeyRule const> rules) {
  if (!rule.section.ends_with(".*")) return {std::string(rule.section)};
  auto const parent = rule.section.substr(0, rule.section.size() - 2);
  std::vector<std::string> sections;
  for (KeyRule const& one : rules) {
    if (one.section != parent || one.type != KeyType::table) continue;
    sections.push_back(std::string(parent) + '.' + std::string(one.key));
  }
  return sections;
}

/// Returns whether a key belongs to a list of tables, or to a table inside one, such as
/// material.box. Such keys need a number and are not completed.
bool in_a_list(KeyRule const& rule, std::span<KeyRule const> rules) {
  return std::ranges::any_of(rules, [&](KeyRule const& one) {
    std::string const list =
        std::string(one.section) + (one.section.empty() ? "" : ".") + std::string(one.key);
    return one.type == KeyType::tables &&
           (rule.section == list || rule.section.starts_with(list + '.'));
  });
}

/// Returns the valid words of a key, separated by blanks. Empty if the key accepts numbers, lists
/// or arbitrary texts.
std::string values_of(KeyRule const& rule) {
  std::string values(rule.choices);
  bool const may_be_flag = rule.type == KeyType::flag || rule.type == KeyType::flag_or_text ||
                           rule.type == KeyType::flag_or_whole;
  if (may_be_flag) values = "true false " + values;
  if (rule.type == KeyType::texts) return "";  // a list is not one of its words
  auto const first = values.find_first_not_of(' ');
  auto const last = values.find_last_not_of(' ');
  return first == std::string::npos ? "" : values.substr(first, last - first + 1);
}

/// Returns the tables for --set: the names of all keys, and the values of each. Keys with the same
/// values share a line of the table. Names end with '=', since a value follows.
std::string key_tables(Shell shell) {
  auto const rules = case_keys();
  std::string names;
  std::map<std::string, std::vector<std::string>> patterns;  // keys by their values
  for (KeyRule const& rule : rules) {
    bool const has_no_name = rule.key == "*" || in_a_list(rule, rules);
    if (rule.type == KeyType::table || rule.type == KeyType::tables || has_no_name) {
      continue;
    }
    for (std::string const& section : sections_of(rule, rules)) {
      std::string const key = section + (section.empty() ? "" : ".") + std::string(rule.key);
      names += (names.empty() ? "" : " ") + key + '=';
      patterns[values_of(rule)].push_back(in_shell_quotes(key));
    }
  }
  Table values(shell, "_isotherm_key_values");
  for (auto const& [found, keys] : patterns) values.add(keys, found);
  std::string const all = shell == Shell::fish
                              ? "\nfunction _isotherm_keys\n  echo '" + names + "'\nend\n"
                              : "\n_isotherm_keys() {\n  found='" + names + "'\n}\n";
  return all + values.text();
}

}  // namespace

// zsh loads the file as the body of a function, so its last line must start the completion.
std::string completion_tables(CLI::App const& app, Shell shell) {
  CommandTables tables(shell);
  tables.add(app, app.get_name());
  std::string const start = shell == Shell::zsh ? "\n_isotherm_start $funcstack[1]\n" : "";
  return tables.commands.text() + tables.options.text() + tables.values.text() +
         tables.arguments.text() + key_tables(shell) + start;
}

}  // namespace isotherm::app
