#pragma once

#include <cstddef>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "case/basics/text/wording.hpp"
#include "case/expressions/expression.hpp"
#include "decomposition/grid/point_name.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/precision.hpp"
#include "solver/discretise/evaluate.hpp"

/// Expressions of a stored field, as --of gives them: "exp(u)", "u - 20".

namespace isotherm::app {

/// Parses the expression; errors name the option. @throws InputError
FieldExpression expression_of(std::string const& text, Grid const& grid);

/// Replaces the values at the owned points by those of an expression, which are rounded to the
/// field's precision. Not collective.
/// @param text        the expression, for messages
/// @param values      at the owned points, dense, x fastest
/// @param expression  returns its value from the index in `values` and the coordinates of a point;
///                    it may read the values at this index only
/// @throws InputError  naming the first point at which the result is not finite
template <class Real, class Expression>
void replace_values(std::string const& text, Subdomain const& part, std::vector<Real>& values,
                    Expression const& expression) {
  LocalBox const owned = part.owned();
  Index3 const first = part.owned_global().lower;
  Extent3 const n = owned.extent();
  auto const at = [&](Index3 local) {
    auto const [x, y, z] = coordinates(part.grid(), local + first);
    auto const index = static_cast<std::size_t>((local.z * n.y + local.y) * n.x + local.x);
    return expression(index, x, y, z);
  };
  auto const wrong = evaluate_dense(owned, at, values.data());
  if (!wrong) return;
  throw InputError(fmt::format("--of \"{}\" is not finite in {} at {}", one_line(text, 200),
                               name(precision_of<Real>), point_name(part.grid(), *wrong + first)));
}

/// Replaces the values of u at the owned points by those of the expression, as replace_values().
/// Evaluates in float64.
template <class Real>
void evaluate(std::string const& text, Subdomain const& part, double time_s,
              std::vector<Real>& values);

}  // namespace isotherm::app
