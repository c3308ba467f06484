#pragma once

#include <vector>

#include "solver/multigrid/level_plan.hpp"

namespace isotherm {

/// The inverse of (1 − Σ w · neighbours) over the unknown points of a level that is small and has
/// no periodic axis, row by row, points in the order x fastest; zero where there is no inverse,
/// since the correction is free to add any constant: without a Dirichlet face, if σ is 0.
/// @throws Error  where the level has more points than a dense matrix may have
std::vector<double> coarsest_inverse(Problem const& correction);

}  // namespace isotherm
