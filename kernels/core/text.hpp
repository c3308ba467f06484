#pragma once

#include <array>
#include <charconv>
#include <string>

namespace isotherm {

/// The shortest decimal text that reads back as the same number.
inline std::string shortest(double value) {
  std::array<char, 32> text{};
  auto const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

}  // namespace isotherm
