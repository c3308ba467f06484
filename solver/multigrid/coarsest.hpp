#pragma once

#include <vector>

#include "solver/multigrid/level_plan.hpp"

namespace isotherm {

/// The inverse of (1 − Σ w · neighbours) over the unknown points of a level that is small and has
/// no periodic axis, row by row, points in the order x fastest; zero
/// without a Dirichlet face: then the correction is free to add any constant, or, where σ > 0, its
/// constant is known better than from a system that is nearly singular (FreeConstant).
/// @throws Error  where the level has more points than a dense matrix may have
std::vector<double> coarsest_inverse(Problem const& correction);

}  // namespace isotherm
