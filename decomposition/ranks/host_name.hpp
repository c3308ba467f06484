#pragma once

#include <string>

namespace isotherm {

/// This host's name, as its system has it: one word; "unknown-host" where it says none.
std::string host_name();

}  // namespace isotherm
