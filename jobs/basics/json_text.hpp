#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace isotherm {

/// Objects and lists within each other in a JSON text; isotherm's own have two.
inline constexpr int deepest_json = 32;

/// What a JSON text from a file holds; null where it is no JSON, or more deeply nested than
/// deepest_json, since much of what is done with it takes a piece of the stack a level.
nlohmann::json parse_json(std::string_view text);

}  // namespace isotherm
