#pragma once

#include <string>
#include <vector>

namespace mu {
class ParserError;
}

namespace isotherm {

/// What is wrong with an expression that muParser did not take, where, and what may be meant.
/// @param known  the names of variables and constants that it may name
std::string what_is_wrong(std::string const& text, mu::ParserError const& error,
                          std::vector<std::string> const& known);

/// The name of a value or a function that is nearest to one that is not known, in words ("did you
/// mean pi?"), or those that there are.
std::string advice_on_name(std::string const& name, bool called,
                           std::vector<std::string> const& known);

}  // namespace isotherm
