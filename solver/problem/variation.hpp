#pragma once

#include <vector>

#include "decomposition/grid/grid.hpp"
#include "solver/problem/medium.hpp"
#include "solver/problem/scalar_function.hpp"

// Along which axes functions and regions vary, as far as their description proves it. True means
// that a value may vary along the axis, false that it does not.

namespace isotherm {

/// Returns the axes along which a function varies; none for a constant.
PerAxis<bool> variation_of(ScalarFunction const& function);
/// Returns the axes along which a region varies within a grid. A box does not vary along an axis
/// that it spans.
PerAxis<bool> variation_of(Region const& region, Grid const& grid);
/// Returns the axes along which a medium of layers varies: those of its values and regions.
PerAxis<bool> variation_of(std::vector<MediumLayer> const& layers, Grid const& grid);

/// Returns the axes along which one of two things varies.
PerAxis<bool> either(PerAxis<bool> const& a, PerAxis<bool> const& b);

}  // namespace isotherm
