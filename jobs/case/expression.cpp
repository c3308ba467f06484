#include "jobs/case/expression.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <muParser.h>
#include <mutex>
#include <numbers>
#include <optional>
#include <vector>

#include "jobs/basics/wording.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

/// muParser reads its variables through pointers, so a parser serves one thread.
class Parser {
 public:
  /// @param of_field  the text may name u
  explicit Parser(std::string const& text, bool of_field) {
    parser_.ClearConst();  // "_pi" and "_e": one name a thing
    parser_.DefineConst("pi", std::numbers::pi);
    parser_.DefineVar("x", &x_);
    parser_.DefineVar("y", &y_);
    parser_.DefineVar("z", &z_);
    parser_.DefineVar("t", &t_);
    if (of_field) parser_.DefineVar("u", &u_);
    parser_.SetExpr(text);
  }
  // The parser points into this object.
  Parser(Parser const&) = delete;
  Parser& operator=(Parser const&) = delete;
  Parser(Parser&&) = delete;
  Parser& operator=(Parser&&) = delete;
  ~Parser() = default;

  double operator()(double x, double y, double z, double t, double u = 0.0) {
    x_ = x;
    y_ = y;
    z_ = z;
    t_ = t;
    u_ = u;
    return parser_.Eval();
  }

  [[nodiscard]] bool names(char const* variable) const {
    return parser_.GetUsedVar().count(variable) != 0;
  }
  [[nodiscard]] int result_count() const { return parser_.GetNumResults(); }
  static std::vector<std::string> functions() {
    std::vector<std::string> names;
    mu::Parser const parser;
    for (auto const& [name, function] : parser.GetFunDef()) {
      names.push_back(name);
    }
    return names;
  }

 private:
  mu::Parser parser_;
  double x_ = 0.0, y_ = 0.0, z_ = 0.0, t_ = 0.0, u_ = 0.0;
};

/// muParser keeps state of its own while it builds a parser.
std::unique_ptr<Parser> build(std::string const& text, bool of_field) {
  static std::mutex building;
  std::lock_guard const lock(building);
  auto parser = std::make_unique<Parser>(text, of_field);
  (*parser)(0.0, 0.0, 0.0, 0.0);  // compiles the text
  return parser;
}

/// An expression with a parser for each thread that has called it.
class Expression : public std::enable_shared_from_this<Expression> {
 public:
  explicit Expression(std::string text, bool of_field = false)
      : text_(std::move(text)), of_field_(of_field) {}

  double operator()(double x, double y, double z, double t, double u = 0.0) const {
    return parser_of_this_thread()(x, y, z, t, u);
  }

 private:
  struct Entry {
    std::weak_ptr<Expression const> owner;
    std::uint64_t id;
    std::unique_ptr<Parser> parser;
  };

  [[nodiscard]] Parser& parser_of_this_thread() const {
    thread_local std::vector<Entry> parsers;
    for (Entry const& entry : parsers) {
      if (entry.id == id_) {
        return *entry.parser;
      }
    }
    std::erase_if(parsers, [](Entry const& entry) { return entry.owner.expired(); });
    parsers.push_back({weak_from_this(), id_, build(text_, of_field_)});
    return *parsers.back().parser;
  }

  static std::uint64_t next_id() {
    static std::atomic<std::uint64_t> count{0};
    return ++count;
  }

  std::string text_;
  bool of_field_;
  std::uint64_t id_ = next_id();
};

/// The name, or the single character, at the start of what muParser did not understand.
std::string first_word(std::string const& token) {
  std::size_t length = 0;
  while (length < token.size() &&
         (std::isalnum(static_cast<unsigned char>(token[length])) != 0 || token[length] == '_')) {
    ++length;
  }
  std::size_t letter = 1;  // of a letter beyond ASCII all bytes
  while (letter < token.size() && (static_cast<unsigned char>(token[letter]) & 0xc0) == 0x80) {
    ++letter;
  }
  return token.substr(0, std::max(length, letter));
}

bool is_in_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '.';
}

bool is_blank(char letter) { return std::string_view(" \t\r\n").find(letter) != std::string::npos; }

