#include "case/basics/text/json_text.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

namespace isotherm {
namespace {

/// Returns the maximum number of simultaneously open brackets; brackets within strings are ignored.
/// One pass, without recursion.
int depth_of(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char const c = text[i];
    if (in_text) {
      // A backslash escapes the next character, which may be a quotation mark.
      i += c == '\\' ? 1 : 0;
      in_text = c != '"';
    } else if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return deepest;
}

}  // namespace

nlohmann::json parse_json(std::string_view text) {
  // The depth is checked first, since the parser recurses as well.
  if (depth_of(text) > deepest_json) {
    return {};
  }
  // Without exceptions: a text that is not JSON gives a discarded value.
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  return json.is_discarded() ? nlohmann::json() : json;
}

nlohmann::json const& json_member(nlohmann::json const& json, std::string const& key) {
  static nlohmann::json const null;
  if (!json.is_object()) return null;
  auto const found = json.find(key);
  return found == json.end() ? null : *found;
}

double json_number(nlohmann::json const& json, std::string const& key) {
  nlohmann::json const& member = json_member(json, key);
  return member.is_number() ? member.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

std::string json_text(nlohmann::json const& json, std::string const& key,
                      std::string const& fallback) {
  nlohmann::json const& member = json_member(json, key);
  return member.is_string() ? member.get<std::string>() : fallback;
}

bool json_flag(nlohmann::json const& json, std::string const& key) {
  nlohmann::json const& member = json_member(json, key);
  return member.is_boolean() && member.get<bool>();
}

}  // namespace isotherm
