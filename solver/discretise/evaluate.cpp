#include "solver/discretise/evaluate.hpp"

#include <algorithm>
#include <array>

#include "solver/discretise/compiled_function.hpp"

namespace isotherm {

namespace {

/// Evaluates a program at consecutive points along x.
void evaluate_row(expressions::Program const& program, Grid const& grid, Index3 first,
                  double time_s, std::span<double> values) {
  // Coordinates of a piece of the row, on the stack.
  constexpr std::size_t maximum = PointFunction::maximum;
  std::array<double, maximum> x;  // NOLINT(*-member-init): set before it is read
  expressions::Variables variables{};
  variables[1].value = grid.coordinate(1, first.y);
  variables[2].value = grid.coordinate(2, first.z);
  variables[3].value = time_s;
  while (!values.empty()) {
    std::size_t const count = std::min(values.size(), maximum);
    if (program.reads(0)) {
      for (std::size_t i = 0; i < count; ++i) {
        x[i] = grid.coordinate(0, first.x + static_cast<std::int64_t>(i));
      }
      variables[0].values = x.data();
    }
    program.evaluate(variables, values.first(count));
    values = values.subspan(count);
    first.x += static_cast<std::int64_t>(count);
  }
}

}  // namespace

void evaluate_row(ScalarFunction const& function, Grid const& grid, Index3 first, double time_s,
                  std::span<double> values) {
  if (function.is_constant()) {
    std::ranges::fill(values, function.constant);
    return;
  }
  auto const* const program = compiled(function);
  // A single point is cheaper by itself.
  if (program != nullptr && values.size() > 1) {
    return evaluate_row(*program, grid, first, time_s, values);
  }
  AlongRow const value(function, grid, first, time_s);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = value(i);
}

}  // namespace isotherm
