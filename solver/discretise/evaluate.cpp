#include "solver/discretise/evaluate.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

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

RowFunction::RowFunction(ScalarFunction const& function, Grid const& grid, GlobalBox const& box)
    : function_(&function), grid_(&grid), lower_(box.lower.x) {
  auto const* const program = compiled(function);
  if (program == nullptr) return;
  std::vector<double> x;
  for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) x.push_back(grid.coordinate(0, i));
  program_.emplace(*program, std::move(x));
}

void RowFunction::operator()(Index3 first, double time_s, std::span<double> values) const {
  if (!program_) return evaluate_row(*function_, *grid_, first, time_s, values);
  expressions::Variables variables{};
  variables[1].value = grid_->coordinate(1, first.y);
  variables[2].value = grid_->coordinate(2, first.z);
  variables[3].value = time_s;
  program_->evaluate(static_cast<std::size_t>(first.x - lower_), variables, values);
}

}  // namespace isotherm