/// The name or the number that ends before `end`, or begins at `begin`, blanks left out; empty
/// where there is none.
std::string word_before(std::string_view text, std::size_t end) {
  while (end > 0 && is_blank(text[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_in_word(text[begin - 1])) --begin;
  return std::string(text.substr(begin, end - begin));
}
std::string word_behind(std::string_view text, std::size_t begin) {
  while (begin < text.size() && is_blank(text[begin])) ++begin;
  std::size_t end = begin;
  while (end < text.size() && is_in_word(text[end])) ++end;
  return std::string(text.substr(begin, end - begin));
}

/// A mistake that other languages, or paper, lead to.
struct KnownMistake {
  std::size_t place = 0;
  std::string says{};
};

std::optional<KnownMistake> power_with_stars(std::string const& text) {
  auto const place = text.find("**");
  if (place == std::string::npos) return std::nullopt;
  std::string const base = word_before(text, place), exponent = word_behind(text, place + 2);
  bool const both = !base.empty() && !exponent.empty();
  return KnownMistake{
      place, R"("**" is no operator ()" + (both ? "did you mean " + base + '^' + exponent + "?)"
                                                : std::string("a power is x^2)"))};
}

std::optional<KnownMistake> function_without_parentheses(std::string const& text) {
  std::vector<std::string> const functions = Parser::functions();
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string const word = word_behind(text, i);
    if (word.empty() || is_blank(text[i])) continue;
    std::size_t next = i + word.size();
    while (next < text.size() && is_blank(text[next])) ++next;
    bool const called = next < text.size() && text[next] == '(';
    if (!called && std::ranges::find(functions, word) != functions.end()) {
      std::string says = quoted(word) + " is a function, whose argument stands in parentheses";
      std::string const argument = word_behind(text, next);
      if (!argument.empty())
        says.append(" (did you mean ").append(word).append("(").append(argument).append(")?)");
      return KnownMistake{i, says};
    }
    i += word.size() - 1;
  }
  return std::nullopt;
}

/// What is meant by two things side by side: "2*x" for "2x". muParser's places may lie behind the
/// end.
std::string missing_operator(std::string_view text, std::size_t place) {
  place = std::min(place, text.size());
  std::string left = word_before(text, place), right = word_behind(text, place);
  if (left.empty() && text.substr(0, place).ends_with(')')) left = ")";
  if (right.empty() && place < text.size() && text[place] == '(') right = "(";
  bool const is_factor =
      right == "(" || (!right.empty() && std::isalpha(static_cast<unsigned char>(right[0])) != 0);
  return left.empty() || !is_factor ? "" : " (did you mean " + left + '*' + right + "?)";
}

/// What may be meant by a name that is not known: where arguments follow it, a function.
std::string advice_on(std::string const& name, std::string_view behind, bool of_field) {
  auto const next = behind.find_first_not_of(" \t\r\n");
  bool const called = next != std::string::npos && behind[next] == '(';
  std::vector<std::string> variables{"x", "y", "z", "t", "pi"};
  if (of_field) variables.emplace_back("u");
  constexpr std::size_t slips_in_short_names = 1;
  std::string const small(1, static_cast<char>(std::tolower(static_cast<unsigned char>(name[0]))));
  bool const is_capital =
      name.size() == 1 && std::ranges::find(variables, small) != variables.end();
  std::string const near =
      is_capital ? small
      : name.size() < 2
          ? ""
          : nearest_name(name, called ? Parser::functions() : variables, slips_in_short_names);
  if (!near.empty()) return "did you mean " + near + "?";
  return std::string("known are ") + (of_field ? "u, " : "") +
         "x, y, z, t, pi, and functions such as sin, exp";
}

std::string reason(std::string const& text, mu::ParserError const& error, bool of_field) {
  std::string const name = first_word(error.GetToken());
  std::string const word = quoted(name);
  auto const place = static_cast<std::size_t>(std::max(error.GetPos(), 0));
  std::string_view const behind =
      std::string_view(text).substr(std::min(place + name.size(), text.size()));
  switch (error.GetCode()) {
    case mu::ecUNASSIGNABLE_TOKEN:
      return word + " is not known (" + advice_on(name, behind, of_field) + ")";
    case mu::ecUNEXPECTED_EOF:
      return "it ends too early";
    case mu::ecEMPTY_EXPRESSION:
      return "it is empty";
    case mu::ecMISSING_PARENS:
      return "a closing parenthesis is missing";
    case mu::ecUNEXPECTED_PARENS:
      if (name == "(") return word + " does not belong there" + missing_operator(text, place);
      return "there is a parenthesis too many";
    case mu::ecTOO_FEW_PARAMS:
      return word + " has too few arguments";
    case mu::ecTOO_MANY_PARAMS:
      return word + " has too many arguments";
    default:
      return word + " does not belong there" + missing_operator(text, place);
  }
}

[[noreturn]] void fail(std::string const& text, std::string const& what) {
  throw InputError(quoted(text) + ": " + what);
}

[[noreturn]] void fail_parsing(std::string const& text, mu::ParserError const& error,
                               bool of_field) {
  for (auto* const find : {power_with_stars, function_without_parentheses}) {
    if (auto const mistake = find(text)) {
      fail(text, mistake->says + ", at character " + std::to_string(mistake->place + 1));
    }
  }
  int const place = std::min(error.GetPos(), static_cast<int>(text.size())) + 1;
  fail(text, reason(text, error, of_field) +
                 (place < 1 ? "" : ", at character " + std::to_string(place)));
}

/// muParser would set a variable where "x = 1" stands for "x == 1".
void refuse_assignment(std::string const& text) {
  for (std::size_t i = text.find('='); i != std::string::npos; i = text.find('=', i + 1)) {
    bool const follows = i > 0 && std::string_view("=<>!").find(text[i - 1]) != std::string::npos;
    bool const precedes = i + 1 < text.size() && text[i + 1] == '=';
    if (!follows && !precedes) {
      fail(text,
           R"("=" would set a value (write == to compare), at character )" + std::to_string(i + 1));
    }
  }
}

/// muParser's own limit, at which it blames the first word.
void refuse_length(std::string const& text) {
  constexpr std::size_t most = 20000;
  if (text.size() > most) {
    fail(text, "it has " + std::to_string(text.size()) + " letters (at most " +
                   std::to_string(most) + ": longer ones are better given as values in a file)");
  }
}

/// To muParser a text ends at its first NUL. Line breaks and tabs are blanks.
void refuse_control_characters(std::string const& text) {
  auto const found = std::ranges::find_if(text, [](unsigned char letter) {
    bool const blank = letter == '\n' || letter == '\r' || letter == '\t';
    return (letter < 0x20 && !blank) || letter == 0x7f;
  });
  if (found != text.end()) {
    fail(text, "it holds a control character (needs plain text), at character " +
                   std::to_string(found - text.begin() + 1));
  }
}

std::unique_ptr<Parser> checked(std::string const& text, bool of_field) try {
  refuse_length(text);
  refuse_control_characters(text);
  refuse_assignment(text);
  auto parser = build(text, of_field);
  if (parser->result_count() != 1) {
    fail(text, "it holds " + std::to_string(parser->result_count()) +
                   " expressions with commas between (needs one)");
  }
  return parser;
} catch (mu::ParserError const& error) {
  fail_parsing(text, error, of_field);
}

ExpressionVariables variables_of(Parser const& parser) {
  return {parser.names("x"), parser.names("y"), parser.names("z"), parser.names("t")};
}

ScalarFunction constant(std::string const& text, double value) {
  if (!std::isfinite(value)) {
    fail(text, "its value is not finite");
  }
  ScalarFunction function(value);
  function.text = text;
  return function;
}

}  // namespace

ExpressionVariables expression_variables(std::string const& text) {
  return variables_of(*checked(text, false));
}

ScalarFunction parse_expression(std::string const& text, bool allow_time) {
  auto const parser = checked(text, false);
  ExpressionVariables const variables = variables_of(*parser);
  if (variables.t && !allow_time) {
    fail(text,
         "it names t, but time passes only in a boundary or a source of the diffusion "
         "equation");
  }
  if (!variables.any()) {
    return constant(text, (*parser)(0.0, 0.0, 0.0, 0.0));
  }
  ScalarFunction function;
  function.text = text;
  function.varies_in_time = variables.t;
  function.evaluate = [shared = std::make_shared<Expression const>(text)](
                          double x, double y, double z, double t) { return (*shared)(x, y, z, t); };
  return function;
}

FieldExpression parse_field_expression(std::string const& text, int dimension) {
  if (checked(text, true)->names("z") && dimension == 2) {
    fail(text, "it names z, which a field in 2D does not have");
  }
  return [shared = std::make_shared<Expression const>(text, true)](
             double u, double x, double y, double z, double t) { return (*shared)(x, y, z, t, u); };
}

}  // namespace isotherm
