#include "case/expressions/expression.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <muParser.h>
#include <mutex>
#include <numbers>
#include <vector>

#include "case/basics/text/number_range.hpp"
#include "case/basics/text/wording.hpp"
#include "case/expressions/compile_expression.hpp"
#include "case/expressions/expression_advice.hpp"
#include "case/expressions/expression_functions.hpp"
#include "kernels/core/error.hpp"
#include "solver/discretise/compiled_function.hpp"

// muParser checks the syntax of all expressions and finds the faults that messages report. It
// evaluates only those that compile_expression() does not understand. It reads variables through
// pointers, so a parser with its variables belongs to one thread, and each thread builds its own on
// first use.
namespace isotherm {
namespace {

/// The kind of an expression, which determines the variables it may name: place and time, also u,
/// also a and b, or none.
enum class About { place, field, fields, number };

/// The names that an expression may use. Refers to constants that the caller owns.
struct Vocabulary {
  About about;
  Constants const& constants;
  bool time = true;  ///< false: t is refused, so messages do not offer it
};

/// Returns the names of all variables and constants, for messages.
std::vector<std::string> values_in(Vocabulary const& vocabulary) {
  std::vector<std::string> names;
  if (vocabulary.about == About::field) names.emplace_back("u");
  if (vocabulary.about == About::fields) names.insert(names.end(), {"a", "b"});
  if (vocabulary.about != About::number) names.insert(names.end(), {"x", "y", "z"});
  if (vocabulary.about != About::number && vocabulary.time) names.emplace_back("t");
  names.emplace_back("pi");
  for (auto const& [name, value] : vocabulary.constants) names.push_back(name);
  return names;
}

/// A compiled expression with storage for its variables. Serves one thread, since muParser reads
/// variables through pointers.
class Parser {
 public:
  explicit Parser(std::string const& text, Vocabulary const& vocabulary) {
    parser_.ClearConst();  // removes "_pi" and "_e": one name per constant
    parser_.DefineConst("pi", std::numbers::pi);
    // Constants are folded when the text is compiled.
    for (auto const& [name, value] : named_in(text, vocabulary.constants)) {
      parser_.DefineConst(name, value);
    }
    define_functions(parser_);
    parser_.DefineVar("x", &x_);
    parser_.DefineVar("y", &y_);
    parser_.DefineVar("z", &z_);
    parser_.DefineVar("t", &t_);
    if (vocabulary.about == About::field) parser_.DefineVar("u", &u_);
    if (vocabulary.about == About::fields) {
      parser_.DefineVar("a", &u_);
      parser_.DefineVar("b", &b_);
    }
    parser_.SetExpr(text);
  }
  // Neither copyable nor movable: the parser points into this object.
  Parser(Parser const&) = delete;
  Parser& operator=(Parser const&) = delete;
  Parser(Parser&&) = delete;
  Parser& operator=(Parser&&) = delete;
  ~Parser() = default;

  /// Evaluates the expression. @param u  the value of the field, or of the first one
  double operator()(double x, double y, double z, double t, double u = 0.0, double b = 0.0) {
    x_ = x;
    y_ = y;
    z_ = z;
    t_ = t;
    u_ = u;
    b_ = b;
    return parser_.Eval();
  }

  /// Returns whether the expression names a variable.
  [[nodiscard]] bool names(char const* variable) const {
    return parser_.GetUsedVar().count(variable) != 0;
  }
  /// Returns the number of results: more than one if commas separate expressions.
  [[nodiscard]] int result_count() const { return parser_.GetNumResults(); }

