#include "case/expressions/expression_bounds.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <numbers>
#include <string_view>
#include <utility>

namespace isotherm {

namespace {

using Operation = ExpressionBounds::Operation;
using Node = ExpressionBounds::Node;

/// The values of a subexpression; none if they are not bounded, or may be NaN.
using ValueBounds = std::optional<Interval>;

constexpr Interval truth{0.0, 1.0};
constexpr Interval is_false{0.0, 0.0};
constexpr Interval is_true{1.0, 1.0};

// ---- the parser ------------------------------------------------------------------------------

/// A binary operator.
struct Operator {
  std::string_view text;
  Operation operation;
};

using Operators = std::vector<Operator>;

/// Returns the operators of each precedence, the weakest first. Longer ones precede their prefixes.
std::vector<Operators> const& binary_operators() {
  static std::vector<Operators> const all{
      Operators{{"||", Operation::either}},
      Operators{{"&&", Operation::both}},
      Operators{{"<=", Operation::less_or_equal},
                {">=", Operation::greater_or_equal},
                {"==", Operation::equal},
                {"!=", Operation::not_equal},
                {"<", Operation::less},
                {">", Operation::greater}},
      Operators{{"+", Operation::add}, {"-", Operation::subtract}},
      Operators{{"*", Operation::multiply}, {"/", Operation::divide}},
  };
  return all;
}

/// Returns the functions that have bounds. Each has one or more arguments.
std::map<std::string, Operation, std::less<>> const& functions() {
  static std::map<std::string, Operation, std::less<>> const all{
      {"abs", Operation::absolute}, {"sqrt", Operation::root},   {"hypot", Operation::length},
      {"min", Operation::minimum},  {"max", Operation::maximum}, {"exp", Operation::exponential},
      {"sin", Operation::sine},     {"cos", Operation::cosine},  {"pow", Operation::power},
  };
  return all;
}

/// Thrown for texts that this parser does not understand.
struct NotUnderstood {};

/// A recursive-descent parser. Each function returns the number of the node that it has appended.
class TreeParser {
 public:
  explicit TreeParser(std::string_view text) : text_(text) {}

  std::vector<Node> parse() {
    choice();
    skip_blanks();
    if (place_ != text_.size()) throw NotUnderstood{};
    return std::move(nodes_);
  }

 private:
  std::size_t append(Operation operation, std::vector<std::size_t> arguments, double number = 0.0) {
    nodes_.push_back({operation, number, std::move(arguments)});
    return nodes_.size() - 1;
  }
  void skip_blanks() {
    while (place_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[place_])) != 0) {
      ++place_;
    }
  }
  bool accept(std::string_view token) {
    skip_blanks();
    if (!text_.substr(place_).starts_with(token)) return false;
    place_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) throw NotUnderstood{};
  }

  std::size_t choice() {
    constexpr int deepest = 100;  // bounds the stack
    if (++depth_ > deepest) throw NotUnderstood{};
    std::size_t const chosen = choice_at_this_depth();
    --depth_;
    return chosen;
  }
  std::size_t choice_at_this_depth() {
    std::size_t const condition = binary(0);
    if (!accept("?")) return condition;
    std::size_t const first = choice();
    expect(":");
    std::size_t const second = choice();
    return append(Operation::choose, {condition, first, second});
  }
  std::size_t binary(std::size_t precedence) {
    if (precedence == binary_operators().size()) return signed_power();
    std::size_t left = binary(precedence + 1);
    for (;;) {
      auto const& all = binary_operators()[precedence];
      auto const found =
          std::ranges::find_if(all, [&](Operator const& one) { return accept(one.text); });
      if (found == all.end()) return left;
      std::size_t const right = binary(precedence + 1);
      left = append(found->operation, {left, right});
    }
  }
  std::size_t signed_power() {
    bool is_negative = false;
    while (true) {
      if (accept("-")) {
        is_negative = !is_negative;
      } else if (!accept("+")) {
        break;
      }
    }
    std::size_t power = primary();
    if (accept("^")) power = append(Operation::power, {power, exponent()});
    return is_negative ? append(Operation::negate, {power}) : power;
  }
  /// Powers of powers are rare, so a second "^" is not understood.
  std::size_t exponent() {
    bool const is_negative = accept("-");
    std::size_t const one = primary();
    return is_negative ? append(Operation::negate, {one}) : one;
  }
  std::size_t primary() {
    if (accept("(")) {
      std::size_t const inner = choice();
      expect(")");
      return inner;
    }
    skip_blanks();
    if (place_ == text_.size()) throw NotUnderstood{};
    auto const letter = static_cast<unsigned char>(text_[place_]);
    if (std::isdigit(letter) != 0 || letter == '.') return number();
    if (std::isalpha(letter) != 0 || letter == '_') return name();
    throw NotUnderstood{};
  }
  std::size_t number() {
    std::string const rest(text_.substr(place_));
    char* end = nullptr;
    double const value = std::strtod(rest.c_str(), &end);
    auto const length = static_cast<std::size_t>(end - rest.c_str());
    // strtod() also reads hexadecimal numbers.
    auto const is_part = [](char one) { return one != 'x' && one != 'X'; };
    if (length == 0 || !std::ranges::all_of(rest.substr(0, length), is_part)) throw NotUnderstood{};
    place_ += length;
    return append(Operation::number, {}, value);
  }
  std::size_t name() {
    std::size_t const from = place_;
    auto const is_part = [](char one) {
      return std::isalnum(static_cast<unsigned char>(one)) != 0 || one == '_';
    };
    while (place_ < text_.size() && is_part(text_[place_])) ++place_;
    std::string_view const word = text_.substr(from, place_ - from);
    if (accept("(")) return call(word);
    if (word == "pi") return append(Operation::number, {}, std::numbers::pi);
    if (word.size() == 1 && word[0] >= 'x' && word[0] <= 'z') {
      return append(Operation::coordinate, {}, word[0] - 'x');
    }
    throw NotUnderstood{};
  }
  std::size_t call(std::string_view word) {
    std::vector<std::size_t> arguments{choice()};
    while (accept(",")) arguments.push_back(choice());
    expect(")");
    auto const found = functions().find(word);
    return append(found == functions().end() ? Operation::unknown : found->second,
                  std::move(arguments));
  }

  std::string_view text_;
  std::size_t place_ = 0;
  int depth_ = 0;
  std::vector<Node> nodes_{};
};

