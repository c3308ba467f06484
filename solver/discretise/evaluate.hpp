#pragma once

#include <array>
#include <optional>
#include <span>

#include "decomposition/field/staging/host_staging.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "kernels/core/error.hpp"
#include "kernels/expressions/program.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// Returns the coordinates of a point. They follow from its global index alone, so every
/// decomposition computes the same bits.
inline std::array<double, 3> coordinates(Grid const& grid, Index3 global) {
  return {grid.coordinate(0, global.x), grid.coordinate(1, global.y), grid.coordinate(2, global.z)};
}

/// Returns the same coordinates, to be indexed by the axis.
inline PerAxis<double> place_of(Grid const& grid, Index3 global) {
  auto const [x, y, z] = coordinates(grid, global);
  return {x, y, z};
}

/// Returns the value of `function` at a grid point and time. A constant needs neither a call nor
/// coordinates.
inline double value_at(ScalarFunction const& function, Grid const& grid, Index3 global,
                       double time_s = 0.0) {
  if (function.is_constant()) return function.constant;
  auto const [x, y, z] = coordinates(grid, global);
  return function(x, y, z, time_s);
}

/// Returns the value of `function` at a grid point and time, if the field has the value `u` there.
inline double value_at(ScalarFunction const& function, Grid const& grid, Index3 global,
                       double time_s, double u) {
  if (function.is_constant()) return function.constant;
  auto const [x, y, z] = coordinates(grid, global);
  return function.at(x, y, z, time_s, u);
}

/// Evaluates `function` at consecutive points along x, from `first` on (global indices). Compiled
/// expressions are evaluated in blocks, with the same bits as by value_at().
void evaluate_row(ScalarFunction const& function, Grid const& grid, Index3 first, double time_s,
                  std::span<double> values);

/// A function at the rows of a box of grid points, for evaluations at many times. If it is a
/// compiled expression, what depends on x alone is evaluated once (expressions::RowProgram). The
/// bits are those of evaluate_row(). Keeps references to the function and the grid.
class RowFunction {
 public:
  /// @param box  the points (global indices)
  RowFunction(ScalarFunction const& function, Grid const& grid, GlobalBox const& box);

  /// Evaluates consecutive points along x of the box, from `first` on (global indices).
  /// Thread-safe.
  void operator()(Index3 first, double time_s, std::span<double> values) const;

 private:
  ScalarFunction const* function_;
  Grid const* grid_;
  std::int64_t lower_;  ///< first index along x of the box
  std::optional<expressions::RowProgram> program_{};
};

/// Evaluates `function` at single points of a row along x, of which not all are needed. The
/// coordinates y and z are computed once. Keeps references to the function and the grid.
class AlongRow {
 public:
  /// @param first  the first point of the row (global indices)
  AlongRow(ScalarFunction const& function, Grid const& grid, Index3 first, double time_s = 0.0)
      : function_(&function), grid_(&grid), first_(first.x), time_s_(time_s) {
    if (function.is_constant()) return;
    y_ = grid.coordinate(1, first.y);
    z_ = grid.coordinate(2, first.z);
  }

  /// Returns the value at the i-th point after the first.
  double operator()(std::size_t i) const {
    if (function_->is_constant()) return function_->constant;
    std::int64_t const index = first_ + static_cast<std::int64_t>(i);
    return function_->evaluate(grid_->coordinate(0, index), y_, z_, time_s_);
  }

 private:
  ScalarFunction const* function_;
  Grid const* grid_;
  std::int64_t first_;
  double time_s_;
  double y_ = 0.0;  ///< coordinates of the row
  double z_ = 0.0;
};

/// Returns the function of local points that evaluates `function` at time `time_s`, as
/// HostStaging::evaluate() expects it. The result owns copies of `function` and the grid.
inline PointFunction at_points(Subdomain const& subdomain, ScalarFunction const& function,
                               double time_s) {
  return [grid = subdomain.grid(), first = subdomain.owned_global().lower, function, time_s](
             Index3 local, std::span<double> values) {
    evaluate_row(function, grid, local + first, time_s, values);
  };
}

/// Evaluates `function` at the owned points and time `time_s` into a dense array, x fastest.
/// @throws Error  if the size of the array is not the number of owned points
template <class Real>
void evaluate_owned(Subdomain const& subdomain, ScalarFunction const& function, double time_s,
                    std::span<Real> values) {
  LocalBox const owned = subdomain.owned();
  require(values.size() == static_cast<std::size_t>(owned.point_count()),
          "the array for a function's values does not fit the owned points");
  (void)evaluate_dense(owned, at_points(subdomain, function, time_s), values.data());
}

}  // namespace isotherm
