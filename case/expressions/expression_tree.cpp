#include "case/expressions/expression_tree.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <numbers>
#include <string_view>
#include <utility>

namespace isotherm {

namespace {

using expressions::Operation;
using Kind = ExpressionTree::Kind;
using Node = ExpressionTree::Node;

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

/// Returns the functions of a fixed number of arguments.
std::map<std::string, Operation, std::less<>> const& functions() {
  static std::map<std::string, Operation, std::less<>> const all{
      {"abs", Operation::absolute},
      {"acos", Operation::arc_cosine},
      {"acosh", Operation::inverse_hyperbolic_cosine},
      {"asin", Operation::arc_sine},
      {"asinh", Operation::inverse_hyperbolic_sine},
      {"atan", Operation::arc_tangent},
      {"atan2", Operation::arc_tangent_of_point},
      {"atanh", Operation::inverse_hyperbolic_tangent},
      {"ceil", Operation::round_up},
      {"clamp", Operation::clamp},
      {"cos", Operation::cosine},
      {"cosh", Operation::hyperbolic_cosine},
      {"erf", Operation::error_function},
      {"erfc", Operation::error_complement},
      {"exp", Operation::exponential},
      {"floor", Operation::round_down},
      {"hypot", Operation::hypotenuse},
      {"ln", Operation::logarithm},
      {"log", Operation::logarithm},
      {"log10", Operation::decimal_logarithm},
      {"log2", Operation::binary_logarithm},
      {"mod", Operation::modulo},
      {"pow", Operation::power},
      {"rint", Operation::nearest},
      {"sign", Operation::sign},
      {"sin", Operation::sine},
      {"sinh", Operation::hyperbolic_sine},
      {"sqrt", Operation::square_root},
      {"step", Operation::step},
      {"tan", Operation::tangent},
      {"tanh", Operation::hyperbolic_tangent},
  };
  return all;
}

/// Thrown for texts that this parser does not understand.
struct NotUnderstood {};

/// A recursive-descent parser. Each function returns the number of the node that it has appended.
class TreeParser {
 public:
  TreeParser(std::string_view text, std::vector<std::string> const& variables)
      : text_(text), variables_(&variables) {}

  std::vector<Node> parse() {
    choice();
    skip_blanks();
    if (place_ != text_.size()) throw NotUnderstood{};
    return std::move(nodes_);
  }

 private:
  std::size_t append(Operation operation, std::vector<std::size_t> arguments) {
    nodes_.push_back({Kind::operation, 0.0, 0, operation, std::move(arguments)});
    return nodes_.size() - 1;
  }
  std::size_t append_number(double value) {
    nodes_.push_back({Kind::number, value});
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
  /// Counts the depth of nested calls, which bounds the stack.
  class Depth {
   public:
    explicit Depth(int& depth) : depth_(depth) {
      constexpr int deepest = 200;
      if (++depth_ > deepest) throw NotUnderstood{};
    }
    ~Depth() { --depth_; }
    Depth(Depth const&) = delete;
    Depth& operator=(Depth const&) = delete;

   private:
    int& depth_;
  };

  std::size_t choice() {
    Depth const depth(depth_);
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
  /// A power with signs before it: signs bind more weakly than powers, and powers bind from the
  /// right, so -x^-y^2 is -(x^(-(y^2))).
  std::size_t signed_power() {
    Depth const depth(depth_);
    bool is_negative = false;
    while (true) {
      if (accept("-")) {
        is_negative = !is_negative;
      } else if (!accept("+")) {
        break;
      }
    }
    std::size_t power = primary();
    if (accept("^")) {
      std::size_t const exponent = signed_power();
      power = append(Operation::power, {power, exponent});
    }
    return is_negative ? append(Operation::negate, {power}) : power;
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
    char const* const begin = text_.data() + place_;
    double value = 0.0;
    auto const [end, fault] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (fault != std::errc{}) throw NotUnderstood{};
    place_ += static_cast<std::size_t>(end - begin);
    return append_number(value);
  }
  std::size_t name() {
    std::size_t const from = place_;
    auto const is_part = [](char one) {
      return std::isalnum(static_cast<unsigned char>(one)) != 0 || one == '_';
    };
    while (place_ < text_.size() && is_part(text_[place_])) ++place_;
    std::string_view const word = text_.substr(from, place_ - from);
    if (accept("(")) return call(word);
    if (word == "pi") return append_number(std::numbers::pi);
    auto const variable = std::ranges::find(*variables_, word);
    if (variable == variables_->end()) throw NotUnderstood{};
    nodes_.push_back(
        {Kind::variable, 0.0, static_cast<std::size_t>(variable - variables_->begin())});
    return nodes_.size() - 1;
  }
  std::size_t call(std::string_view word) {
    std::vector<std::size_t> arguments{choice()};
    while (accept(",")) arguments.push_back(choice());
    expect(")");
    if (word == "min") return folded(Operation::minimum, arguments);
    if (word == "max") return folded(Operation::maximum, arguments);
    if (word == "sum") return folded(Operation::add, arguments);
    if (word == "avg") {
      std::size_t const sum = folded(Operation::add, arguments);
      std::size_t const count = append_number(static_cast<double>(arguments.size()));
      return append(Operation::divide, {sum, count});
    }
    auto const found = functions().find(word);
    if (found == functions().end() ||
        arguments.size() != static_cast<std::size_t>(operand_count(found->second))) {
      throw NotUnderstood{};
    }
    return append(found->second, std::move(arguments));
  }
  /// Joins any number of arguments from the left.
  std::size_t folded(Operation operation, std::vector<std::size_t> const& arguments) {
    std::size_t result = arguments[0];
    for (std::size_t n = 1; n < arguments.size(); ++n) {
      result = append(operation, {result, arguments[n]});
    }
    return result;
  }

  std::string_view text_;
  std::vector<std::string> const* variables_;
  std::size_t place_ = 0;
  int depth_ = 0;
  std::vector<Node> nodes_{};
};

}  // namespace

std::optional<ExpressionTree> ExpressionTree::of(std::string const& text,
                                                 std::vector<std::string> const& variables) try {
  return ExpressionTree{TreeParser(text, variables).parse()};
} catch (NotUnderstood const&) {
  return std::nullopt;
}

}  // namespace isotherm
