#include "case/expressions/expression_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace isotherm {

namespace {

using expressions::Operation;
using Kind = ExpressionTree::Kind;

/// The values of a subexpression; none if they are not bounded, or may be NaN.
using ValueBounds = std::optional<Interval>;

constexpr Interval truth{0.0, 1.0};
constexpr Interval is_false{0.0, 0.0};
constexpr Interval is_true{1.0, 1.0};

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
    case Operation::square_root:
      if (a.lower < 0.0) return std::nullopt;
      return rounded(std::sqrt(a.lower), std::sqrt(a.upper), std::sqrt(a.upper));
    case Operation::exponential:
      return rounded(std::exp(a.lower), std::exp(a.upper), std::exp(a.upper));
    case Operation::sine:
      return wave(a, [](double x) { return std::sin(x); });
    case Operation::cosine:
      return wave(a, [](double x) { return std::cos(x); });
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
    case Operation::hypotenuse: {
      Interval const c = absolute(a), d = absolute(b);
      return rounded(std::hypot(c.lower, d.lower), std::hypot(c.upper, d.upper), size);
    }
    case Operation::minimum:
      return Interval{std::min(a.lower, b.lower), std::min(a.upper, b.upper)};
    case Operation::maximum:
      return Interval{std::max(a.lower, b.lower), std::max(a.upper, b.upper)};
    case Operation::modulo:
    case Operation::arc_tangent_of_point:
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
  return given.size() == 2 ? of_two(operation, *given[0], *given[1]) : std::nullopt;
}

}  // namespace

std::shared_ptr<ExpressionBounds const> ExpressionBounds::of(std::string const& text) {
  auto tree = ExpressionTree::of(text, {"x", "y", "z"});
  if (!tree) return nullptr;
  return std::shared_ptr<ExpressionBounds const>(new ExpressionBounds(std::move(*tree)));
}

std::optional<Interval> ExpressionBounds::within(PerAxis<Interval> const& box) const {
  std::vector<ValueBounds> values;
  values.reserve(tree_.nodes.size());
  std::vector<ValueBounds> given;
  for (ExpressionTree::Node const& node : tree_.nodes) {
    if (node.kind == Kind::number) {
      values.emplace_back(Interval{node.number, node.number});
      continue;
    }
    if (node.kind == Kind::variable) {
      values.emplace_back(box[static_cast<int>(node.variable)]);
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
