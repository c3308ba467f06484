#pragma once

#include <string>
#include <string_view>

// What words of textbooks and other programs are called in case files.

namespace isotherm {

/// Returns what to write instead of a key that a section does not have: "write time_step, the
/// length of a step" for dt in [method]. Case, "_" and "-" are ignored. Empty if the word is not
/// known.
/// @param section  of the rules (KeyRule::section), such as "boundary.*"; empty for the whole case,
///   where words of all sections are known
std::string advice_on_key(std::string_view section, std::string_view key);

/// Returns what to write instead of a choice of a key, as "type" of a boundary condition; empty if
/// the word is not known.
std::string advice_on_choice(std::string_view section, std::string_view key,
                             std::string_view choice);

}  // namespace isotherm
