#include "case/expressions/expression_advice.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <muParser.h>
#include <optional>
#include <string_view>

#include "case/basics/text/wording.hpp"
#include "case/expressions/expression_functions.hpp"

namespace isotherm {
namespace {

constexpr char const* logarithms = "ln and log have base e, log10 has base 10, log2 has base 2";

constexpr char const* unknown =
    "values and coefficients may depend on the coordinates, and some on the time, but not on the "
    "solution u";

/// A name from other languages or from mathematical notation, with the advice on it.
struct OtherName {
  std::string_view written;  ///< in lower case
  std::string_view advice;
};
constexpr std::array other_names{
    OtherName{"arcsin", "did you mean asin?"},
    OtherName{"arccos", "did you mean acos?"},
    OtherName{"arctan", "did you mean atan?"},
    OtherName{"arctan2", "did you mean atan2?"},
    OtherName{"power", "did you mean pow?"},
    OtherName{"fmod", "did you mean mod? its result has the sign of the second argument"},
    OtherName{"round", "did you mean rint? it rounds halves up"},
    OtherName{"ceiling", "did you mean ceil?"},
    OtherName{"heaviside", "did you mean step?"},
    OtherName{"mean", "did you mean avg?"},
    OtherName{"average", "did you mean avg?"},
    OtherName{"minimum", "did you mean min?"},
    OtherName{"maximum", "did you mean max?"},
    OtherName{"log", logarithms},  // capitalised, as "LOG"; "log" itself is a function
    OtherName{"lg", logarithms},
    OtherName{"e", "write exp(1), and exp(x) for a power of it"},
    OtherName{"time", "did you mean t?"},
    OtherName{"u", unknown},
    OtherName{"temperature", unknown},
    OtherName{"temp", unknown},
    OtherName{"if", "write a ? b : c"},
    OtherName{"and", "write &&"},
    OtherName{"&", "write &&"},
    OtherName{"or", "write ||"},
    OtherName{"|", "write ||"},
    OtherName{"not", "write x == 0"},
    OtherName{"!", "write x == 0"},
    OtherName{"true", "write 1"},
    OtherName{"false", "write 0"},
    OtherName{"%", "write mod(a, b)"},
    OtherName{"π", "write pi"},
    OtherName{"²", "write ^2"},
    OtherName{"³", "write ^3"},
    OtherName{"√", "write sqrt(x)"},
    OtherName{"·", "write *"},
    OtherName{"×", "write *"},
    OtherName{"÷", "write /"},
    OtherName{"−", "write -"},
};

/// Returns a text in lower case. Bytes of UTF-8 sequences are unchanged in the C locale.
std::string small(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return text;
}

/// Returns the identifier, or the single character, at the start of the text that muParser
/// rejected.
std::string first_word(std::string const& token) {
  std::size_t length = 0;
  while (length < token.size() &&
         (std::isalnum(static_cast<unsigned char>(token[length])) != 0 || token[length] == '_')) {
    ++length;
  }
  std::size_t letter = 1;  // length of a character in UTF-8, in bytes
  while (letter < token.size() && (static_cast<unsigned char>(token[letter]) & 0xc0) == 0x80) {
    ++letter;
  }
  return token.substr(0, std::max(length, letter));
}

/// Returns whether a character may be part of a name or number.
bool is_in_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '.';
}

/// Returns whether a character is a blank, a tab or a line break.
bool is_blank(char letter) { return std::string_view(" \t\r\n").find(letter) != std::string::npos; }

/// Returns the name or number that ends before `end`, ignoring blanks; empty if there is none.
std::string word_before(std::string_view text, std::size_t end) {
  while (end > 0 && is_blank(text[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_in_word(text[begin - 1])) --begin;
  return std::string(text.substr(begin, end - begin));
}
/// Returns the name or number that begins at or after `begin`, ignoring blanks; empty if there is
/// none.
std::string word_behind(std::string_view text, std::size_t begin) {
  while (begin < text.size() && is_blank(text[begin])) ++begin;
  std::size_t end = begin;
  while (end < text.size() && is_in_word(text[end])) ++end;
  return std::string(text.substr(begin, end - begin));
}

/// A mistake that is common in other languages or notations, and its position.
struct KnownMistake {
  std::size_t place = 0;
  std::string advice{};
};

/// Detects "x**2", the power in Fortran and Python. The message is, for example: "**" is not an
/// operator (write ^ for powers: x^2).
std::optional<KnownMistake> power_with_stars(std::string const& text) {
  auto const place = text.find("**");
  if (place == std::string::npos) return std::nullopt;
  std::string const base = word_before(text, place), exponent = word_behind(text, place + 2);
  bool const both = !base.empty() && !exponent.empty();
  return KnownMistake{place,
                      R"("**" is not an operator (write ^ for powers)" +
                          (both ? ": " + base + '^' + exponent : std::string(", as in x^2")) + ')'};
}

/// Detects "sin x", a function without parentheses. The message is, for example: "sin" is a
/// function and needs its argument in parentheses (did you mean sin(x)?).
std::optional<KnownMistake> function_without_parentheses(std::string const& text) {
  std::vector<std::string> const& functions = function_names();
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string const word = word_behind(text, i);
    if (word.empty() || is_blank(text[i])) continue;
    std::size_t next = i + word.size();
    while (next < text.size() && is_blank(text[next])) ++next;
    bool const called = next < text.size() && text[next] == '(';
    if (!called && std::ranges::find(functions, word) != functions.end()) {
      std::string advice = in_quotes(word) + " is a function and needs its argument in parentheses";
      std::string const argument = word_behind(text, next);
      if (!argument.empty())
        advice.append(" (did you mean ").append(word).append("(").append(argument).append(")?)");
      return KnownMistake{i, advice};
    }
    i += word.size() - 1;
  }
  return std::nullopt;
}

/// Suggests a product for two adjacent operands: "2*x" for "2x". muParser's positions may lie
/// beyond the end of the text.
std::string missing_operator(std::string_view text, std::size_t place) {
  place = std::min(place, text.size());
  std::string left = word_before(text, place), right = word_behind(text, place);
  if (left.empty() && text.substr(0, place).ends_with(')')) left = ")";
  if (right.empty() && place < text.size() && text[place] == '(') right = "(";
  bool const is_factor =
      right == "(" || (!right.empty() && std::isalpha(static_cast<unsigned char>(right[0])) != 0);
  if (right == "(") right += "...)";
  return left.empty() || !is_factor ? "" : " (did you mean " + left + '*' + right + "?)";
}

/// Explains too many arguments. For log, users often mean a base.
std::string too_many_arguments(std::string const& name) {
  std::string const word = in_quotes(name);
  return word + " has too many arguments" +
         (name == "log" ? std::string(" (") + logarithms + ')' : "");
}

/// Translates muParser's error code into a message with advice.
/// @param known  names of the variables and constants that the expression may use
std::string reason(std::string const& text, mu::ParserError const& error,
                   std::vector<std::string> const& known) {
  // The rejected word, its position, and whether an opening parenthesis follows it.
  std::string const name = first_word(error.GetToken());
  std::string const word = in_quotes(name);
  auto const place = static_cast<std::size_t>(std::max(error.GetPos(), 0));
  std::string_view const behind =
      std::string_view(text).substr(std::min(place + name.size(), text.size()));
  auto const next = behind.find_first_not_of(" \t\r\n");
  bool const called = next != std::string::npos && behind[next] == '(';
  // muParser's own messages are not shown: they name no remedy.
  switch (error.GetCode()) {
    case mu::ecUNASSIGNABLE_TOKEN:
      return word + " is not known (" + advice_on_name(name, called, known) + ")";
    case mu::ecUNEXPECTED_EOF:
      return "it is incomplete";
    case mu::ecEMPTY_EXPRESSION:
      return "it is empty";
    case mu::ecMISSING_PARENS:
      return "a closing parenthesis is missing";
    case mu::ecUNEXPECTED_PARENS:
      if (name == "(") return word + " is not allowed there" + missing_operator(text, place);
      return "it has one closing parenthesis too many";
    case mu::ecTOO_FEW_PARAMS:
      return word + " has too few arguments";
    case mu::ecTOO_MANY_PARAMS:
      return too_many_arguments(name);
    case mu::ecMISSING_ELSE_CLAUSE:
      return "the part after : is missing (needs condition ? value : other value)";
    case mu::ecMISPLACED_COLON:
      return "there is a : without a ? before it (needs condition ? value : other value)";
    default:
      if (name.empty()) return "it is incomplete";
      return word + " is not allowed there" + missing_operator(text, place);
  }
}

/// Returns the length of the comparison operator at the start of a text, or 0.
std::size_t comparison_length(std::string_view text) {
  for (char const* const two : {"<=", ">=", "==", "!="}) {
    if (text.starts_with(two)) return 2;
  }
  return text.starts_with('<') || text.starts_with('>') ? 1 : 0;
}

/// Returns whether an operator has lower precedence than comparisons, or separates arguments.
bool ends_comparison(char letter) {
  return std::string_view("&|?:,").find(letter) != std::string::npos;
}

/// Returns the position after the operand that begins at `begin`.
std::size_t end_of_operand(std::string_view text, std::size_t begin) {
  int depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth < 0) return i;
    bool const ends = ends_comparison(text[i]) || comparison_length(text.substr(i)) > 0;
    if (depth == 0 && ends) return i;
  }
  return text.size();
}

