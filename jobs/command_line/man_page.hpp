#pragma once

#include <string>

namespace CLI {
class App;
}

namespace isotherm {

/// The page isotherm(1) of the manual, for man: all commands and options of `app` with the texts of
/// their help, and what help does not say: exit codes, environment, files.
/// @param date  of this version's release
std::string man_page(CLI::App const& app, std::string const& version, std::string const& date);

}  // namespace isotherm
