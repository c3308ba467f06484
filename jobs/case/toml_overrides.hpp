#pragma once

#include <string>

#include "jobs/case/toml_document.hpp"

namespace isotherm {

/// Sets one value of a case: "method.iterations=50", "initial.box.0.value=2".
///
/// What follows the first '=' is read as TOML, and where it is not TOML, as plain text. Sections
/// that are missing are made; a number names an entry of a list. A key of which the case may hold
/// only one of several ("steps" or "end_time") takes the place of the other one.
///
/// "!method.tolerance" takes a key or a section out, if it is there; of a list nothing alone.
/// @throws InputError  where `assignment` is not KEY=VALUE, or leads into something without keys;
///                     where what shall be taken out is no key of a case's
void apply_override(TomlTable& root, std::string const& assignment);

/// The `where` of values that such an override has set.
std::string override_position(std::string const& assignment);

}  // namespace isotherm
