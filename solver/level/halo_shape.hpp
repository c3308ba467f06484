#pragma once

#include "decomposition/field/halo_filler.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// Returns the shape of the ghost layers that a problem's fields need: their depth, and the Neumann
/// faces at which they mirror the field. In a heterogeneous medium no face mirrors, because
/// conductances end at the faces.
HaloShape halo_shape(Problem const& problem, int depth);

}  // namespace isotherm
