#pragma once

#include <string>
#include <vector>

namespace isotherm {

/// Returns the kinds of cases that new_case() can create.
std::vector<std::string> const& new_case_kinds();

/// Returns a commented case file that is ready to run, as a starting point for a user's own case.
/// @param kind  one of new_case_kinds()
/// @throws InputError  naming the nearest valid kind
std::string new_case(std::string const& kind);

}  // namespace isotherm
