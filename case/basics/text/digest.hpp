#pragma once

#include <cstdint>
#include <string>

namespace isotherm {

/// Formats a number with 16 hexadecimal digits.
std::string hexadecimal(std::uint64_t number);

/// Returns the 64-bit FNV-1a hash (Fowler, Noll and Vo) of a text as 16 hexadecimal digits.
std::string digest(std::string const& text);

}  // namespace isotherm
