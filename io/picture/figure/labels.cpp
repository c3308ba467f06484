#include "io/picture/figure/labels.hpp"

#include <algorithm>
#include <array>

#include "kernels/core/utf8.hpp"

namespace isotherm {
namespace {

constexpr std::string_view minus = "−";  // U+2212, as wide as a plus sign

/// Calls visit(letter, its bytes) for each character of a UTF-8 text. For an invalid byte,
/// letter.bytes is 0.
template <class Visit>
void for_each_letter(std::string_view text, Visit const& visit) {
  while (!text.empty()) {
    Letter const letter = first_letter(text);
    // An invalid byte is one character, so the loop always advances.
    std::size_t const bytes = std::max<std::size_t>(letter.bytes, 1);
    visit(letter, text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
}

/// Replaces digits by superscript digits.
std::string superscript(std::string_view digits) {
  constexpr std::array<std::string_view, 10> raised{"⁰", "¹", "²", "³", "⁴",
                                                    "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (char const digit : digits) {
    text += raised.at(static_cast<std::size_t>(digit - '0'));
  }
  return text;
}

/// Typesets an exponent: "-07" becomes "×10⁻⁷".
std::string power_of_ten(std::string_view exponent) {
  std::string const sign = exponent.starts_with('-') ? "⁻" : "";
  // Removes the sign and leading zeros, but keeps the last digit.
  exponent.remove_prefix(std::min(exponent.find_first_not_of("+-0"), exponent.size() - 1));
  return "×10" + sign + superscript(exponent);
}

}  // namespace

std::string drawable(std::string_view text) {
  std::string line;
  for_each_letter(text, [&](Letter letter, std::string_view bytes) {
    line += letter.bytes == 0 || is_control(letter.code) ? "\ufffd" : bytes;
  });
  return line;
}

std::string in_ascii(std::string_view drawable) {
  std::string line;
  for_each_letter(drawable, [&](Letter letter, std::string_view bytes) {
    line += letter.bytes == 1 ? bytes : "?";
  });
  return line;
}

std::string shortened(std::string_view drawable, std::size_t letters) {
  std::string line;
  std::size_t count = 0;
  for_each_letter(drawable, [&](Letter /*letter*/, std::string_view bytes) {
    // Counts characters, not bytes.
    line += ++count <= letters ? bytes : "";
  });
  return count <= letters ? line : line + "…";
}

std::string typeset_number(std::string_view number) {
  std::string text;
  if (number.starts_with('-')) {
    text = minus;
    number.remove_prefix(1);
  }
  // Mantissa before the e, exponent behind it.
  auto const e = number.find('e');
  text += number.substr(0, e);
  return e == std::string_view::npos ? text : text + power_of_ten(number.substr(e + 1));
}

}  // namespace isotherm
