#include "solver/multigrid/smoother.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

// The relaxation factors of Chebyshev and damped Jacobi smoothing.

namespace isotherm::test {
namespace {

/// Returns the damping factor of sweeps with these relaxation factors for an error of eigenvalue λ:
/// Π (1 − ω λ).
double damping(std::vector<double> const& weights, double eigenvalue) {
  double product = 1.0;
  for (double const weight : weights) product *= 1.0 - weight * eigenvalue;
  return product;
}

/// Returns the largest absolute damping factor on [lowest, 2].
double worst_damping(std::vector<double> const& weights, double lowest) {
  double worst = 0.0;
  constexpr int samples = 2000;
  for (int n = 0; n <= samples; ++n) {
    double const eigenvalue = lowest + (2.0 - lowest) * n / samples;
    worst = std::max(worst, std::abs(damping(weights, eigenvalue)));
  }
  return worst;
}

TEST(ChebyshevWeights, BelongToChebyshevPolynomialsOfTheFourthKind) {
  std::vector<double> const expected{4.2743, 1.2101, 0.6667, 0.5155};
  std::vector<double> const weights = chebyshev_weights(4);

  ASSERT_EQ(weights.size(), expected.size());
  for (std::size_t n = 0; n < expected.size(); ++n) EXPECT_NEAR(weights[n], expected[n], 5e-5);
  EXPECT_EQ(chebyshev_weights(1).size(), 1U);
  EXPECT_NEAR(chebyshev_weights(1).front(), 2.0 / 3.0, 1e-15);
}

TEST(ChebyshevWeights, DescendAndAreFinite) {
  for (int sweeps = 1; sweeps <= 8; ++sweeps) {
    std::vector<double> const weights = chebyshev_weights(sweeps);
    EXPECT_EQ(std::ssize(weights), sweeps);
    EXPECT_TRUE(std::ranges::is_sorted(weights, std::greater<>{}));
    EXPECT_GT(weights.back(), 0.5);
    EXPECT_LT(weights.front(), 15.0);
  }
}

/// p(λ) = sin((n + 1/2) θ) / ((2n + 1) sin(θ / 2)) with cos θ = 1 − λ.
TEST(ChebyshevWeights, DampByTheChebyshevPolynomial) {
  for (int sweeps = 1; sweeps <= 8; ++sweeps) {
    std::vector<double> const weights = chebyshev_weights(sweeps);
    for (int n = 1; n <= 100; ++n) {
      double const eigenvalue = 0.02 * n;
      double const angle = std::acos(1.0 - eigenvalue);
      double const polynomial =
          std::sin((sweeps + 0.5) * angle) / ((2.0 * sweeps + 1.0) * std::sin(0.5 * angle));
      EXPECT_NEAR(damping(weights, eigenvalue), polynomial, 1e-12);
      // Optimality: the bound falls evenly with the square root of the eigenvalue.
      EXPECT_LE(std::abs(polynomial) * std::sqrt(0.5 * eigenvalue) * (2.0 * sweeps + 1.0),
                1.0 + 1e-12);
    }
    EXPECT_EQ(damping(weights, 0.0), 1.0);
    EXPECT_LE(worst_damping(weights, 1e-6), 1.0);
  }
}

/// Returns the largest √λ |Π (1 − ω λ)| on [0, 2]: the smoothing factor for errors that the coarse
/// grid corrects only approximately.
double worst_smoothing(std::vector<double> const& weights) {
  double worst = 0.0;
  constexpr int samples = 2000;
  for (int n = 0; n <= samples; ++n) {
    double const eigenvalue = 2.0 * n / samples;
    worst = std::max(worst, std::sqrt(eigenvalue) * std::abs(damping(weights, eigenvalue)));
  }
  return worst;
}

TEST(ChebyshevWeights, SmoothBetterThanDampedJacobi) {
  for (int sweeps = 2; sweeps <= 8; ++sweeps) {
    EXPECT_NEAR(worst_smoothing(chebyshev_weights(sweeps)), std::sqrt(2.0) / (2.0 * sweeps + 1.0),
                1e-3);
    EXPECT_LT(worst_smoothing(chebyshev_weights(sweeps)),
              0.85 * worst_smoothing(damped_weights(sweeps)));
  }
}

TEST(ChebyshevWeights, FourSweepsDampOscillatingErrors) {
  // Oscillating errors have eigenvalues of at least 1/3 in 3D and 1/2 in 2D.
  EXPECT_LT(worst_damping(chebyshev_weights(4), 1.0 / 3.0), 0.273);
  EXPECT_LT(worst_damping(chebyshev_weights(4), 1.0 / 2.0), 0.223);
}

TEST(DampedWeights, AreEqual) {
  EXPECT_EQ(damped_weights(3), (std::vector<double>{6.0 / 7.0, 6.0 / 7.0, 6.0 / 7.0}));
  EXPECT_NEAR(worst_damping(damped_weights(1), 1.0 / 3.0), 5.0 / 7.0, 1e-12);
}

}  // namespace
}  // namespace isotherm::test