/// Returns a text without leading and trailing blanks.
std::string_view without_blanks_around(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Rewrites a < b < c as "a < b && b < c". The operand a begins at `begin`; `first` and `second`
/// are the positions of the comparisons. If the result is long or has several lines, a schematic
/// text is returned.
std::string both_compared(std::string_view text, std::size_t begin, std::size_t first,
                          std::size_t second) {
  std::size_t const behind = second + comparison_length(text.substr(second));
  std::size_t const middle = first + comparison_length(text.substr(first));
  auto const left = without_blanks_around(text.substr(begin, second - begin));
  auto const shared = without_blanks_around(text.substr(middle, second - middle));
  auto const right =
      without_blanks_around(text.substr(second, end_of_operand(text, behind) - second));
  std::string both = std::string(left) + " && " + std::string(shared) + ' ' + std::string(right);
  constexpr std::size_t longest = 60;
  bool const is_clear = both.size() <= longest && both.find_first_of("\n\r\t") == std::string::npos;
  return is_clear ? both : "a < b && b < c";
}

/// Joins names for a message. A list of more than twelve names is cut and ends with "...".
std::string listed(std::vector<std::string> const& names) {
  constexpr std::size_t maximum = 12;
  std::vector<std::string> const first(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), maximum)));
  return join(first) + (names.size() > maximum ? ", ..." : "");
}

}  // namespace

