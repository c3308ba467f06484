#include "app/post/fields/field_expression.hpp"

#include <fmt/format.h>

#include "case/basics/text/wording.hpp"
#include "decomposition/grid/point_name.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/precision.hpp"
#include "solver/discretise/evaluate.hpp"

namespace isotherm::app {

FieldExpression expression_of(std::string const& text, Grid const& grid) try {
  return parse_field_expression(text, grid.dimension);
} catch (InputError const& fault) {
  throw InputError(std::string("--of ") + fault.what());
}

template <class Real>
void evaluate(std::string const& text, Subdomain const& part, double time_s,
              std::vector<Real>& values) {
  FieldExpression const expression = expression_of(text, part.grid());
  LocalBox const owned = part.owned();
  Index3 const first = part.owned_global().lower;
  Extent3 const n = owned.extent();
  // Each point reads its own value only, so values may be replaced in place.
  auto const at = [&](Index3 local) {
    auto const [x, y, z] = coordinates(part.grid(), local + first);
    auto const index = static_cast<std::size_t>((local.z * n.y + local.y) * n.x + local.x);
    return expression(static_cast<double>(values[index]), x, y, z, time_s);
  };
  // The first point at which the expression is not finite in this precision, if any.
  auto const wrong = evaluate_dense(owned, at, values.data());
  if (!wrong) return;
  throw InputError(fmt::format("--of \"{}\" is not finite in {} at {}", one_line(text, 200),
                               name(precision_of<Real>), point_name(part.grid(), *wrong + first)));
}

template void evaluate(std::string const&, Subdomain const&, double, std::vector<float>&);
template void evaluate(std::string const&, Subdomain const&, double, std::vector<double>&);

}  // namespace isotherm::app
