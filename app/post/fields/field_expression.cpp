#include "app/post/fields/field_expression.hpp"

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
  replace_values(text, part, values, [&](std::size_t i, double x, double y, double z) {
    return expression(static_cast<double>(values[i]), x, y, z, time_s);
  });
}

template void evaluate(std::string const&, Subdomain const&, double, std::vector<float>&);
template void evaluate(std::string const&, Subdomain const&, double, std::vector<double>&);

}  // namespace isotherm::app
