#pragma once

#include <string>

namespace isotherm {

/// A text, without control characters, as XML has it between tags and in quotes.
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
