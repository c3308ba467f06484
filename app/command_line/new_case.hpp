#pragma once

#include <string>
#include <vector>

namespace isotherm::app {

/// Returns the kinds of cases that new_case() can create, the names of the equations. The order is
/// that of messages and of the help.
std::vector<std::string> const& new_case_kinds();

/// Returns a commented case file that is ready to run, as a starting point for a user's own case.
/// Serial, without side effects.
/// @param kind  one of new_case_kinds()
/// @returns  TOML text of all sections; comments in it show alternative values
/// @throws InputError  if there is no such kind; the message suggests the nearest one
std::string new_case(std::string const& kind);

}  // namespace isotherm::app
