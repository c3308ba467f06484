#include "case/basics/text/wording.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <utility>

#include "kernels/core/utf8.hpp"

namespace isotherm {
namespace {

/// Converts ASCII letters to lower case.
std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return lower;
}

/// Returns the number of errors that are tolerated in a word of `letters` letters. Words of up to
/// three letters are too similar to each other for any.
std::size_t reach(std::size_t letters) { return letters < 4 ? 0 : (letters + 1) / 3; }

/// Formats a number by printf's rules: "\x1b".
std::string escaped(char const* form, unsigned number) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), form, number);
  return text.data();
}

/// Implements visible(). @param kept  control characters that are not escaped
std::string made_visible(std::string_view text, std::string_view kept) {
  std::string line;
  while (!text.empty()) {
    Letter const letter = first_letter(text);
    std::size_t const bytes = std::max<std::size_t>(letter.bytes, 1);
    if (letter.bytes == 0 || letter.code < 0x80) {
      // A byte that begins no valid UTF-8 sequence (bytes == 0), or an ASCII character.
      bool const plain = letter.bytes == 1 &&
                         (!is_control(letter.code) || kept.find(text[0]) != std::string_view::npos);
      line +=
          plain ? std::string(1, text[0]) : escaped("\\x%02x", static_cast<unsigned char>(text[0]));
    } else if (is_control(letter.code)) {
      line += escaped("\\u%04x", letter.code);
    } else {
      line += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return line;
}

}  // namespace

std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::string const a = lower_case(from);
  std::string const b = lower_case(to);
  // distance[i][j] is the distance of the first i letters of a from the first j letters of b.
  std::vector distance(a.size() + 1, std::vector<std::size_t>(b.size() + 1, 0));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        distance[i][j] = i + j;
        continue;
      }
      std::size_t const change = distance[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      distance[i][j] = std::min({distance[i - 1][j] + 1, distance[i][j - 1] + 1, change});
      // Neighbouring letters are swapped.
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        distance[i][j] = std::min(distance[i][j], distance[i - 2][j - 2] + 1);
      }
    }
  }
  return distance[a.size()][b.size()];
}

std::string nearest_name(std::string_view word, std::vector<std::string> const& names,
                         std::size_t min_reach) {
  std::string nearest;
  std::pair<std::size_t, bool> minimum{};  // errors, and whether the first letters differ
  for (std::string const& name : names) {
    // A word may be a whole line of a file; only its beginning is compared.
    std::size_t const slips = edit_distance(word.substr(0, 100), name);
    std::pair const distance{slips, lower_case(word.substr(0, 1)) != lower_case(name.substr(0, 1))};
    // A single letter resembles every other one, so `min_reach` does not apply to it.
    std::size_t const allowed =
        name.size() < 2 ? reach(name.size()) : std::max(reach(name.size()), min_reach);
    if (slips <= allowed && (nearest.empty() || distance < minimum)) {
      nearest = name;
      minimum = distance;
    }
  }
  return nearest;
}

std::string join(std::vector<std::string> const& words, std::string_view between) {
  std::string joined;
  for (std::size_t i = 0; i < words.size(); ++i) {
    joined += i == 0 ? "" : between;
    joined += words[i];
  }
  return joined;
}

bool precedes_naturally(std::string_view a, std::string_view b) {
  constexpr std::string_view digits = "0123456789";
  // The number at the start of a text, without leading zeros; removes it from the text.
  auto const take_number = [&](std::string_view& text) {
    std::string_view number = text.substr(0, text.find_first_not_of(digits));
    text.remove_prefix(number.size());
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
    return number;
  };
  auto const is_digit = [&](char c) { return digits.find(c) != std::string_view::npos; };
  auto const starts_with_fraction = [&](std::string_view text) {
    return text.size() > 1 && text[0] == '.' && is_digit(text[1]);
  };
  // The digits behind a decimal point, without trailing zeros; removes both from the text.
  auto const take_fraction = [&](std::string_view& text) {
    text.remove_prefix(1);
    std::string_view fraction = text.substr(0, text.find_first_not_of(digits));
    text.remove_prefix(fraction.size());
    return fraction.substr(0, fraction.find_last_not_of('0') + 1);
  };
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      std::string_view const first = take_number(a);
      std::string_view const second = take_number(b);
      // Of decimals with the same whole part the fractions are compared digit by digit.
      if (first == second && starts_with_fraction(a) && starts_with_fraction(b)) {
        std::string_view const one = take_fraction(a);
        std::string_view const two = take_fraction(b);
        if (one != two) return one < two;
        continue;
      }
      // Of numbers without leading zeros the longer one is larger.
      if (first.size() != second.size()) return first.size() < second.size();
      if (first != second) return first < second;
    } else {
      if (a.front() != b.front()) return a.substr(0, 1) < b.substr(0, 1);
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  return a.empty() && !b.empty();
}

std::string_view cut(std::string_view text, std::size_t max_bytes) {
  // Bytes 10xxxxxx continue a UTF-8 character, so a cut before them would split it.
  auto const continues = [&](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
  };
  std::size_t end = std::min(max_bytes, text.size());
  while (end > 0 && continues(end)) {
    --end;
  }
  return text.substr(0, end);
}

std::string visible(std::string_view text) { return made_visible(text, ""); }

std::string visible_lines(std::string_view text) { return made_visible(text, "\n\t"); }

std::string one_line(std::string_view text, std::size_t max_bytes) {
  // Cut first: escapes would make the text longer, and might be cut themselves.
  std::string line(cut(text, max_bytes));
  bool const whole = line.size() == text.size();
  std::replace_if(
      line.begin(), line.end(),
      [](char letter) { return letter == '\n' || letter == '\r' || letter == '\t'; }, ' ');
  return visible(line) + (whole ? "" : "...");
}

std::string in_quotes(std::string_view text) { return '"' + one_line(text) + '"'; }

}  // namespace isotherm
