#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// A lexer for the names in expressions, and the substitution of constants.

namespace isotherm {

/// Named numbers of a case, which expressions may use like pi.
using Constants = std::map<std::string, double, std::less<>>;

/// A name within the text of an expression.
struct NameInText {
  std::string_view name;
  std::size_t place = 0;  ///< index of its first letter
};

/// Returns the names of variables, constants and functions in textual order. The text need not be a
/// valid expression. The exponent's e in 1e5 is not a name.
std::vector<NameInText> names_in(std::string_view text);

/// Returns the constants that a text names.
Constants named_in(std::string_view text, Constants const& constants);

/// Substitutes values for the names of constants. Fingerprints compare texts in this form, so
/// renaming a constant does not change a case.
///
///     with_values("a*x + b", {{"a", -2.0}, {"b", 0.5}});    // "(-2)*x + 0.5"
std::string with_values(std::string_view text, Constants const& constants);

}  // namespace isotherm
