#pragma once

#include <vector>

namespace isotherm {

/// Returns the weights of `sweeps` weighted Jacobi sweeps that together damp best the errors which
/// a coarser grid cannot correct.
///
/// They are the reciprocal roots of the Chebyshev polynomial of the fourth kind on (0, 2], the
/// interval of the eigenvalues of D⁻¹A (J. Lottes, Optimal polynomial smoothers for multigrid
/// V-cycles, 2023). No estimate of the smallest eigenvalue is needed. The largest weight comes
/// first.
std::vector<double> chebyshev_weights(int sweeps);

/// Returns the weights of as many damped Jacobi sweeps, ω = 6/7.
std::vector<double> damped_weights(int sweeps);

}  // namespace isotherm
