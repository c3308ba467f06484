#pragma once

#include <string>

#include "decomposition/grid/grid.hpp"

namespace isotherm {

/// Names a point by its coordinates, for messages: "x = 0.5, y = 1".
/// @param global  global index of the point
std::string point_name(Grid const& grid, Index3 global);

}  // namespace isotherm
