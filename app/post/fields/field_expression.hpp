#pragma once

#include <string>
#include <vector>

#include "case/expressions/expression.hpp"
#include "decomposition/grid/subdomain.hpp"

/// Expressions of a stored field, as --of gives them: "exp(u)", "u - 20".

namespace isotherm::app {

/// Parses the expression; errors name the option. @throws InputError
FieldExpression expression_of(std::string const& text, Grid const& grid);

/// Replaces the values at the owned points by those of the expression. Evaluates in float64 and
/// rounds to the field's precision. Not collective.
/// @param values  u at the owned points, dense, x fastest
/// @throws InputError  naming the first point at which the result is not finite
template <class Real>
void evaluate(std::string const& text, Subdomain const& part, double time_s,
              std::vector<Real>& values);

}  // namespace isotherm::app
