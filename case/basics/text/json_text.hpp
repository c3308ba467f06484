#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace isotherm {

/// Maximum nesting depth of objects and lists in a JSON text. isotherm's own files nest two deep.
inline constexpr int deepest_json = 32;

/// Parses a JSON text that comes from a file. Returns null if the text is not JSON, or if it is
/// nested more deeply than deepest_json. The limit exists because operations on JSON values need
/// stack memory for each level.
nlohmann::json parse_json(std::string_view text);

}  // namespace isotherm
