#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace isotherm {

/// Goes through the words of a command line in their order, before CLI11 does, which would complain
/// of what is missing before it complains of what is mistyped. Returns how the command that the
/// words lead to is called: "isotherm bench sweep".
/// @throws InputError  at the first word that is no command or no option of its command: names the
///                     nearest one and the command's page of help; or is empty where a value or an
///                     argument is expected
std::string check_words(CLI::App const& app, int argc, char const* const* argv);

}  // namespace isotherm
