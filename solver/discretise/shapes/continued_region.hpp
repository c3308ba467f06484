#pragma once

#include "decomposition/grid/grid.hpp"
#include "solver/problem/medium.hpp"

namespace isotherm {

/// Returns a region that continues beyond the faces of the grid as it is next to them.
///
/// An expression that ends at a face, as "0 < x" does, has no surface there: nothing lies beyond.
/// Its places on a face and beyond it have the values of places a hundred-millionth of a gap inside
/// the face, so rounding does not matter. Periodic axes have no faces. Solids and regions that are
/// known at points only remain unchanged: solids have exact bounds.
Region continued_beyond_faces(Region region, Grid const& grid);

}  // namespace isotherm
