#pragma once

#include <string>

namespace CLI {
class App;
}

namespace isotherm::app {

/// Returns the manual page isotherm(1) in roff: all commands and options of `app` with their help
/// texts, and in addition exit codes, environment variables, files and examples. The same input
/// gives the same page.
/// @param app      the description of the program; see describe_program()
/// @param version  version of the program, as in "0.2.0"
/// @param date     release date of this version
std::string man_page(CLI::App const& app, std::string const& version, std::string const& date);

}  // namespace isotherm::app
