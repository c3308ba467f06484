#pragma once

#include <string>
#include <vector>

#include "case/toml/toml_document.hpp"

// Overrides of a case from the command line: --set KEY=VALUE and --set '!KEY'.

namespace isotherm {

/// Sets or removes one value of a case.
///
/// "method.iterations=50" and "initial.box.0.value=2" set a value. The text after the first '=' is
/// parsed as TOML; if it is not valid TOML, it is a plain text. Missing sections are created. A
/// number selects an entry of a list. If the case may hold only one of several keys ("steps" or
/// "end_time"), the new one replaces the other.
///
/// "!method.tolerance" removes a key or a section if it is present. Entries of a list cannot be
/// removed individually.
///
///     apply_override(root, "method.end_time=2.5");   // removes [method] steps, too
///     apply_override(root, "!output.picture");
///
/// @returns  the keys that contradict the one set and were removed: "[method] steps"
/// @throws InputError  if `assignment` is not KEY=VALUE, if it descends into a value that is not a
///        table or list, or if the key to remove is not a key of a case
std::vector<std::string> apply_override(TomlTable& root, std::string const& assignment);

/// Returns the place of values that an override has set: "--set method.iterations=50".
std::string override_position(std::string const& assignment);

}  // namespace isotherm
