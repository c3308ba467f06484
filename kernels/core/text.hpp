#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <string>

namespace isotherm {

/// Returns the shortest decimal text that reads back as the same number.
template <std::floating_point Real>
std::string shortest(Real value) {
  std::array<char, 32> text{};
  auto const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

}  // namespace isotherm
