#include "solver/multigrid/smoother.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>

namespace isotherm {

std::vector<double> chebyshev_weights(int sweeps) {
  // The weight 1/λ_i makes sweep i remove the mode of eigenvalue λ_i, a root of W_n(1 − λ).
  // With cos θ = 1 − λ, W_n(1 − λ) = sin((n + 1/2) θ) / sin(θ / 2) vanishes at θ = 2πi / (2n + 1).
  std::vector<double> weights;
  for (int i = 1; i <= sweeps; ++i) {
    double const angle = 2.0 * std::numbers::pi * i / (2.0 * sweeps + 1.0);
    weights.push_back(1.0 / (1.0 - std::cos(angle)));
  }
  return weights;
}

std::vector<double> damped_weights(int sweeps) {
  std::vector<double> weights(static_cast<std::size_t>(sweeps), 6.0 / 7.0);
  return weights;
}

}  // namespace isotherm
