#pragma once

#include <vector>

namespace isotherm {

/// Returns the weights ω of weighted Jacobi sweeps, u ← u + ω D⁻¹ (f − A u). The sweeps damp the
/// errors that a coarser grid cannot correct. `sweeps` is at least 1.
///
/// They are the reciprocal roots of the Chebyshev polynomial of the fourth kind on (0, 2], the
/// interval of the eigenvalues of D⁻¹A (J. Lottes, Optimal polynomial smoothers for multigrid
/// V-cycles, 2023). Among all polynomials p of this degree with p(0) = 1, theirs minimises the
/// maximum of √λ |p(λ)|. No estimate of the smallest eigenvalue is needed. The largest weight comes
/// first.
std::vector<double> chebyshev_weights(int sweeps);

/// Returns the weights of `sweeps` damped Jacobi sweeps, all ω = 6/7. With eigenvalues of D⁻¹A in
/// (0, 2), the value minimises the largest factor over λ in [1/3, 2], the rough modes of a 3D grid.
std::vector<double> damped_weights(int sweeps);

}  // namespace isotherm
