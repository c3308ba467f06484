#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mu {
class ParserError;
}

// Error messages for expressions: the fault, and a suggestion of the intended text.

namespace isotherm {

/// Explains why muParser rejected an expression: the fault, its position, and a suggestion.
/// @param known  the names of variables and constants that the expression may use
std::string what_is_wrong(std::string const& text, mu::ParserError const& error,
                          std::vector<std::string> const& known);

/// Explains a chained comparison such as "a < b < c", which muParser would evaluate as (a < b) < c.
/// Suggests "a < b && b < c". Returns an empty text if no comparison is chained.
std::string chained_comparison(std::string_view text);

/// Suggests the known name nearest to an unknown one ("did you mean pi?"), or lists the known
/// names.
/// @param called  whether a parenthesis follows the name, as after a function
std::string advice_on_name(std::string const& name, bool called,
                           std::vector<std::string> const& known);

}  // namespace isotherm
