#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mu {
class ParserError;
}

namespace isotherm {

/// What is wrong with an expression that muParser did not take, where, and what may be meant.
/// @param known  the names of variables and constants that it may name
std::string what_is_wrong(std::string const& text, mu::ParserError const& error,
                          std::vector<std::string> const& known);

/// What is wrong with "a < b < c", which muParser would take as (a < b) < c, and what may be meant;
/// empty where comparisons stand alone or in parentheses.
std::string chained_comparison(std::string_view text);

/// The name of a value or a function that is nearest to one that is not known, in words ("did you
/// mean pi?"), or those that there are.
std::string advice_on_name(std::string const& name, bool called,
                           std::vector<std::string> const& known);

}  // namespace isotherm
