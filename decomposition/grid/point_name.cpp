#include "decomposition/grid/point_name.hpp"

#include "kernels/core/text.hpp"

namespace isotherm {

std::string point_name(Grid const& grid, Index3 global) {
  std::string text;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    text += axis == 0 ? "" : ", ";
    text += "xyz"[axis];
    text += " = " + shortest(grid.coordinate(axis, global[axis]));
  }
  return text;
}

}  // namespace isotherm
