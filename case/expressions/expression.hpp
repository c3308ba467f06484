#pragma once

#include <functional>
#include <string>

#include "case/expressions/expression_names.hpp"
#include "solver/problem/problem.hpp"

// Functions of place and time from texts such as "sin(pi*x) * exp(-t)".
//
// muParser checks them. They are evaluated by a program of registers (kernels/expressions), or by
// muParser if it needs too many registers. Expressions may name x, y, z, t, pi, the case's
// constants, and the functions in expression_functions.cpp. Messages name the fault and its
// position.
//
//     ScalarFunction const source = parse_expression("q0 * sin(pi*x)", false, {{"q0", 5.0}});
//     double const value = source(0.5, 0.0, 0.0, 0.0);   // 5

namespace isotherm {

/// Parses an expression in x, y, z and t. The result is thread-safe.
///
/// An expression without variables is evaluated immediately and yields a constant. The `text` of
/// the result contains the values of constants instead of their names, so equal functions have
/// equal texts in fingerprints.
/// @param allow_time  if false, an expression that names t is refused
/// @param allow_u     if true, the expression may name u, the value of the field
///                    (ScalarFunction::depends_on_u)
/// @throws InputError  naming the fault and its position in the text
ScalarFunction parse_expression(std::string const& text, bool allow_time,
                                Constants const& constants = {}, bool allow_u = false);

/// Evaluates an expression of numbers, pi and constants. The result is finite.
///
///     double const width = constant_value("2*pi*r", {{"r", 0.5}});   // 3.14159...
///
/// @throws InputError  as parse_expression(), and if the expression names a variable
double constant_value(std::string const& text, Constants const& constants);

/// Returns the meaning that a name has in every expression: "a function", "a coordinate". An empty
/// text means that the name is free for a constant.
std::string meaning_of(std::string const& name);

/// A function of a field's value u, the coordinates of its point, and the time.
using FieldExpression = std::function<double(double u, double x, double y, double z, double t)>;

/// Parses an expression that may also name u, and z in 3D only. The result is thread-safe.
/// @throws InputError  as parse_expression()
FieldExpression parse_field_expression(std::string const& text, int dimension);

/// A function of the values a and b of two fields, the coordinates of their point, and the time.
using PairExpression =
    std::function<double(double a, double b, double x, double y, double z, double t)>;

/// Parses an expression that may also name a and b, and z in 3D only. The result is thread-safe.
/// @throws InputError  as parse_expression()
PairExpression parse_pair_expression(std::string const& text, int dimension);

/// The variables that an expression depends on.
struct ExpressionVariables {
  bool x = false;
  bool y = false;
  bool z = false;
  bool t = false;

  /// Returns whether the expression is not constant.
  [[nodiscard]] bool any() const { return x || y || z || t; }
};

/// Returns the variables that an expression names.
/// @throws InputError  as parse_expression()
ExpressionVariables expression_variables(std::string const& text, Constants const& constants = {});

}  // namespace isotherm
