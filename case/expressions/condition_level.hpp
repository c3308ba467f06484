#pragma once

#include <optional>

#include "case/expressions/expression_tree.hpp"

namespace isotherm {

/// Returns a tree whose value is positive where a condition is true, and negative where it is
/// false: b − a for a < b, the minimum of both levels for &&, and the maximum for ||. The value is
/// zero on the surface between. If a value in it is not a number, the sign means nothing.
///
///     condition_level(*ExpressionTree::of("x^2 < 4 && y > 0", {"x", "y"}));
///     // the tree of min(4 - x^2, y - 0)
///
/// None if the condition contains other truth values than these, such as those of a == b or of x.
std::optional<ExpressionTree> condition_level(ExpressionTree condition);

}  // namespace isotherm
