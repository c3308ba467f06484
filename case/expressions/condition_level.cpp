#include "case/expressions/condition_level.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace isotherm {

namespace {

using expressions::Operation;
using Kind = ExpressionTree::Kind;
using Node = ExpressionTree::Node;

/// Returns the operation that makes the level of a node from those of its arguments; none if the
/// node is not true or false as a combination of them. Sums and products of 0 and 1 are nonzero as
/// combinations are.
std::optional<Operation> operation_on_levels(Operation operation) {
  if (operation == Operation::both || operation == Operation::multiply) return Operation::minimum;
  if (operation == Operation::either || operation == Operation::add) return Operation::maximum;
  return std::nullopt;
}

}  // namespace

std::optional<ExpressionTree> condition_level(ExpressionTree condition) {
  std::vector<Node>& nodes = condition.nodes;
  std::vector<std::optional<std::size_t>> levels(nodes.size());
  auto const append = [&](Operation operation, std::size_t first, std::size_t second) {
    nodes.push_back({Kind::operation, 0.0, 0, operation, {first, second}});
    return nodes.size() - 1;
  };
  for (std::size_t n = 0; n < levels.size(); ++n) {
    if (nodes[n].kind != Kind::operation || nodes[n].arguments.size() != 2) continue;
    Operation const operation = nodes[n].operation;
    std::size_t const a = nodes[n].arguments[0], b = nodes[n].arguments[1];
    if (operation == Operation::less || operation == Operation::less_or_equal) {
      levels[n] = append(Operation::subtract, b, a);
    } else if (operation == Operation::greater || operation == Operation::greater_or_equal) {
      levels[n] = append(Operation::subtract, a, b);
    } else if (auto const combination = operation_on_levels(operation);
               combination && levels[a] && levels[b]) {
      levels[n] = append(*combination, *levels[a], *levels[b]);
    }
  }
  if (!levels.back()) return std::nullopt;
  // The level of the root was appended last, so it is the root of the new tree.
  return condition;
}

}  // namespace isotherm