// A single pass with a stack of levels. A level remembers the beginning of its current operand and
// its last comparison. Logical operators, ?: and commas begin a new operand.
std::string chained_comparison(std::string_view text) {
  struct Level {
    std::size_t begin = 0;
    std::optional<std::size_t> comparison{};
  };
  std::vector<Level> levels(1);  // one entry per open parenthesis
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::size_t const length = comparison_length(text.substr(i));
    if (text[i] == '(') levels.push_back({i + 1});
    // A closing parenthesis returns to the enclosing level, whose last comparison is remembered.
    if (text[i] == ')' && levels.size() > 1) levels.pop_back();
    if (ends_comparison(text[i])) levels.back() = {i + 1};
    if (length == 0) continue;
    auto const [begin, before] = levels.back();
    if (before) {
      return "comparisons cannot be chained (write " + both_compared(text, begin, *before, i) +
             "), at character " + std::to_string(i + 1);
    }
    levels.back().comparison = i;
    i += length - 1;
  }
  return "";
}

// In this order: names from other languages, misspelled names of the expected kind, misspelled
// names of the other kind, a list of all.
std::string advice_on_name(std::string const& name, bool called,
                           std::vector<std::string> const& known) {
  bool const may_have_u = std::ranges::find(known, "u") != known.end();
  if (may_have_u && (name == "T" || name == "temperature")) return "did you mean u?";
  if (name == "T") return unknown;  // but "t" is the time
  auto const* const other =
      std::ranges::find(other_names, std::string_view(small(name)), &OtherName::written);
  if (other != other_names.end()) return std::string(other->advice);
  std::size_t const slips_in_short_names = name.size() < 2 ? 0 : 1;
  std::string near = nearest_name(name, called ? function_names() : known, slips_in_short_names);
  if (near.empty()) {
    near = nearest_name(name, called ? known : function_names(), slips_in_short_names);
    if (!near.empty() && !called) near += "(...)";
  }
  if (!near.empty()) return "did you mean " + near + "?";
  return "known are " + listed(known) + ", and functions such as sin, exp";
}

std::string what_is_wrong(std::string const& text, mu::ParserError const& error,
                          std::vector<std::string> const& known) {
  // Known mistakes first: muParser's error would point at a consequence.
  for (auto* const find : {power_with_stars, function_without_parentheses}) {
    if (auto const mistake = find(text)) {
      return mistake->advice + ", at character " + std::to_string(mistake->place + 1);
    }
  }
  int const place = std::min(error.GetPos(), static_cast<int>(text.size())) + 1;
  return reason(text, error, known) + (place < 1 ? "" : ", at character " + std::to_string(place));
}

}  // namespace isotherm
