#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace isotherm {

/// A Unicode code point at the beginning of a text, and the length of its UTF-8 encoding in bytes.
/// `bytes` is 0 if the text does not begin with valid UTF-8.
struct Letter {
  char32_t code = 0;
  std::size_t bytes = 0;
};

/// Decodes the first code point, encoded as RFC 3629 defines. Rejects overlong encodings,
/// surrogates and code points above U+10FFFF.
/// @pre `text` is not empty.
inline Letter first_letter(std::string_view text) {
  auto const byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  if (byte(0) < 0x80) {
    return {byte(0), 1};
  }
  // The first byte determines the length.
  std::size_t const bytes = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  // 0x80 … 0xbf continue a sequence; 0xc0, 0xc1 and 0xf5 … 0xff never occur.
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < bytes) {
    return {};
  }
  char32_t code = byte(0) & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) {
      return {};
    }
    code = (code << 6U) | (byte(i) & 0x3fU);
  }
  // Smaller codes are overlong encodings.
  constexpr std::array<char32_t, 5> minimum{0, 0, 0x80, 0x800, 0x10000};
  bool const surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < minimum[bytes] || surrogate || code > 0x10ffff ? Letter{} : Letter{code, bytes};
}

/// Returns true for code points that terminals interpret instead of displaying: control characters,
/// line ends, and changes of the writing direction.
inline bool is_control(char32_t code) {
  bool const ends_line = code == 0x2028 || code == 0x2029;
  bool const turns = code == 0x061c || code == 0x200e || code == 0x200f ||
                     (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || ends_line || turns;
}

}  // namespace isotherm
