#pragma once

#include <string>
#include <string_view>

namespace isotherm {

/// Refuses a TOML text whose keys or brackets are nested more deeply than any valid document.
///
/// A recursive parser uses stack for each level, both to parse and to destroy tables, so deep
/// nesting could overflow it. This scan is not recursive and skips comments and strings. If the
/// text is not valid TOML, it may misread what follows the first error, which the parser never
/// reaches.
/// @throws InputError  "NAME:LINE: …"
void check_depth(std::string_view text, std::string const& name);

}  // namespace isotherm
