#pragma once

#include <string>

#include "solver/discretise/scheme.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// Cycles number the points of an axis, times those of the next coarser grid, in 64 bits.
/// @throws InputError  where an axis has more than 2^31 points, naming `method`
void check_extents_of_cycles(Grid const& grid, std::string const& method);

/// Multigrid for −∇·∇u = f (R. P. Fedorenko, 1964; A. Brandt, 1977) with Jacobi's numbers: weights
/// w_d = h_d^-2 / (2 Σ h^-2), the source's factor 1 / (2 Σ h^-2), over the axes of more than one
/// point.
/// @throws InputError  where multigrid cannot solve the problem: the diffusion equation, or an
///                     axis of more than 2^31 points; SettingError as check_coarsest()
Scheme multigrid_scheme(Problem const& problem, MethodSettings const& method);

}  // namespace isotherm
