#pragma once

#include <string>
#include <string_view>

namespace isotherm {

/// Returns what is wrong with the first number in a text that float64 cannot represent, such as
/// "1e400 is out of range (numbers are at most 1.8e308 in magnitude)"; empty if there is none.
/// Numbers in names, in quotes, and behind # do not count.
std::string number_out_of_range(std::string_view text);

/// Returns the same for whole numbers without a decimal point or exponent that exceed 64 bits.
std::string whole_out_of_range(std::string_view text);

}  // namespace isotherm
