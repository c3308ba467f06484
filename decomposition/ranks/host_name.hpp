#pragma once

#include <string>

namespace isotherm {

/// Returns the name of this host as the system reports it, one word. If the system reports none,
/// returns "unknown-host".
std::string host_name();

}  // namespace isotherm
