#include "solver/multigrid/levels/coarsening.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include "solver/problem/conditions.hpp"
#include "tests/support/face_names.hpp"

// The sequence of grids of a multigrid hierarchy.

namespace isotherm::test {
namespace {

constexpr BoundaryKind dirichlet = BoundaryKind::dirichlet;
constexpr BoundaryKind neumann = BoundaryKind::neumann;
constexpr BoundaryKind periodic = BoundaryKind::periodic;

struct Ends {
  BoundaryKind lower;
  BoundaryKind upper;
  [[nodiscard]] bool with_dirichlet() const { return lower == dirichlet || upper == dirichlet; }
};
constexpr Ends between_values{dirichlet, dirichlet};
constexpr Ends insulated{neumann, neumann};
constexpr Ends around{periodic, periodic};
constexpr Ends half_insulated{neumann, dirichlet};

/// A problem with the given points, spacings and axis ends, and Dirichlet values on its faces.
Problem problem_of(int dimension, Extent3 points, PerAxis<double> spacing, PerAxis<Ends> ends) {
  Problem problem;
  problem.equation = Equation::laplace;
  PerAxis<double> upper{1.0, 1.0, 1.0};
  PerAxis<bool> wraps{};
  for (int axis = 0; axis < dimension; ++axis) {
    wraps[axis] = ends[axis].lower == periodic;
    std::int64_t const intervals = points[axis] - (wraps[axis] ? 0 : 1);
    upper[axis] = spacing[axis] * static_cast<double>(intervals);
    problem.boundary[{axis, false}] = {ends[axis].lower, 2.0};
    problem.boundary[{axis, true}] = {ends[axis].upper, 3.0};
  }
  problem.grid = make_grid(dimension, points, {}, upper, wraps);
  return problem;
}

/// A problem with three kinds of axes, all of the same spacing.
Problem varied(std::int64_t n) {
  return problem_of(3, {n, n, n}, {0.25, 0.25, 0.25}, {half_insulated, around, insulated});
}

double length(Grid const& grid, int axis) {
  std::int64_t const intervals = grid.points[axis] - (grid.periodic[axis] ? 0 : 1);
  return grid.spacing[axis] * static_cast<double>(intervals);
}

/// The numbers of points of an axis, the finest first.
std::vector<std::int64_t> points_along(int axis, Problem const& problem) {
  std::vector<std::int64_t> points;
  for (Problem const& level : correction_problems(problem, 4)) {
    points.push_back(level.grid.points[axis]);
  }
  return points;
}
using Points = std::vector<std::int64_t>;

TEST(Coarsening, EndsWithFewPointsForAnySize) {
  for (std::int64_t n = 2; n <= 300; ++n) {
    for (Ends const ends : {between_values, half_insulated, insulated, around}) {
      Problem const problem =
          problem_of(3, {n, 2 * n + 1, 7}, {0.5, 0.1, 3.0}, {ends, between_values, ends});
      Grid const coarsest = correction_problems(problem).back().grid;
      for (int axis = 0; axis < 3; ++axis) {
        EXPECT_LE(coarsest.points[axis], usual_coarsest(3)) << n << " points, axis " << axis;
        EXPECT_GE(coarsest.points[axis], 1);
      }
    }
  }
}

TEST(Coarsening, EndsOnceNoAxisExceedsTheRequestedPoints) {
  for (int const dimension : {2, 3}) {
    for (int const asked : {3, 4, 5, 9, max_coarsest(dimension)}) {
      for (std::int64_t n = 2; n <= 100; ++n) {
        for (Ends const ends : {between_values, half_insulated, insulated, around}) {
          Problem const problem = problem_of(dimension, {n, n, dimension == 2 ? 1 : n},
                                             {0.5, 0.5, 0.5}, {ends, ends, ends});
          std::vector<Problem> const levels = correction_problems(problem, asked);
          EXPECT_LE(levels.back().grid.points.x, asked) << n << " points, " << asked;
          bool const with_more =
              levels.size() == 1 || levels[levels.size() - 2].grid.points.x > asked;
          EXPECT_TRUE(with_more) << "a level more than needed, " << n << " points, " << asked;
        }
      }
    }
  }
}

// Along an axis with narrow spacing and no Dirichlet face, smoothing leaves a constant only.
TEST(Coarsening, CollapsesNarrowlySpacedAxesWithoutDirichletFaces) {
  Problem const problem =
      problem_of(3, {200, 200, 16}, {1.0, 1.0, 0.01}, {between_values, around, insulated});
  Grid const coarsest = correction_problems(problem).back().grid;
  EXPECT_EQ(coarsest.points.z, 1);
  EXPECT_LE(coarsest.points.x, usual_coarsest(3));

  Problem const closed =
      problem_of(3, {200, 200, 16}, {1.0, 1.0, 0.01}, {around, around, between_values});
  EXPECT_LE(correction_problems(closed).back().grid.points.z, 4);
}

TEST(Coarsening, CoarsestGridFitsTheModalSolver) {
  EXPECT_EQ(max_coarsest(2), 71);
  EXPECT_EQ(max_coarsest(3), 17);
  Grid grid;
  for (int const dimension : {2, 3}) {
    grid.dimension = dimension;
    EXPECT_LE(usual_coarsest(dimension), max_coarsest(dimension));
    EXPECT_THROW(check_coarsest(grid, 2), SettingError);
    EXPECT_NO_THROW(check_coarsest(grid, 3));
    EXPECT_NO_THROW(check_coarsest(grid, max_coarsest(dimension)));
    EXPECT_THROW(check_coarsest(grid, max_coarsest(dimension) + 1), SettingError);
  }
}

TEST(Coarsening, LevelsGrowLogarithmically) {
  std::int64_t const maximum = std::int64_t{1} << 31;
  for (std::int64_t const n : {maximum, maximum - 1, maximum / 2 + 1}) {
    Problem const problem =
        problem_of(2, {n, 3, 1}, {1e-3, 1e-3, 1.0}, {between_values, between_values, {}});
    EXPECT_LE(correction_problems(problem).size(), 33U);
    EXPECT_LE(correction_problems(problem, 4).back().grid.points.x, 4);
  }
}

TEST(Coarsening, HalvesIntervalsRoundingUp) {
  EXPECT_EQ(points_along(0, problem_of(2, {18, 18, 1}, {1, 1, 1}, {half_insulated, insulated, {}})),
            (Points{18, 10, 6, 4}));
  EXPECT_EQ(points_along(1, problem_of(2, {18, 18, 1}, {1, 1, 1}, {half_insulated, insulated, {}})),
            (Points{18, 10, 6, 4}));
  EXPECT_EQ(points_along(1, problem_of(2, {18, 18, 1}, {1, 1, 1}, {half_insulated, around, {}})),
            (Points{18, 9, 5, 3}));
}

TEST(Coarsening, PreservesTheLengthsOfAxes) {
  for (std::int64_t const n : {5, 17, 18, 63, 100, 257}) {
    Problem const problem = varied(n);
    for (Problem const& level : correction_problems(problem)) {
      for (int axis = 0; axis < 3; ++axis) {
        if (level.grid.points[axis] == 1) continue;
        EXPECT_NEAR(length(level.grid, axis), length(problem.grid, axis),
                    1e-12 * static_cast<double>(n));
        EXPECT_EQ(level.grid.lower[axis], problem.grid.lower[axis]);
      }
    }
  }
}

TEST(Coarsening, EachLevelShortensAnAxis) {
  for (std::int64_t const n : {5, 6, 7, 30, 97}) {
    std::vector<Problem> const levels = correction_problems(varied(n));
    for (std::size_t level = 1; level < levels.size(); ++level) {
      Extent3 const fine = levels[level - 1].grid.points;
      Extent3 const coarse = levels[level].grid.points;
      EXPECT_NE(fine, coarse);
      for (int axis = 0; axis < 3; ++axis) EXPECT_LE(coarse[axis], fine[axis]);
    }
  }
}

TEST(Coarsening, KeepsMuchWiderAxesUntilOthersCatchUp) {
  // The y axis (spacing 3.9) is not coarsened until the spacings of x and z (1 and 1.7) have grown
  // to 4 and 6.8.
  Problem const problem = problem_of(3, {65, 65, 65}, {1.0, 3.9, 1.7},
                                     {between_values, between_values, between_values});
  EXPECT_EQ(points_along(0, problem), (Points{65, 33, 17, 9, 5, 3, 3, 3}));
  EXPECT_EQ(points_along(1, problem), (Points{65, 65, 65, 33, 17, 9, 5, 3}));
  EXPECT_EQ(points_along(2, problem), (Points{65, 33, 17, 9, 5, 3, 3, 3}));
}

TEST(Coarsening, CollapsesWideAxesLast) {
  Problem const problem =
      problem_of(2, {33, 3, 1}, {1.0, 8.0, 1.0}, {between_values, insulated, {}});
  EXPECT_EQ(points_along(0, problem), (Points{33, 17, 9, 5, 3}));
  EXPECT_EQ(points_along(1, problem), (Points{3, 3, 3, 3, 1}));
}

TEST(Coarsening, KeepsBoundaryKindsWithZeroValues) {
  for (Problem const& level : correction_problems(varied(41))) {
    EXPECT_EQ(level.equation, Equation::poisson);
    EXPECT_TRUE(level.source.is_zero());
    for (Face const face : faces(level.grid)) {
      EXPECT_EQ(condition(level, face).kind, condition(varied(41), face).kind) << name(face);
      EXPECT_TRUE(condition(level, face).value.is_zero()) << name(face);
    }
    EXPECT_NO_THROW(check_boundary(level));
  }
}

TEST(Coarsening, CollapsedAxesHaveNoFaces) {
  Problem const coarsest = correction_problems(problem_of(3, {900, 12, 12}, {1.0, 0.1, 0.1},
                                                          {half_insulated, around, insulated}))
                               .back();

  EXPECT_EQ(coarsest.grid.points.y, 1);
  EXPECT_EQ(coarsest.grid.points.z, 1);
  EXPECT_EQ(coarsest.grid.periodic, (PerAxis<bool>{}));
  EXPECT_EQ(faces(coarsest.grid), (std::vector<Face>{x_lower, x_upper}));
  EXPECT_EQ(coarsest.grid.dimension, 3);
}

TEST(Coarsening, PeriodicAxisOfOnePointCountsAsCollapsed) {
  Problem const correction =
      correction_problem(problem_of(2, {9, 1, 1}, {1, 1, 1}, {between_values, around, {}}));

  EXPECT_EQ(correction.grid.points, (Extent3{9, 1, 1}));
  EXPECT_FALSE(correction.grid.periodic[1]);
  EXPECT_EQ(faces(correction.grid), (std::vector<Face>{x_lower, x_upper}));
  EXPECT_EQ(relaxation_weights(correction.grid), (PerAxis<double>{0.5, 0.0, 0.0}));
}

/// A heterogeneous medium with given coordinates along x and y.
Problem medium_on(std::vector<double> const& x, std::vector<double> const& y) {
  Problem problem = problem_of(2, {4, 4, 1}, {1, 1, 1}, {between_values, between_values, {}});
  problem.grid = with_coordinates(problem.grid, 0, x);
  problem.grid = with_coordinates(problem.grid, 1, y);
  problem.medium.conductivity = {2.0, 2.0, 2.0};
  return problem;
}

std::vector<double> geometric(std::int64_t points, double ratio) {
  std::vector<double> places{0.5};
  for (std::int64_t n = 1; n < points; ++n) {
    double const share = static_cast<double>(n - 1) / static_cast<double>(points - 2);
    places.push_back(places.back() + std::pow(ratio, share));
  }
  return places;
}

/// Returns the narrower of the two gaps next to an inner point.
double narrower_gap(Grid const& grid, int axis, std::int64_t point) {
  return std::min(grid.gap(axis, point - 1), grid.gap(axis, point));
}

TEST(CoarseningOfMedia, CoarsensGradedAxesAtNarrowGaps) {
  for (std::int64_t const n : {5, 16, 33, 97, 128}) {
    for (double const ratio : {1.0, 10.0, 0.01, 1e5}) {
      std::vector<Problem> const levels =
          correction_problems(medium_on(geometric(n, ratio), geometric(2 * n, 3.0)), 4);
      for (std::size_t m = 0; m + 1 < levels.size(); ++m) {
        Grid const& fine = levels[m].grid;
        Grid const& coarse = levels[m + 1].grid;
        EXPECT_LT(coarse.point_count(), fine.point_count());
        double narrowest = 1e300;
        for (int const axis : {0, 1}) {
          if (fine.points[axis] == 2) narrowest = std::min(narrowest, fine.gap(axis, 0));
          for (std::int64_t p = 1; p + 1 < fine.points[axis]; ++p) {
            narrowest = std::min(narrowest, narrower_gap(fine, axis, p));
          }
        }
        for (int const axis : {0, 1}) {
          if (fine.points[axis] <= 2) continue;
          auto const remaining = c_points(fine, coarse, axis);
          EXPECT_EQ(remaining.front(), 0);
          EXPECT_EQ(remaining.back(), fine.points[axis] - 1);
          std::vector<bool> remains(static_cast<std::size_t>(fine.points[axis]));
          for (std::int64_t const p : remaining) remains[static_cast<std::size_t>(p)] = true;
          for (std::int64_t p = 1; p + 1 < fine.points[axis]; ++p) {
            auto const at = static_cast<std::size_t>(p);
            bool const narrow = narrower_gap(fine, axis, p) <= 3.0 * narrowest;
            if (!remains[at]) {
              EXPECT_TRUE(narrow && remains[at - 1] && remains[at + 1]);
            } else if (narrow) {
              EXPECT_FALSE(remains[at - 1]) << "could have been left out";
            }
          }
        }
      }
      EXPECT_LE(levels.back().grid.points.y, 4);
      EXPECT_LE(levels.back().grid.points.x, 4);
    }
  }
}

TEST(CoarseningOfMedia, CoarsensTheNarrowestGapsFirst) {
  Problem problem;
  problem.grid = make_grid(2, {41, 41, 1}, {}, {40.0, 40.0, 0.0}, {});
  std::vector<double> coordinates = coordinates_of(problem.grid, 0);
  coordinates[20] = coordinates[19] + 1e-4;
  problem.grid = with_coordinates(problem.grid, 0, coordinates);
  auto const coarser = coarser_problem(correction_problem(problem));
  ASSERT_TRUE(coarser);
  EXPECT_EQ(coarser->grid.points, (Extent3{40, 41, 1}));
}

/// An even number of points leaves a narrower gap at the end, which a coarser grid may merge later.
TEST(CoarseningOfMedia, OmitsEverySecondPointOfUniformAxes) {
  for (std::int64_t n = 3; n <= 70; ++n) {
    Problem const listed = medium_on(geometric(n, 1.0), geometric(2 * n - 1, 1.0));
    Problem even = listed;
    even.grid = make_grid(2, listed.grid.points, {}, {1.0, 1.0, 1.0}, {});
    even.grid.spacing = {1.0, 1.0, 1.0};
    std::vector<Problem> const a = correction_problems(listed, 4);
    std::vector<Problem> const b = correction_problems(even, 4);
    bool const all_even = std::has_single_bit(static_cast<std::uint64_t>(n - 1));
    if (all_even) {
      ASSERT_EQ(a.size(), b.size());
    }
    std::size_t const alike = all_even ? a.size() : std::min<std::size_t>({2, a.size(), b.size()});
    EXPECT_GT(alike, 1U);
    for (std::size_t m = 0; m < alike; ++m) EXPECT_EQ(a[m].grid.points, b[m].grid.points) << n;
  }
}

TEST(CoarseningOfMedia, LowConductivityCountsAsWiderGaps) {
  Problem problem = medium_on(geometric(40, 1.0), geometric(40, 1.0));
  problem.medium.conductivity[1] = 0.02;
  Grid const coarser = correction_problems(problem)[1].grid;
  EXPECT_EQ(coarser.points, (Extent3{21, 40, 1}));
}

TEST(RelaxationWeights, SumToOneHalfOnEveryLevel) {
  for (Problem const& problem :
       {varied(65), problem_of(2, {70, 33, 1}, {0.1, 0.7, 1.0}, {between_values, around, {}}),
        problem_of(3, {9, 200, 31}, {1e-3, 4.0, 1e3}, {insulated, between_values, around})}) {
    for (Problem const& level : correction_problems(problem)) {
      PerAxis<double> const weights = relaxation_weights(level.grid);
      EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 0.5, 1e-15);
      for (int axis = 0; axis < 3; ++axis) {
        double const spacing = level.grid.spacing[axis];
        double const expected =
            1.0 / (spacing * spacing) / (2.0 * inverse_spacings_squared(level.grid));
        EXPECT_DOUBLE_EQ(weights[axis], level.grid.points[axis] > 1 ? expected : 0.0);
      }
    }
  }
}

TEST(RelaxationWeights, SumToOneWithTheShift) {
  for (double const sigma : {1e-9, 1.0, 1e9}) {
    Problem problem = varied(65);
    problem.sigma = sigma;
    for (Problem const& level : correction_problems(problem)) {
      EXPECT_EQ(level.sigma, sigma);
      PerAxis<double> const weights = relaxation_weights(level.grid, sigma);
      double const shift = relaxation_shift(level.grid, sigma);
      EXPECT_NEAR(2.0 * std::accumulate(weights.begin(), weights.end(), 0.0) + shift, 1.0, 1e-15);
      EXPECT_DOUBLE_EQ(shift * diagonal(level.grid, sigma), sigma);
    }
  }
  EXPECT_EQ(relaxation_weights(Grid{}, 0.5), PerAxis<double>{});
}

TEST(RelaxationWeights, VanishForASinglePoint) {
  Grid grid;
  EXPECT_EQ(relaxation_weights(grid), PerAxis<double>{});
  EXPECT_EQ(inverse_spacings_squared(grid), 1.0);
}

}  // namespace
}  // namespace isotherm::test
