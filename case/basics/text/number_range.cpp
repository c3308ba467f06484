#include "case/basics/text/number_range.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "case/basics/text/wording.hpp"

namespace isotherm {

namespace {

bool is_digit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }
bool is_of_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

/// Calls visit(rest) with the text from each number on, until it returns true. Underscores, which
/// group digits in TOML, are removed from the text.
template <class Visit>
void for_each_number(std::string_view text, Visit const& visit) {
  for (std::size_t n = 0; n < text.size();) {
    char const first = text[n];
    if (first == '#') return;
    if (first == '"' || first == '\'') {
      auto const end = text.find(first, n + 1);
      n = end == std::string_view::npos ? text.size() : end + 1;
    } else if (is_digit(first) || (first == '.' && n + 1 < text.size() && is_digit(text[n + 1]))) {
      std::string rest(text.substr(n));
      std::erase(rest, '_');
      if (visit(rest)) return;
      while (n < text.size() && (is_of_name(text[n]) || text[n] == '.')) ++n;
    } else if (is_of_name(first)) {
      while (n < text.size() && is_of_name(text[n])) ++n;
    } else {
      ++n;
    }
  }
}

}  // namespace

std::string number_out_of_range(std::string_view text) {
  std::string fault;
  for_each_number(text, [&](std::string const& rest) {
    double value = 0.0;
    auto const [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc::result_out_of_range) return false;
    // Tiny numbers are out of range, too, but become 0.
    if (!std::isinf(std::strtod(rest.c_str(), nullptr))) return false;
    fault =
        one_line(std::string_view(rest.data(), static_cast<std::size_t>(end - rest.data())), 60) +
        " is out of range (numbers are at most 1.8e308 in magnitude)";
    return true;
  });
  return fault;
}

std::string whole_out_of_range(std::string_view text) {
  std::string fault;
  for_each_number(text, [&](std::string const& rest) {
    std::int64_t value = 0;
    auto const [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    bool const is_decimal =
        end != rest.data() + rest.size() && (*end == '.' || *end == 'e' || *end == 'E');
    if (error != std::errc::result_out_of_range || is_decimal) return false;
    fault =
        one_line(std::string_view(rest.data(), static_cast<std::size_t>(end - rest.data())), 60) +
        " is out of range (whole numbers are at most 9.2e18 in magnitude)";
    return true;
  });
  return fault;
}

}  // namespace isotherm
