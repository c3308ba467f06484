#pragma once

#include "decomposition/field/halo_filler.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// The shape of the halo that a problem's fields need.
HaloShape halo_shape(Problem const& problem, int depth);

}  // namespace isotherm
