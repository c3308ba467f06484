#include "case/basics/terminal.hpp"

#include <cstdlib>
#include <string_view>
#include <unistd.h>

namespace isotherm {

namespace {

/// Returns the value of an environment variable; empty if it is unset.
std::string_view text_of(char const* variable) { return variable != nullptr ? variable : ""; }

}  // namespace

bool takes_escapes(int descriptor) {
  std::string_view const terminal = text_of(std::getenv("TERM"));
  return isatty(descriptor) == 1 && !terminal.empty() && terminal != "dumb" &&
         text_of(std::getenv("NO_COLOR")).empty();
}

}  // namespace isotherm
