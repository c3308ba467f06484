#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "case/expressions/expression_tree.hpp"
#include "kernels/expressions/program.hpp"

namespace isotherm {

/// An expression as instructions.
struct CompiledExpression {
  std::shared_ptr<expressions::Program const> program{};  ///< null if it cannot be compiled
  std::optional<double> number{};                         ///< its value, if it is constant
};

/// Compiles an expression. Equal subexpressions are computed once, constant ones at once, and
/// powers with whole exponents up to 4 by multiplications.
///
///     auto const compiled = compile_expression("sin(x)*exp(-t)", {"x", "y", "z", "t"});
///     double const value = compiled.program->evaluate({0.5, 0.0, 0.0, 2.0});
///
/// An expression that needs more intermediate results than a program has registers is not compiled,
/// nor one that ExpressionTree does not understand.
/// @param text       a correct expression without names of constants
/// @param variables  the names of the program's variables, at most variable_count
CompiledExpression compile_expression(std::string const& text,
                                      std::vector<std::string> const& variables);
/// Compiles a tree, whose variables are those of the program.
CompiledExpression compile_expression(ExpressionTree const& tree);

}  // namespace isotherm
