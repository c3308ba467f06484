#pragma once

#include <string>

namespace isotherm {

/// Returns one line for the header of a run: version, revision, build type, compiler.
std::string build_line();

/// Returns several lines for --version: the build and the libraries that it uses.
std::string version_text();

}  // namespace isotherm