 private:
  mu::Parser parser_;
  // The variables, which muParser reads through pointers.
  double x_ = 0.0, y_ = 0.0, z_ = 0.0, t_ = 0.0, u_ = 0.0, b_ = 0.0;
};

/// Compiles an expression. Holds a lock, because muParser has global state during construction.
std::unique_ptr<Parser> build(std::string const& text, Vocabulary const& vocabulary) {
  std::lock_guard const lock(building_a_parser());
  auto parser = std::make_unique<Parser>(text, vocabulary);
  (*parser)(0.0, 0.0, 0.0, 0.0);  // evaluates once, which compiles the text
  return parser;
}

/// An expression that many threads may evaluate: each thread compiles a parser of its own.
///
/// Parsers are stored per thread and found by an identifier. Expired owners are removed when a
/// thread adds a parser, so discarded expressions do not accumulate.
///
/// The identifier is unique, while addresses may be reused: a new expression at the address of a
/// deleted one must not find its parser.
class Expression : public std::enable_shared_from_this<Expression> {
 public:
  Expression(std::string text, Vocabulary const& vocabulary)
      : text_(std::move(text)),
        about_(vocabulary.about),
        constants_(named_in(text_, vocabulary.constants)) {}

  double operator()(double x, double y, double z, double t, double u = 0.0, double b = 0.0) const {
    return parser_of_this_thread()(x, y, z, t, u, b);
  }

 private:
  /// A parser of the current thread.
  struct Entry {
    std::weak_ptr<Expression const> owner;
    std::uint64_t id;
    std::unique_ptr<Parser> parser;
  };

  /// Returns this thread's parser, and builds it on the first call.
  /// The search is linear in the number of expressions that the thread has evaluated.
  [[nodiscard]] Parser& parser_of_this_thread() const {
    thread_local std::vector<Entry> parsers;
    for (Entry const& entry : parsers) {
      if (entry.id == id_) {
        return *entry.parser;
      }
    }
    std::erase_if(parsers, [](Entry const& entry) { return entry.owner.expired(); });
    parsers.push_back({weak_from_this(), id_, build(text_, {about_, constants_})});
    return *parsers.back().parser;
  }

  /// Returns an identifier that no other expression of the process has.
  static std::uint64_t next_id() {
    static std::atomic<std::uint64_t> count{0};
    return ++count;
  }

