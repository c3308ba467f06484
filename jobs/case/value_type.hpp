#pragma once

#include <string>

#include "jobs/case/case_schema.hpp"

namespace isotherm {

/// Checks that the value is of the rule's type, and that its numbers are finite.
/// @param section  the table that holds the entry, for messages
/// @throws InputError  naming the place, what is there and what would be right
void check_type(TomlEntry const& entry, KeyRule const& rule, std::string const& section);

/// What a key of this type takes: "a whole number".
std::string needed(KeyType type);

}  // namespace isotherm
