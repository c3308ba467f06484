#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace isotherm {

/// Checks the words of a command line in their order, before CLI11 parses it. CLI11 would report a
/// missing argument before a misspelled option. Returns the full name of the command: "isotherm
/// bench sweep".
///
///     std::string const command = check_words(app, argc, argv);   // "isotherm run"
///
/// @throws InputError  at the first word that is not a command or an option of its command, or that
///        is empty although a value is expected; the message names the nearest valid word and the
///        command's help
std::string check_words(CLI::App const& app, int argc, char const* const* argv);

}  // namespace isotherm
