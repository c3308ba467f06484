#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace isotherm {

/// The commands of an app, in the order in which its help has them.
std::vector<CLI::App const*> commands_of(CLI::App const& app);

/// Its options, without arguments.
std::vector<CLI::Option const*> options_of(CLI::App const& app);

/// What it takes beside options, in order.
std::vector<CLI::Option const*> arguments_of(CLI::App const& app);

/// As they are typed: "-v", "--verbose".
std::vector<std::string> names_of(CLI::Option const& option);

/// The words that an option may have for a value, where its type lists them ("auto|cuda|cpu").
std::vector<std::string> choices_of(CLI::Option const& option);

}  // namespace isotherm
