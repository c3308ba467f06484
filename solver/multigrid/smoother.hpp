#pragma once

#include <vector>

namespace isotherm {

/// The weights of `sweeps` weighted Jacobi sweeps that together damp best what a coarser grid
/// cannot correct: the reciprocal roots of the Chebyshev polynomial of the fourth kind on (0, 2],
/// where the eigenvalues of D⁻¹A lie (J. Lottes, Optimal polynomial smoothers for multigrid
/// V-cycles, 2023). No estimate of the lowest eigenvalue is needed. The largest weight comes first.
std::vector<double> chebyshev_weights(int sweeps);

/// The same number of sweeps of damped Jacobi, ω = 6/7.
std::vector<double> damped_weights(int sweeps);

}  // namespace isotherm