// ---- interval arithmetic ---------------------------------------------------------------------

/// Returns an interval that is wider by the rounding of an operation on numbers of a magnitude;
/// none if it is not finite.
ValueBounds rounded(double lower, double upper, double magnitude) {
  double const margin = 1e-14 * magnitude + std::numeric_limits<double>::min();
  if (!std::isfinite(lower - margin) || !std::isfinite(upper + margin)) return std::nullopt;
  return Interval{lower - margin, upper + margin};
}

double magnitude(Interval a) { return std::max(std::abs(a.lower), std::abs(a.upper)); }

ValueBounds product(Interval a, Interval b) {
  auto const [minimum, maximum] =
      std::minmax({a.lower * b.lower, a.lower * b.upper, a.upper * b.lower, a.upper * b.upper});
  return rounded(minimum, maximum, magnitude(a) * magnitude(b));
}

ValueBounds quotient(Interval a, Interval b) {
  if (b.contains(0.0)) return std::nullopt;
  return product(a, {1.0 / b.upper, 1.0 / b.lower});
}

Interval absolute(Interval a) {
  double const smallest = a.contains(0.0) ? 0.0 : std::min(std::abs(a.lower), std::abs(a.upper));
  return {smallest, magnitude(a)};
}

/// Returns the values of a^b for a constant b, if b is a whole number or a is positive.
ValueBounds power(Interval a, Interval b) {
  if (b.lower != b.upper) return std::nullopt;
  double const exponent = b.lower;
  bool const is_whole = exponent == std::rint(exponent);
  bool const is_even = is_whole && std::fmod(exponent, 2.0) == 0.0;
  if (!is_whole && !(a.lower > 0.0)) return std::nullopt;
  if (exponent < 0.0 && a.contains(0.0)) return std::nullopt;
  if (is_even) a = absolute(a);
  // The power is monotonic in what remains, which does not contain 0 if the exponent is negative.
  double const first = std::pow(a.lower, exponent), second = std::pow(a.upper, exponent);
  return rounded(std::min(first, second), std::max(first, second),
                 std::max(std::abs(first), std::abs(second)));
}

/// Returns the values of a sine or cosine, whose slope is at most 1.
template <class Function>
ValueBounds wave(Interval a, Function const& function) {
  double const middle = function(a.middle()), half = 0.5 * a.length();
  double const margin = 1e-15 * magnitude(a);
  return rounded(std::max(-1.0, middle - half - margin), std::min(1.0, middle + half + margin),
                 1.0);
}

/// Returns what is known of a comparison from the difference of both sides' values: whether it is
/// certain, and otherwise either truth value.
Interval certain(bool is_certainly_true, bool is_certainly_false) {
  return is_certainly_true ? is_true : is_certainly_false ? is_false : truth;
}

Interval compared(Operation operation, Interval a, Interval b) {
  switch (operation) {
    case Operation::less:
      return certain(a.upper < b.lower, a.lower >= b.upper);
    case Operation::less_or_equal:
      return certain(a.upper <= b.lower, a.lower > b.upper);
    case Operation::greater:
      return certain(a.lower > b.upper, a.upper <= b.lower);
    case Operation::greater_or_equal:
      return certain(a.lower >= b.upper, a.upper < b.lower);
    default:
      break;
  }
  bool const apart = a.upper < b.lower || a.lower > b.upper;
  return operation == Operation::equal ? certain(false, apart) : certain(apart, false);
}

