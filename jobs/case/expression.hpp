#pragma once

#include <functional>
#include <string>

#include "jobs/case/expression_names.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// An expression in x, y, z, t, pi and constants (muParser's functions and a few more: sin, exp,
/// mod, ?: …). The result may be called from several threads at once. An expression that names no
/// variable is evaluated here, once: it gives a constant. The result's text has the values of
/// constants in place of their names.
/// @param allow_time  false: an expression that names t is refused
/// @throws InputError  naming what is wrong and where in the text
ScalarFunction parse_expression(std::string const& text, bool allow_time,
                                Constants const& constants = {});

/// The value of an expression of numbers, pi and constants alone, which is finite.
/// @throws InputError  as parse_expression, and where it names a variable
double constant_value(std::string const& text, Constants const& constants);

/// What a name means in every expression: "a function", "a coordinate"; empty where it is free to
/// be the name of a constant.
std::string meaning_of(std::string const& name);

/// A value made of a field's value u, of where it lies, and of the time.
using FieldExpression = std::function<double(double u, double x, double y, double z, double t)>;

/// An expression that may name u, too, and z in 3D only. The result may be called from several
/// threads at once.
/// @throws InputError  as parse_expression
FieldExpression parse_field_expression(std::string const& text, int dimension);

/// Which variables an expression names.
struct ExpressionVariables {
  bool x = false;
  bool y = false;
  bool z = false;
  bool t = false;

  [[nodiscard]] bool any() const { return x || y || z || t; }
};

/// @throws InputError  as parse_expression
ExpressionVariables expression_variables(std::string const& text, Constants const& constants = {});

}  // namespace isotherm
