#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

// Queries of a CLI11 description: its commands, options, arguments and choices. The manual page,
// the completions and the advice about misspelled words are derived from them. So the description
// of the command line is the only list of commands and options.
//
// Returned pointers refer to parts of the CLI::App and are valid as long as it is.

namespace isotherm::app {

/// Returns the direct subcommands of an app, in the order of its help.
std::vector<CLI::App const*> commands_of(CLI::App const& app);

/// Returns the options of a command, without positional arguments but with --help.
std::vector<CLI::Option const*> options_of(CLI::App const& app);

/// Returns the positional arguments of a command, in order.
std::vector<CLI::Option const*> arguments_of(CLI::App const& app);

/// Returns the names of an option as the user types them: "-v", "--verbose".
std::vector<std::string> names_of(CLI::Option const& option);

/// Returns the words that an option accepts, if its type name lists them ("auto|cuda|cpu"); else
/// none.
/// @param option  whose type name was set with CLI::Option::type_name()
std::vector<std::string> choices_of(CLI::Option const& option);

}  // namespace isotherm::app
