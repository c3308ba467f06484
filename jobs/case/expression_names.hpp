#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace isotherm {

/// Numbers that an expression may name beside its variables.
using Constants = std::map<std::string, double, std::less<>>;

/// A name in the text of an expression.
struct NameInText {
  std::string_view name;
  std::size_t place = 0;  ///< of its first letter
};

/// The names of variables, constants and functions in the order of the text, which need not be a
/// valid one. The e of 1e5 is none.
std::vector<NameInText> names_in(std::string_view text);

/// Those of the constants that the text names.
Constants named_in(std::string_view text, Constants const& constants);

/// The text with the values of constants in place of their names: what is compared where it does
/// not matter how a number is written.
std::string with_values(std::string_view text, Constants const& constants);

}  // namespace isotherm
