#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace isotherm {

/// Maximum nesting depth of objects and lists in a JSON text. isotherm's own files nest two deep.
inline constexpr int deepest_json = 32;

/// Parses a JSON text that comes from a file. Returns null if the text is not JSON, or if it is
/// nested more deeply than deepest_json. The limit exists because operations on JSON values need
/// stack memory for each level.
nlohmann::json parse_json(std::string_view text);

// Members of an object that comes from a file: they may be missing, or of any type.

/// Returns the member of this name, or null if `json` is no object or lacks it.
nlohmann::json const& json_member(nlohmann::json const& json, std::string const& key);
/// Returns a number, or NaN if the member is not a number.
double json_number(nlohmann::json const& json, std::string const& key);
/// Returns a text, or `fallback` if the member is not a text.
std::string json_text(nlohmann::json const& json, std::string const& key,
                      std::string const& fallback = "");
/// Returns whether the member is true.
bool json_flag(nlohmann::json const& json, std::string const& key);

}  // namespace isotherm
