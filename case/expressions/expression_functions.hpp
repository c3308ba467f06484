#pragma once

#include <mutex>
#include <string>
#include <vector>

namespace mu {
class Parser;
}

namespace isotherm {

/// Adds the functions to a parser that muParser does not provide: pow, mod, step, clamp, erf, ….
void define_functions(mu::Parser& parser);

/// Returns the mutex that must be held while a parser is constructed, because muParser has global
/// state.
std::mutex& building_a_parser();

/// Returns the names of all functions that an expression may call: muParser's own and those of
/// define_functions(). Thread-safe.
std::vector<std::string> const& function_names();

}  // namespace isotherm
