#pragma once

#include <string>

#include "decomposition/grid/grid.hpp"

namespace isotherm {

/// A point for messages, by its coordinates: "x = 0.5, y = 1".
std::string point_name(Grid const& grid, Index3 global);

}  // namespace isotherm
