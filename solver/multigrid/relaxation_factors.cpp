#include "solver/multigrid/relaxation_factors.hpp"

#include <array>

namespace isotherm {

namespace {

/// Returns the largest error reduction factor of a cycle with this number of Chebyshev sweeps
/// before the coarse grid and the same number after it. It is c / (c + 4/3 n (n + 1)) by J.
/// Lottes's bound (see smoother.hpp). The constant c was measured with n = 4 on 40³ to 513³ and
/// 300² to 2049² points.
double worst_share(int dimension, double sweeps) {
  double const c = dimension == 2 ? 1.4 : 2.0;
  return c / (c + 4.0 / 3.0 * sweeps * (sweeps + 1.0));
}

}  // namespace

std::vector<double> cycle_relaxation_factors(int dimension, MultigridSettings const& settings) {
  // Damped Jacobi leaves other and larger components. It serves as a reference only.
  if (settings.smoother != Smoother::chebyshev) return {1.0};
  // The zeros relative to the worst factor. Their order was optimised on 100³ and 128³ points, so
  // that every prefix of the list gives a good polynomial. The first factor ω is close to 1. It
  // leaves smooth components nearly as small as the plain cycle does: one cycle suffices to reach
  // the discretisation error.
  constexpr std::array zeros{0.1, 0.5, 0.75, 0.15, 1.0, 0.4};
  double const worst = worst_share(dimension, 0.5 * (settings.pre + settings.post));
  std::vector<double> weights;
  weights.reserve(zeros.size());
  for (double const zero : zeros) weights.push_back(1.0 / (1.0 - zero * worst));
  return weights;
}

}  // namespace isotherm
