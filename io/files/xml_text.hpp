#pragma once

#include <string>

namespace isotherm {

/// Escapes a text for XML, between tags and inside double quotes. @pre  it has no control
/// characters
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
