#include "case/expressions/expression_names.hpp"

#include "kernels/core/text.hpp"

namespace isotherm {
namespace {

/// Returns whether a character is a decimal digit, in any locale.
bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
/// Returns whether a character may begin a name: an ASCII letter or '_'.
bool begins_name(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_';
}

/// Returns the end of the sequence of characters that satisfy a predicate.
template <class Belongs>
std::size_t end_of(std::string_view text, std::size_t begin, Belongs const& belongs) {
  while (begin < text.size() && belongs(text[begin])) ++begin;
  return begin;
}

/// Returns the end of the number that begins at `begin`, including its exponent: "1.5e-3". An e
/// without digits after it is not part of the number.
std::size_t end_of_number(std::string_view text, std::size_t begin) {
  std::size_t const end =
      end_of(text, begin, [](char letter) { return is_digit(letter) || letter == '.'; });
  if (end == text.size() || (text[end] != 'e' && text[end] != 'E')) return end;
  bool const has_sign = end + 1 < text.size() && (text[end + 1] == '-' || text[end + 1] == '+');
  std::size_t const exponent = end + (has_sign ? 2 : 1);
  std::size_t const last = end_of(text, exponent, is_digit);
  return last == exponent ? end : last;
}

/// Returns a number as a factor of an expression. Negative numbers get parentheses, so -2 squared
/// remains (-2)^2.
std::string factor(double value) {
  std::string const text = shortest(value == 0.0 ? 0.0 : value);
  return value < 0.0 ? '(' + text + ')' : text;
}

}  // namespace

// Numbers are skipped as a whole, so the exponent of 1e5 is not mistaken for a name.
std::vector<NameInText> names_in(std::string_view text) {
  std::vector<NameInText> names;
  for (std::size_t i = 0; i < text.size();) {
    if (begins_name(text[i])) {
      std::size_t const end =
          end_of(text, i, [](char letter) { return begins_name(letter) || is_digit(letter); });
      names.push_back({text.substr(i, end - i), i});
      i = end;
    } else {
      i = is_digit(text[i]) || text[i] == '.' ? end_of_number(text, i) : i + 1;
    }
  }
  return names;
}

Constants named_in(std::string_view text, Constants const& constants) {
  Constants named;
  for (NameInText const& found : names_in(text)) {
    auto const constant = constants.find(found.name);
    if (constant != constants.end()) named.insert(*constant);
  }
  return named;
}

// For example "a*x + b" with a = -2 and b = 0.5 becomes "(-2)*x + 0.5".
std::string with_values(std::string_view text, Constants const& constants) {
  std::string result;
  std::size_t done = 0;
  for (auto const& [name, place] : names_in(text)) {
    auto const constant = constants.find(name);
    if (constant == constants.end()) continue;
    result += text.substr(done, place - done);
    result += factor(constant->second);
    done = place + name.size();
  }
  return result.append(text.substr(done));
}

}  // namespace isotherm
