#include "solver/multigrid/smoother.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "kernels/core/error.hpp"
#include "solver/multigrid/coarsening.hpp"
#include "solver/multigrid/coarsest.hpp"

namespace isotherm::test {
namespace {

/// What sweeps with these weights make of an error of eigenvalue λ: Π (1 − ω λ).
double damping(std::vector<double> const& weights, double eigenvalue) {
  double product = 1.0;
  for (double const weight : weights) product *= 1.0 - weight * eigenvalue;
  return product;
}

/// The largest size of it on [lowest, 2].
double worst_damping(std::vector<double> const& weights, double lowest) {
  double worst = 0.0;
  constexpr int samples = 2000;
  for (int n = 0; n <= samples; ++n) {
    double const eigenvalue = lowest + (2.0 - lowest) * n / samples;
    worst = std::max(worst, std::abs(damping(weights, eigenvalue)));
  }
  return worst;
}

TEST(ChebyshevWeights, AreThoseOfTheFourthKind) {
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
TEST(ChebyshevWeights, HaveThePolynomialAsTheirProduct) {
  for (int sweeps = 1; sweeps <= 8; ++sweeps) {
    std::vector<double> const weights = chebyshev_weights(sweeps);
    for (int n = 1; n <= 100; ++n) {
      double const eigenvalue = 0.02 * n;
      double const angle = std::acos(1.0 - eigenvalue);
      double const polynomial =
          std::sin((sweeps + 0.5) * angle) / ((2.0 * sweeps + 1.0) * std::sin(0.5 * angle));
      EXPECT_NEAR(damping(weights, eigenvalue), polynomial, 1e-12);
      // What is optimal of it: it falls with the square root of the eigenvalue, evenly.
      EXPECT_LE(std::abs(polynomial) * std::sqrt(0.5 * eigenvalue) * (2.0 * sweeps + 1.0),
                1.0 + 1e-12);
    }
    EXPECT_EQ(damping(weights, 0.0), 1.0);
    EXPECT_LE(worst_damping(weights, 1e-6), 1.0);
  }
}

/// The largest √λ |Π (1 − ω λ)| on [0, 2]: what smooth errors, which a coarser grid corrects but
/// about, leave to be damped.
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

TEST(ChebyshevWeights, OfFourSweepsDampAllThatOscillatesAlongAnAxis) {
  // Such errors have eigenvalues from 1/3 in 3D, from 1/2 in 2D.
  EXPECT_LT(worst_damping(chebyshev_weights(4), 1.0 / 3.0), 0.273);
  EXPECT_LT(worst_damping(chebyshev_weights(4), 1.0 / 2.0), 0.223);
}

TEST(DampedWeights, AreAllAlike) {
  EXPECT_EQ(damped_weights(3), (std::vector<double>{6.0 / 7.0, 6.0 / 7.0, 6.0 / 7.0}));
  EXPECT_NEAR(worst_damping(damped_weights(1), 1.0 / 3.0), 5.0 / 7.0, 1e-12);
}

// The coarsest level.

/// A correction's problem whose faces are Dirichlet faces where `dirichlet` has a bit, else Neumann
/// faces.
Problem problem_of(Extent3 points, PerAxis<double> spacing, unsigned dirichlet) {
  Problem problem;
  problem.grid.dimension = 3;
  problem.grid.points = points;
  problem.grid.spacing = spacing;
  for (Face const face : faces(problem.grid)) {
    bool const given = (dirichlet >> static_cast<unsigned>(face.index()) & 1U) != 0U;
    problem.boundary[face].kind = given ? BoundaryKind::dirichlet : BoundaryKind::neumann;
  }
  return correction_problem(problem);
}

bool is_dirichlet(Problem const& problem, Face face) {
  return problem.grid.points[face.axis] > 1 &&
         problem.boundary[face].kind == BoundaryKind::dirichlet;
}

std::vector<Index3> unknowns_of(Problem const& problem) {
  std::vector<Index3> unknowns;
  Extent3 const n = problem.grid.points;
  for (std::int64_t k = 0; k < n.z; ++k) {
    for (std::int64_t j = 0; j < n.y; ++j) {
      for (std::int64_t i = 0; i < n.x; ++i) {
        Index3 const p{i, j, k};
        bool given = false;
        for (int axis = 0; axis < 3; ++axis) {
          given = given || (p[axis] == 0 && is_dirichlet(problem, {axis, false})) ||
                  (p[axis] == n[axis] - 1 && is_dirichlet(problem, {axis, true}));
        }
        if (!given) unknowns.push_back(p);
      }
    }
  }
  return unknowns;
}

/// u − Σ w u(neighbours) at a point, zero on Dirichlet faces and mirrored beyond Neumann faces: of
/// σ − ∇·∇, divided by what the point itself counts.
template <class Value>
double operator_at(Problem const& problem, Index3 p, Value const& value) {
  double inverse_squares = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    double const h = problem.grid.spacing[axis];
    if (problem.grid.points[axis] > 1) inverse_squares += 1.0 / (h * h);
  }
  double const diagonal = 2.0 * inverse_squares + problem.sigma;
  double sum = value(p);
  for (int axis = 0; axis < 3; ++axis) {
    std::int64_t const n = problem.grid.points[axis];
    if (n == 1) continue;
    double const h = problem.grid.spacing[axis];
    for (int const side : {-1, 1}) {
      Index3 q = p;
      q[axis] += side;
      if (q[axis] < 0) q[axis] = 1;
      if (q[axis] == n) q[axis] = n - 2;
      sum -= value(q) / (h * h) / diagonal;
    }
  }
  return sum;
}

void expect_inverse(Problem const& problem, std::string const& what) {
  std::vector<Index3> const unknowns = unknowns_of(problem);
  std::vector<double> const inverse = coarsest_inverse(problem);
  ASSERT_EQ(inverse.size(), unknowns.size() * unknowns.size()) << what;
  double worst = 0.0;
  for (std::size_t column = 0; column < unknowns.size(); ++column) {
    auto const value = [&](Index3 p) {
      auto const found = std::ranges::find(unknowns, p);
      if (found == unknowns.end()) return 0.0;
      return inverse[static_cast<std::size_t>(found - unknowns.begin()) * unknowns.size() + column];
    };
    for (std::size_t row = 0; row < unknowns.size(); ++row) {
      double const want = row == column ? 1.0 : 0.0;
      worst = std::max(worst, std::abs(operator_at(problem, unknowns[row], value) - want));
    }
  }
  EXPECT_LT(worst, 1e-12) << what;
}

TEST(CoarsestInverse, TimesTheOperatorIsTheIdentity) {
  PerAxis<double> const even{1.0, 1.0, 1.0};
  PerAxis<double> const uneven{0.4, 1.0, 0.7};
  for (unsigned dirichlet = 1; dirichlet < 64; ++dirichlet) {
    std::string const what = "Dirichlet faces " + std::to_string(dirichlet);
    expect_inverse(problem_of({3, 3, 3}, even, dirichlet), what);
    expect_inverse(problem_of({2, 3, 2}, uneven, dirichlet), what);
  }
  for (unsigned const dirichlet : {1U, 2U, 9U, 32U, 63U}) {
    expect_inverse(problem_of({4, 4, 4}, uneven, dirichlet), "64 points");
  }
  expect_inverse(problem_of({4, 1, 1}, even, 1U), "a single axis");
  expect_inverse(problem_of({1, 3, 4}, uneven, 4U), "a plane");
}

TEST(CoarsestInverse, OfAShiftedOperatorIsItsInverse) {
  for (double const sigma : {1e-3, 1.0, 1e6}) {
    for (Extent3 const points : {Extent3{3, 4, 2}, Extent3{4, 1, 1}}) {
      for (unsigned const dirichlet : {1U, 21U}) {
        Problem problem = problem_of(points, {0.4, 1.0, 0.7}, dirichlet);
        problem.sigma = sigma;
        expect_inverse(problem, "sigma " + std::to_string(sigma));
      }
    }
  }
}

TEST(CoarsestInverse, IsWithinThePointsOfEveryCoarsestLevel) {
  for (std::int64_t const n : {2, 4, 5, 12, 33, 100}) {
    for (unsigned const dirichlet : {1U, 3U, 12U, 21U, 63U}) {
      Problem const coarsest =
          correction_problems(problem_of({n, n + 3, 2 * n}, {1.0, 0.2, 3.0}, dirichlet)).back();
      expect_inverse(coarsest, std::to_string(n) + " points, faces " + std::to_string(dirichlet));
    }
  }
}

TEST(CoarsestInverse, IsZeroWhereAConstantCanBeAdded) {
  EXPECT_EQ(coarsest_inverse(problem_of({2, 2, 2}, {1, 1, 1}, 0U)), std::vector<double>(64, 0.0));
  Problem point = problem_of({1, 1, 1}, {1, 1, 1}, 63U);
  EXPECT_EQ(coarsest_inverse(point), std::vector<double>(1, 0.0));
  point.sigma = 3.0;
  EXPECT_EQ(coarsest_inverse(point), std::vector<double>(1, 0.0));
}

TEST(CoarsestInverse, OfNoUnknownsIsEmpty) {
  EXPECT_TRUE(coarsest_inverse(problem_of({2, 4, 4}, {1, 1, 1}, 63U)).empty());
}

TEST(CoarsestInverse, OfTooManyPointsIsRefused) {
  EXPECT_THROW((void)coarsest_inverse(problem_of({8, 8, 8}, {1, 1, 1}, 63U)), Error);
}

}  // namespace
}  // namespace isotherm::test
