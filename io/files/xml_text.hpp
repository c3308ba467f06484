#pragma once

#include <string>

namespace isotherm {

/// Escapes a text for XML: the result is valid between tags and inside double quotes.
///
///     "<Grid Name=\"" + xml_text(name) + "\">"
///
/// @pre  The text is UTF-8 without control characters, for which XML has no escapes.
inline std::string xml_text(std::string const& text) {
  std::string escaped;
  for (char const c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace isotherm
