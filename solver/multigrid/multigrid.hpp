#pragma once

#include "solver/discretise/scheme.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// Multigrid for −∇·∇u = f (R. P. Fedorenko, 1964; A. Brandt, 1977) with Jacobi's numbers: weights
/// w_d = h_d^-2 / (2 Σ h^-2), the source's factor 1 / (2 Σ h^-2), over the axes of more than one
/// point.
/// @throws InputError  where multigrid cannot solve the problem: the diffusion equation, or an
///                     axis of more than 2^31 points
Scheme multigrid_scheme(Problem const& problem, MethodSettings const& method);

}  // namespace isotherm
