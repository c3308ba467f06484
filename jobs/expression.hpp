#pragma once

#include <string>

#include "solver/problem.hpp"

namespace isotherm {

/// An expression in x, y, z, t and the constant pi (muParser's functions: sin, exp, sqrt, ?: …).
/// The result may be called from several threads at once.
/// @param allow_time  false: an expression that names t is refused
/// @throws InputError  naming what is wrong and where in the text
ScalarFunction parse_expression(std::string const& text, bool allow_time);

}  // namespace isotherm
