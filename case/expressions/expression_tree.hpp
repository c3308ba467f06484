#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kernels/expressions/operation.hpp"

namespace isotherm {

/// An expression as a tree of operations. It has the meaning that muParser gives the same text.
///
///     auto const tree = ExpressionTree::of("-x^2", {"x"});
///     // number of nodes: x, 2, power, negate
struct ExpressionTree {
  enum class Kind { number, variable, operation };

  /// A node. Its arguments precede it.
  struct Node {
    Kind kind;
    double number = 0.0;       ///< the value of a number
    std::size_t variable = 0;  ///< of a variable: its index in the list of names
    expressions::Operation operation{};
    std::vector<std::size_t> arguments{};
  };

  /// Parses a text without names of constants, except pi. None if it contains what this parser does
  /// not understand. The text should be known to be correct: not all faults are found.
  /// @param variables  the names of the variables
  static std::optional<ExpressionTree> of(std::string const& text,
                                          std::vector<std::string> const& variables);

  std::vector<Node> nodes{};  ///< the last one is the root
};

}  // namespace isotherm
