#pragma once

#include <array>
#include <charconv>
#include <string>

namespace isotherm {

/// Returns a number with up to six significant digits, for computed numbers in messages: 0.3 rather
/// than 0.30000000000000004. Numbers that a user gave, or has to give, need shortest() (text.hpp).
inline std::string six_digits(double value) {
  constexpr int digits = 6;
  std::array<char, 32> text{};
  auto const end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::general, digits)
                       .ptr;
  return {text.data(), end};
}

}  // namespace isotherm