bool is_nonzero(ValueBounds const& a) { return a && !a->contains(0.0); }
bool is_zero(ValueBounds const& a) { return a && a->lower == 0.0 && a->upper == 0.0; }

/// Operations whose result may be known although an argument is not.
ValueBounds logical(Operation operation, std::vector<ValueBounds> const& given) {
  ValueBounds const &a = given[0], &b = given[1];
  if (operation == Operation::both) {
    if (is_zero(a) || is_zero(b)) return is_false;
    if (is_nonzero(a) && is_nonzero(b)) return is_true;
    return a && b ? ValueBounds(truth) : std::nullopt;
  }
  if (operation == Operation::either) {
    if (is_nonzero(a) || is_nonzero(b)) return is_true;
    if (is_zero(a) && is_zero(b)) return is_false;
    return a && b ? ValueBounds(truth) : std::nullopt;
  }
  // A choice.
  if (is_nonzero(a)) return b;
  if (is_zero(a)) return given[2];
  if (!a || !b || !given[2]) return std::nullopt;
  return Interval{std::min(b->lower, given[2]->lower), std::max(b->upper, given[2]->upper)};
}

ValueBounds of_one(Operation operation, Interval a) {
  switch (operation) {
    case Operation::negate:
      return Interval{-a.upper, -a.lower};
    case Operation::absolute:
      return absolute(a);
    case Operation::root:
      if (a.lower < 0.0) return std::nullopt;
      return rounded(std::sqrt(a.lower), std::sqrt(a.upper), std::sqrt(a.upper));
    case Operation::exponential:
      return rounded(std::exp(a.lower), std::exp(a.upper), std::exp(a.upper));
    case Operation::sine:
      return wave(a, [](double x) { return std::sin(x); });
    case Operation::cosine:
      return wave(a, [](double x) { return std::cos(x); });
    case Operation::minimum:
    case Operation::maximum:
      return a;
    default:
      return std::nullopt;
  }
}

ValueBounds of_two(Operation operation, Interval a, Interval b) {
  double const size = magnitude(a) + magnitude(b);
  switch (operation) {
    case Operation::add:
      return rounded(a.lower + b.lower, a.upper + b.upper, size);
    case Operation::subtract:
      return rounded(a.lower - b.upper, a.upper - b.lower, size);
    case Operation::multiply:
      return product(a, b);
    case Operation::divide:
      return quotient(a, b);
    case Operation::power:
      return power(a, b);
    case Operation::length: {
      Interval const c = absolute(a), d = absolute(b);
      return rounded(std::hypot(c.lower, d.lower), std::hypot(c.upper, d.upper), size);
    }
    case Operation::minimum:
      return Interval{std::min(a.lower, b.lower), std::min(a.upper, b.upper)};
    case Operation::maximum:
      return Interval{std::max(a.lower, b.lower), std::max(a.upper, b.upper)};
    case Operation::unknown:
      return std::nullopt;
    default:
      return compared(operation, a, b);
  }
}

/// Returns the values of an operation whose arguments must all be bounded.
ValueBounds arithmetic(Operation operation, std::vector<ValueBounds> const& given) {
  if (!std::ranges::all_of(given, [](ValueBounds const& one) { return one.has_value(); })) {
    return std::nullopt;
  }
  if (given.size() == 1) return of_one(operation, *given[0]);
  if (given.size() == 2) return of_two(operation, *given[0], *given[1]);
  if (operation != Operation::minimum && operation != Operation::maximum) return std::nullopt;
  ValueBounds result = given[0];
  for (ValueBounds const& one : given) result = of_two(operation, *result, *one);
  return result;
}

}  // namespace

std::shared_ptr<ExpressionBounds const> ExpressionBounds::of(std::string const& text) try {
  return std::shared_ptr<ExpressionBounds const>(new ExpressionBounds(TreeParser(text).parse()));
} catch (NotUnderstood const&) {
  return nullptr;
}

std::optional<Interval> ExpressionBounds::within(PerAxis<Interval> const& box) const {
  std::vector<ValueBounds> values;
  values.reserve(nodes_.size());
  std::vector<ValueBounds> given;
  for (Node const& node : nodes_) {
    if (node.operation == Operation::number) {
      values.emplace_back(Interval{node.number, node.number});
      continue;
    }
    if (node.operation == Operation::coordinate) {
      values.emplace_back(box[static_cast<int>(node.number)]);
      continue;
    }
    given.clear();
    for (std::size_t const argument : node.arguments) given.push_back(values[argument]);
    bool const is_logical = node.operation == Operation::both ||
                            node.operation == Operation::either ||
                            node.operation == Operation::choose;
    values.push_back(is_logical ? logical(node.operation, given)
                                : arithmetic(node.operation, given));
  }
  return values.back();
}

}  // namespace isotherm
