#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solver/problem/solid.hpp"

// Bounds of expressions by interval arithmetic.

namespace isotherm {

/// An expression in x, y and z whose values in a box can be bounded.
///
///     auto const bounds = ExpressionBounds::of("x^2 + y^2 < 0.25");
///     bounds->within({{{0.6, 0.7}, {0.0, 0.1}, {0.0, 0.0}}});    // [0, 0]: false everywhere
///
/// The bounds are safe if the text means what muParser makes of it; callers should compare values.
class ExpressionBounds {
 public:
  /// Parses a text without names of constants. Null if it contains what has no bounds here.
  static std::shared_ptr<ExpressionBounds const> of(std::string const& text);

  /// Returns an interval that contains all values in a box; none if that is not certain, as when
  /// a value may be NaN.
  [[nodiscard]] std::optional<Interval> within(PerAxis<Interval> const& box) const;

  /// The operations; `unknown` has no bounds.
  enum class Operation {
    number,
    coordinate,
    unknown,
    negate,
    add,
    subtract,
    multiply,
    divide,
    power,
    less,
    less_or_equal,
    greater,
    greater_or_equal,
    equal,
    not_equal,
    both,
    either,
    choose,
    absolute,
    root,
    length,
    minimum,
    maximum,
    exponential,
    sine,
    cosine,
  };
  /// A node of the tree. Its arguments precede it.
  struct Node {
    Operation operation;
    double number = 0.0;  ///< the value, or the axis of a coordinate
    std::vector<std::size_t> arguments{};
  };

 private:
  explicit ExpressionBounds(std::vector<Node> nodes) : nodes_(std::move(nodes)) {}

  std::vector<Node> nodes_;  ///< the last one is the root
};

}  // namespace isotherm
