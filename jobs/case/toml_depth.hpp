#pragma once

#include <string>
#include <string_view>

namespace isotherm {

/// Refuses a TOML text whose keys or brackets lie deeper in each other than anything that isotherm
/// reads: to parse them, and to let go of what was parsed, takes a piece of the stack for each
/// level. Looks at the text alone, passing over comments and quoted texts; where the text is not
/// TOML, what stands behind the mistake may be misread, which the parser never gets to.
/// @throws InputError  "NAME:LINE: …"
void check_depth(std::string_view text, std::string const& name);

}  // namespace isotherm