  std::string text_;
  About about_;
  /// Only the constants that the text names.
  Constants constants_;
  std::uint64_t id_ = next_id();
};

/// Throws an error about an expression.
[[noreturn]] void fail(std::string const& text, std::string const& what) {
  throw InputError(in_quotes(text) + ": " + what);
}

/// Refuses assignments: muParser would execute "x = 1" as one, though "x == 1" is meant.
void refuse_assignment(std::string const& text) {
  for (std::size_t i = text.find('='); i != std::string::npos; i = text.find('=', i + 1)) {
    bool const follows = i > 0 && std::string_view("=<>!").find(text[i - 1]) != std::string::npos;
    bool const precedes = i + 1 < text.size() && text[i + 1] == '=';
    if (!follows && !precedes) {
      fail(text,
           R"("=" assigns a value (write == to compare), at character )" + std::to_string(i + 1));
    }
  }
}

/// Refuses "a < b < c": the result of the first comparison, 0 or 1, would be compared with c.
void refuse_chained_comparisons(std::string const& text) {
  std::string const fault = chained_comparison(text);
  if (!fault.empty()) fail(text, fault);
}

/// Refuses texts beyond muParser's own limit, for which its message would be misleading.
void refuse_length(std::string const& text) {
  constexpr std::size_t maximum = 20000;
  if (text.size() > maximum) {
    fail(text, "it has " + std::to_string(text.size()) + " characters (at most " +
                   std::to_string(maximum) + "; store the values of a longer one in a file)");
  }
}

/// Refuses control characters except blanks. muParser would end the text at a NUL.
void refuse_control_characters(std::string const& text) {
  auto const found = std::ranges::find_if(text, [](unsigned char letter) {
    bool const blank = letter == '\n' || letter == '\r' || letter == '\t';
    return (letter < 0x20 && !blank) || letter == 0x7f;
  });
  if (found != text.end()) {
    fail(text, "it contains a control character (needs plain text), at character " +
                   std::to_string(found - text.begin() + 1));
  }
}

/// Refuses numbers such as 1e400, which muParser would take for names.
void refuse_numbers_out_of_range(std::string const& text) {
  std::string const fault = number_out_of_range(text);
  if (!fault.empty()) fail(text, fault);
}

/// Compiles an expression and checks everything that does not depend on its use.
///
/// The order of the checks determines which fault is reported first. Faults that muParser would
/// misinterpret silently (assignments, NULs) precede compilation.
std::unique_ptr<Parser> checked(std::string const& text, Vocabulary const& vocabulary) try {
  refuse_length(text);
  refuse_control_characters(text);
  refuse_assignment(text);
  refuse_numbers_out_of_range(text);
  auto parser = build(text, vocabulary);
  refuse_chained_comparisons(text);  // after the syntax, so typing errors are reported first
  if (parser->result_count() != 1) {
    fail(text, "it contains " + std::to_string(parser->result_count()) +
                   " expressions separated by commas (needs one)");
  }
  return parser;
} catch (mu::ParserError const& error) {
  fail(text, what_is_wrong(text, error, values_in(vocabulary)));
}

/// Returns the variables that a compiled expression names.
ExpressionVariables variables_of(Parser const& parser) {
  return {parser.names("x"), parser.names("y"), parser.names("z"), parser.names("t")};
}

/// Returns whether a program has the meaning that muParser gives to the same text: the values at
/// most of some arbitrary points are nearly equal. They may differ widely at a few points, as those
/// of rint(1e20*x) do.
/// @param names_u  whether the program's fourth variable is u
bool agrees(expressions::Program const& program, Parser& parser, bool names_u) {
  constexpr int points = 24;
  int disagreements = 0;
  for (int n = 1; n <= points; ++n) {
    // A sequence of irrational steps (Weyl), between −1 and 2.
    auto const place = [n](double step) { return 3.0 * std::fmod(n * step, 1.0) - 1.0; };
    double const x = place(std::numbers::sqrt2), y = place(std::numbers::sqrt3),
                 z = place(std::numbers::e), t = place(std::numbers::phi),
                 u = place(std::numbers::pi), b = place(std::numbers::ln2);
    double const mine = program.evaluate({x, y, z, names_u ? u : t, u, b}),
                 other = parser(x, y, z, t, u, b);
    bool const is_same = mine == other || (std::isnan(mine) && std::isnan(other)) ||
                         std::abs(mine - other) <= 1e-6 * std::abs(other);
    if (!is_same) ++disagreements;
  }
  return disagreements <= points / 2;
}

/// Compiles a checked expression. The result is empty if it must be left to muParser.
/// @param variables  the names of the program's variables
CompiledExpression compile(std::string const& text, Constants const& constants,
                           std::vector<std::string> const& variables, Parser& parser) {
  CompiledExpression compiled = compile_expression(with_values(text, constants), variables);
  bool const names_u = variables.size() > 3 && variables[3] == "u";
  if (compiled.program && !agrees(*compiled.program, parser, names_u)) return {};
  return compiled;
}

/// Returns a constant function, which must be finite.
ScalarFunction constant(std::string const& text, double value) {
  if (!std::isfinite(value)) {
    fail(text, "its value is not finite");
  }
  ScalarFunction function(value);
  function.text = text;
  return function;
}

/// Returns the value of an expression without variables.
double value_of_constant(std::string const& text, Constants const& constants, Parser& parser) {
  auto const compiled = compile(text, constants, {}, parser);
  return compiled.number ? *compiled.number : parser(0.0, 0.0, 0.0, 0.0);
}

}  // namespace

std::string meaning_of(std::string const& name) {
  if (name == "x" || name == "y" || name == "z") return "a coordinate";
  if (name == "t") return "the time";
  if (name == "u") return "the value of a field";
  if (name == "pi") return "3.14159...";
  return std::ranges::find(function_names(), name) != function_names().end() ? "a function" : "";
}

ExpressionVariables expression_variables(std::string const& text, Constants const& constants) {
  return variables_of(*checked(text, {About::place, constants}));
}

double constant_value(std::string const& text, Constants const& constants) {
  auto const parser = checked(text, {About::number, constants});
  for (char const* const variable : {"x", "y", "z", "t"}) {
    if (parser->names(variable)) {
      fail(text, std::string("it depends on ") + variable + ", " + meaning_of(variable) +
                     ", but the value must be a single number (needs an expression of numbers and "
                     "constants)");
    }
  }
  return constant(text, value_of_constant(text, constants, *parser)).constant;
}

// Constants are detected here, so solvers can treat them as numbers instead of evaluating a
// function at each point.
ScalarFunction parse_expression(std::string const& text, bool allow_time,
                                Constants const& constants, bool allow_u) {
  Vocabulary const vocabulary{allow_u ? About::field : About::place, constants, allow_time};
  auto const parser = checked(text, vocabulary);
  ExpressionVariables const variables = variables_of(*parser);
  if (variables.t && !allow_time) {
    fail(text,
         "it depends on t, the time, but only conductivities, sources, conditions of faces and "
         "values of fixed points of a diffusion equation may do so");
  }
  bool const depends_on_u = allow_u && parser->names("u");
  if (!variables.any() && !depends_on_u) {
    return constant(text, value_of_constant(text, constants, *parser));
  }
  ScalarFunction function;
  function.text = with_values(text, constants);
  function.varies_in_time = variables.t;
  function.varies_along = {variables.x, variables.y, variables.z};
  function.depends_on_u = depends_on_u;
  bool const of_both = depends_on_u && variables.t;
  std::vector<std::string> names{"x", "y", "z", of_both || !depends_on_u ? "t" : "u"};
  if (of_both) names.emplace_back("u");
  if (auto const program = compile(text, constants, names, *parser).program) {
    function.evaluate = CompiledFunction{program};
    function.evaluate_of_both = [program](double x, double y, double z, double t, double u) {
      return program->evaluate({x, y, z, t, u, 0.0});
    };
  } else {
    auto const shared = std::make_shared<Expression const>(text, vocabulary);
    function.evaluate = [shared, depends_on_u](double x, double y, double z, double t_or_u) {
      return depends_on_u ? (*shared)(x, y, z, 0.0, t_or_u) : (*shared)(x, y, z, t_or_u);
    };
    function.evaluate_of_both = [shared](double x, double y, double z, double t, double u) {
      return (*shared)(x, y, z, t, u);
    };
  }
  if (of_both) {
    function.evaluate = [both = function.evaluate_of_both](double x, double y, double z, double u) {
      return both(x, y, z, 0.0, u);
    };
  } else {
    function.evaluate_of_both = {};
  }
  return function;
}

namespace {

/// A function of the values of one or two fields, the coordinates of their point, and the time.
using FunctionOfFields = PairExpression;

/// Compiles an expression of fields. In 2D it must not name z.
FunctionOfFields function_of_fields(About about, std::string const& text, int dimension) {
  Constants const none;
  Vocabulary const vocabulary{about, none};
  auto const parser = checked(text, vocabulary);
  if (parser->names("z") && dimension == 2) fail(text, "it depends on z, but the field is 2D");
  std::vector<std::string> names{"x", "y", "z", "t"};
  if (about == About::field) names.emplace_back("u");
  if (about == About::fields) names.insert(names.end(), {"a", "b"});
  if (auto const compiled = compile(text, none, names, *parser); compiled.program) {
    return
        [program = compiled.program](double a, double b, double x, double y, double z, double t) {
          return program->evaluate({x, y, z, t, a, b});
        };
  }
  return [shared = std::make_shared<Expression const>(text, vocabulary)](
             double a, double b, double x, double y, double z, double t) {
    return (*shared)(x, y, z, t, a, b);
  };
}

}  // namespace

PairExpression parse_pair_expression(std::string const& text, int dimension) {
  return function_of_fields(About::fields, text, dimension);
}

FieldExpression parse_field_expression(std::string const& text, int dimension) {
  return [function = function_of_fields(About::field, text, dimension)](
             double u, double x, double y, double z, double t) {
    return function(u, 0.0, x, y, z, t);
  };
}

}  // namespace isotherm
