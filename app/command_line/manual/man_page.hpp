#pragma once

#include <string>

namespace CLI {
class App;
}

namespace isotherm {

/// Returns the manual page isotherm(1) in roff: all commands and options of `app` with their help
/// texts, and in addition exit codes, environment variables and files.
/// @param version  of the program
/// @param date  of this version's release
std::string man_page(CLI::App const& app, std::string const& version, std::string const& date);

}  // namespace isotherm
