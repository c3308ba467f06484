#include "case/basics/text/json_text.hpp"

#include <algorithm>
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

}  // namespace isotherm
