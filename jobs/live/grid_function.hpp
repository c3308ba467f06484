#pragma once

#include <functional>
#include <memory>

#include "decomposition/grid/grid.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// Gives values at the points of a box of the grid, dense, x fastest, at a time.
using GiveValues = std::function<std::shared_ptr<double const>(double time_s, GlobalBox box)>;

/// A function that stands in the place of an expression of a case: someone who has arrays, or
/// functions of arrays, gives its values where a rank needs them, not point by point.
struct GivenFunction {
  GiveValues give;
  bool varies_in_time = false;
};

/// As the solver wants it: looks the points' values up that were given for `box`, once, or for each
/// time anew. Not a number at points outside the box. May be called from several threads at once,
/// of which one calls `give`.
ScalarFunction lookup(GivenFunction given, Grid const& grid, GlobalBox box);

}  // namespace isotherm
