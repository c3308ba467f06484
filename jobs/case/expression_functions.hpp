#pragma once

#include <mutex>
#include <string>
#include <vector>

namespace mu {
class Parser;
}

namespace isotherm {

/// Gives a parser the functions that muParser does not bring along.
void define_functions(mu::Parser& parser);

/// Held while a parser is built, in which muParser keeps state of its own.
std::mutex& building_a_parser();

/// The names of all functions that an expression may call.
std::vector<std::string> const& function_names();

}  // namespace isotherm
