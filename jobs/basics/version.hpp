#pragma once

#include <string>

namespace isotherm {

/// One line for the run header: version, revision, build type, compiler.
std::string build_line();

/// Several lines for --version: the build and the libraries that it runs with.
std::string version_text();

}  // namespace isotherm
