#pragma once

#include <string>
#include <vector>

namespace isotherm {

/// The kinds of cases that there are to start from.
std::vector<std::string> const& new_case_kinds();

/// A commented case, ready to run, to start one's own from.
/// @param kind  one of new_case_kinds()
/// @throws InputError  naming the nearest valid kind
std::string new_case(std::string const& kind);

}  // namespace isotherm
