#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace isotherm {

/// Returns a text that can be drawn on one line. U+FFFD (�) replaces control characters and bytes
/// that are not valid UTF-8.
std::string drawable(std::string_view text);

/// Replaces each character that is not ASCII by a question mark, for Cairo's built-in font.
std::string in_ascii(std::string_view drawable);

/// Returns the first `letters` characters and "…", or the whole text if it is not longer.
/// @param drawable  valid UTF-8, as drawable() returns it
std::string shortened(std::string_view drawable, std::size_t letters);

/// Typesets a number as {:e} and {:f} write it, with a minus sign, a multiplication sign and
/// superscript digits: "-1.5e-07" becomes "−1.5×10⁻⁷".
std::string typeset_number(std::string_view number);

}  // namespace isotherm
