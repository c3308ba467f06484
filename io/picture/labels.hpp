#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace isotherm {

/// A text that can be drawn on one line: U+FFFD (�) in the place of each control character and of
/// bytes that are no UTF-8.
std::string drawable(std::string_view text);

/// A question mark for each letter that is not ASCII.
std::string in_ascii(std::string_view drawable);

/// The first so many letters and "…"; the text itself where it has no more than that.
std::string shortened(std::string_view drawable, std::size_t letters);

/// A number as print has it: "-1.5e-07" becomes "−1.5×10⁻⁷".
std::string typeset_number(std::string_view number);

}  // namespace isotherm
