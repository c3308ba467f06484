#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "case/expressions/expression_tree.hpp"
#include "solver/problem/solid.hpp"

// Bounds of expressions by interval arithmetic.

namespace isotherm {

/// An expression in x, y and z whose values in a box can be bounded.
///
///     auto const bounds = ExpressionBounds::of("x^2 + y^2 < 0.25");
///     bounds->within({{{0.6, 0.7}, {0.0, 0.1}, {0.0, 0.0}}});    // [0, 0]: false everywhere
///
/// The bounds are safe if the tree means what muParser makes of the text; callers should compare
/// values.
class ExpressionBounds {
 public:
  /// Parses a text without names of constants. Null if it contains what has no bounds here.
  static std::shared_ptr<ExpressionBounds const> of(std::string const& text);

  /// Returns an interval that contains all values in a box; none if that is not certain, as when
  /// a value may be NaN.
  [[nodiscard]] std::optional<Interval> within(PerAxis<Interval> const& box) const;

 private:
  explicit ExpressionBounds(ExpressionTree tree) : tree_(std::move(tree)) {}

  ExpressionTree tree_;
};

}  // namespace isotherm
