#pragma once

#include <string>

#include "case/toml/case_schema.hpp"

namespace isotherm {

/// Checks that a value has the type that its rule demands, and that its numbers are finite.
///
/// A message is, for example: "case.toml:12: [output] in_background is 1 (needs true or false, as
/// in in_background = true)".
/// @param section  the name of the table that holds the entry, for messages
/// @throws InputError  naming the place, the actual value and a valid one
void check_type(TomlEntry const& entry, KeyRule const& rule, std::string const& section);

/// Describes the values that a key of this type accepts: "a whole number".
std::string needed(KeyType type);

}  // namespace isotherm
