#include "solver/multigrid/acceleration.hpp"

#include <array>

namespace isotherm {

namespace {

/// The largest share of a part of the error that a cycle leaves with so many Chebyshev sweeps
/// before, and after: c / (c + 4/3 n (n + 1)) by J. Lottes's bound (see smoother.hpp), and c as
/// measured with n = 4 on 40³ to 513³, and 300² to 2049² points.
double worst_share(int dimension, double sweeps) {
  double const c = dimension == 2 ? 1.4 : 2.0;
  return c / (c + 4.0 / 3.0 * sweeps * (sweeps + 1.0));
}

}  // namespace

std::vector<double> correction_weights(int dimension, MultigridSettings const& settings) {
  // Damped Jacobi leaves another mixture, and more of it; it is there to compare with.
  if (settings.smoother != Smoother::chebyshev) return {1.0};
  // Where the shares vanish, relative to the worst. Any prefix is a good polynomial, too; the order
  // was searched for on 100³ and 128³ points. The first leaves the smooth parts nearly as the cycle
  // does, so that one cycle is enough where the error is to be that of the discretisation.
  constexpr std::array zeros{0.1, 0.5, 0.75, 0.15, 1.0, 0.4};
  double const worst = worst_share(dimension, 0.5 * (settings.pre + settings.post));
  std::vector<double> weights;
  weights.reserve(zeros.size());
  for (double const zero : zeros) weights.push_back(1.0 / (1.0 - zero * worst));
  return weights;
}

}  // namespace isotherm
