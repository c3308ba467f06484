#pragma once

#include <functional>
#include <memory>

#include "decomposition/grid/grid.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// A function that returns the values at the points of a box of the grid at a given time, dense, x
/// fastest. The result must not change while it is referenced.
using GiveValues = std::function<std::shared_ptr<double const>(double time_s, GlobalBox box)>;

/// A function that another program gives in place of an expression of the case. It computes the
/// values of a whole box in one call, which suits arrays and functions of arrays. A rank calls it
/// only for the points that it needs.
struct GivenFunction {
  GiveValues give;              ///< called by one thread at a time
  bool varies_in_time = false;  ///< false: `give` is called once, with time 0
};

/// Returns the function in the form that the solver needs: evaluated point by point. It looks up
/// values that were given for `box`, once, or once for each time. At points outside the box it
/// returns NaN. Several threads may call it at the same time; one of them calls `give`.
///
///   GivenFunction source{[](double t, GlobalBox box) { return my_source(t, box); }, true};
///   problem.source = lookup(source, problem.grid, subdomain.owned_global());
ScalarFunction lookup(GivenFunction given, Grid const& grid, GlobalBox box);

}  // namespace isotherm
