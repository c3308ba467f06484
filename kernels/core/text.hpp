#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

namespace isotherm {

/// Returns the shortest decimal text that reads back as the same number.
template <std::floating_point Real>
std::string shortest(Real value) {
  std::array<char, 32> text{};
  auto const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

/// Returns a text without certain characters, by default blanks and ends of lines, at both ends.
inline std::string_view trimmed(std::string_view text, std::string_view what = " \t\r\n") {
  auto const first = text.find_first_not_of(what);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(what) - first + 1);
}

}  // namespace isotherm
