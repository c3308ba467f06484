#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "solver/direct/axis_operator.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/direct_solutions.hpp"

// Direct solutions in media whose coefficients vary along one axis, by tridiagonal systems along
// it.
namespace isotherm::test {
namespace {

using enum BoundaryKind;
using Layers = BackendTest;

constexpr double lower_surface = 0.31;
constexpr double upper_surface = 0.68;

/// Returns κ of three layers, 100 : 1 : 20, at a place along their axis.
double layered(double place) {
  if (place < lower_surface) return 100.0;
  return place < upper_surface ? 1.0 : 20.0;
}

/// Returns the box between two planes across an axis.
Region between(int axis, double lower, double upper) {
  PerAxis<double> from{-1, -1, -1};
  PerAxis<double> to{2, 2, 2};
  from[axis] = lower;
  to[axis] = upper;
  return box_region(from, to);
}

/// A function of the place along an axis.
ScalarFunction along(int axis, double (*function)(double)) {
  return steady([=](double x, double y, double z) {
    return function(axis == 0 ? x : axis == 1 ? y : z);
  });
}

/// Fills the box with three layers across an axis, with exact surfaces between points.
void fill_layers(Problem& problem, int axis) {
  ScalarFunction const function = along(axis, layered);
  make_isotropic(problem, function);
  problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(
      std::vector<MediumLayer>{{{}, {20, 20, 20}},
                               {between(axis, -1, upper_surface), {1, 1, 1}},
                               {between(axis, -1, lower_surface), {100, 100, 100}}});
}

/// Returns u between plates at 0 and 1: the resistances of the layers add up.
double series(double place) {
  auto const resistance = [](double to) {
    double const first = std::min(to, lower_surface) / 100.0;
    double const second = std::clamp(to - lower_surface, 0.0, upper_surface - lower_surface);
    return first + second + std::max(to - upper_surface, 0.0) / 20.0;
  };
  return resistance(place) / resistance(1.0);
}

TEST_F(Layers, MatchResistancesInSeries) {
  for (int const dimension : {2, 3}) {
    for (int axis = 0; axis < dimension; ++axis) {
      Extent3 points{12, 9, dimension == 3 ? 10 : 1};
      points[axis] = 24;
      Problem problem = plates(dimension, points, axis);
      fill_layers(problem, axis);
      std::string const what = std::to_string(dimension) + "D, " + "xyz"[axis];
      EXPECT_EQ(separable_operator(problem, tested_backend()).tridiagonal, axis) << what;
      auto const solver = solved(problem, direct(1e-12));
      EXPECT_TRUE(solver->converged()) << what;
      EXPECT_LE(solver->iteration(), 3) << what;
      double const error = largest_error<double>(*solver, [&](double x, double y, double z) {
        return series(axis == 0 ? x : axis == 1 ? y : z);
      });
      EXPECT_LT(error, 1e-11) << what;
    }
  }
}

/// A box with layers, faces of all kinds and values that vary.
Problem layered_problem(int dimension, Extent3 points, int axis) {
  Problem problem = box_problem(Equation::poisson, dimension, points, {dirichlet, 0.0});
  problem.boundary[{axis, false}] = {robin, 2.0, 3.0};
  problem.boundary[{axis, true}] = {neumann, 0.3};
  int const other = (axis + 1) % dimension;
  problem.boundary[{other, false}] = {neumann, -0.2};
  problem.boundary[{other, true}].value =
      steady([](double x, double y, double z) { return x + y * z; });
  problem.source = steady(
      [](double x, double y, double z) { return std::cos(5 * x) + std::sin(3 * y + 1) + z; });
  fill_layers(problem, axis);
  return problem;
}

/// Points that become denser towards the upper end.
std::vector<double> graded(std::int64_t points) {
  std::vector<double> places;
  auto const last = static_cast<double>(points - 1);
  for (std::int64_t i = 0; i < points; ++i) {
    double const s = static_cast<double>(i) / last;
    places.push_back(s * (3.0 - s) / 2.0);
  }
  return places;
}

TEST_F(Layers, AgreeWithMultigrid) {
  for (int const dimension : {2, 3}) {
    for (int axis = 0; axis < dimension; ++axis) {
      Problem problem = layered_problem(dimension, {14, 17, dimension == 3 ? 12 : 1}, axis);
      std::string const what = std::to_string(dimension) + "D, " + "xyz"[axis];
      expect_agreement(problem, what);
      int const graded_axis = axis == 0 ? 1 : axis;
      problem.grid =
          with_coordinates(problem.grid, graded_axis, graded(problem.grid.points[graded_axis]));
      expect_agreement(problem, what + ", graded");
    }
  }
}

/// κ along the axis and across it may be different functions, and functions without known shapes.
TEST_F(Layers, AgreeWithMultigridInGradualAnisotropicMedia) {
  Problem problem = layered_problem(3, {13, 16, 11}, 1);
  auto const rising = [](double place) { return std::exp(4.0 * place); };
  auto const falling = [](double place) { return 3.0 - 2.0 * place * place; };
  auto const twice_falling = [](double place) { return 6.0 - 4.0 * place * place; };
  problem.medium.conductivity = {along(1, falling), along(1, rising), along(1, twice_falling)};
  problem.medium.isotropic = false;
  problem.medium.layers.reset();
  EXPECT_EQ(obstacle_to_direct(problem), "");
  expect_agreement(problem, "anisotropic");
  // Without conductivities that vary across the axis, faces along it may have films.
  problem.medium.conductivity = {2.0, along(1, rising), 0.5};
  problem.boundary[{0, true}] = {robin, 1.0, 2.0};
  EXPECT_EQ(obstacle_to_direct(problem), "");
  expect_agreement(problem, "varying along the axis only");
}

/// Grids of more than 32,768 points are distributed among the ranks.
TEST_F(Layers, AgreeWithMultigridOnDistributedGrids) {
  for (int axis = 0; axis < 3; ++axis) {
    expect_agreement(layered_problem(3, {33, 34, 32}, axis), std::string("3D, ") + "xyz"[axis]);
  }
}

TEST_F(Layers, TakeTheImplicitStepsOfMultigrid) {
  for (int axis = 0; axis < 2; ++axis) {
    Problem problem = layered_problem(2, {19, 16, 1}, axis);
    problem.equation = Equation::diffusion;
    problem.diffusivity = 0.03;
    problem.medium.capacity = along(axis, [](double place) { return place < 0.5 ? 1.0 : 40.0; });
    problem.initial.value = steady([](double x, double y, double) { return x * y; });
    expect_same_steps(problem, std::string(1, "xyz"[axis]));
    // Layers of capacity alone, with a film along them.
    make_isotropic(problem, 2.0);
    problem.medium.layers.reset();
    problem.boundary[{1 - axis, true}] = {robin, 1.0, 2.0};
    EXPECT_EQ(separable_operator(problem, tested_backend()).tridiagonal, axis);
    expect_same_steps(problem, std::string("capacity along ") + "xyz"[axis]);
  }
}

TEST_F(Layers, AreSolvedInFloat32) {
  Problem problem = layered_problem(3, {17, 15, 22}, 2);
  auto const exact = solved(problem, direct(1e-11));
  problem.precision = Precision::float32;
  auto const solver = solved(problem, direct(1e-5));
  EXPECT_TRUE(solver->converged());
  EXPECT_LT(rounding_between(*solver, *exact), 3e-5);
}

TEST_F(Layers, AreRefusedIfAnythingElseVaries) {
  auto const fits = [](Problem const& problem) { return obstacle_to_direct(problem).empty(); };
  Problem const problem = layered_problem(3, {21, 22, 23}, 2);
  EXPECT_TRUE(fits(problem));
  Problem other = problem;
  other.boundary[{0, true}] = {robin, 1.0, 2.0};  // a film along the layers
  EXPECT_FALSE(fits(other));
  other = problem;
  other.boundary[{2, false}].coefficient = steady([](double x, double, double) { return 1 + x; });
  EXPECT_FALSE(fits(other));
  other = problem;  // an inclusion between the rows that are examined first
  auto const inclusion = [](double x, double y, double z) {
    bool const inside = std::abs(x - 0.6) < 0.06 && std::abs(y - 0.37) < 0.06;
    return inside && std::abs(z - 0.4) < 0.06 ? 2.0 : layered(z);
  };
  make_isotropic(other, steady(inclusion));
  other.medium.layers.reset();
  EXPECT_FALSE(fits(other));
  other = problem;  // conductivities across the layers that are not proportional
  other.medium.conductivity[0] = along(2, [](double place) { return 1.0 + place; });
  other.medium.isotropic = false;
  other.medium.layers.reset();
  EXPECT_FALSE(fits(other));
  other = problem;
  other.medium.capacity = steady([](double x, double, double) { return 1 + x; });
  EXPECT_FALSE(fits(other));
  other = plates(2, {20, 20, 1}, 0);
  other.grid = make_grid(2, {20, 20, 1}, {0, 0, 0}, {1, 1, 1}, {false, true, false});
  other.boundary[{1, false}] = other.boundary[{1, true}] = {periodic, 0.0};
  fill_layers(other, 1);  // around a periodic axis
  EXPECT_FALSE(fits(other));
}

/// Points are examined once, and only if the description does not settle the matter.
TEST_F(Layers, AreFoundOnce) {
  Problem problem = layered_problem(3, {40, 41, 42}, 2);
  auto const count = std::make_shared<std::atomic<std::int64_t>>(0);
  ScalarFunction function = steady([count](double, double, double z) {
    ++*count;
    return 1.0 + z;
  });
  auto const evaluations = [&](std::shared_ptr<LayerSearch> const& search) {
    make_isotropic(problem, function);
    problem.medium.layers.reset();
    problem.medium.layer_search = search;
    *count = 0;
    for (int n = 0; n < 3; ++n) EXPECT_EQ(obstacle_to_direct(problem), "");
    return count->load();
  };
  std::int64_t const points = problem.grid.point_count();
  EXPECT_GT(evaluations(nullptr), 3 * points);
  std::int64_t const once = evaluations(std::make_shared<LayerSearch>());
  EXPECT_GT(once, points);
  EXPECT_LT(once, 2 * points);
  function.varies_along = {false, false, true};
  EXPECT_LT(evaluations(nullptr), points / 2);
  // Another grid is examined anew, whatever is known of the last one.
  auto const search = std::make_shared<LayerSearch>();
  (void)evaluations(search);
  problem.grid = make_grid(3, {12, 41, 42}, {0, 0, 0}, {1, 1, 1}, {});
  EXPECT_EQ(obstacle_to_direct(problem), "");
  EXPECT_EQ(find_layers(problem)->conductance.size(), 41U);
}

TEST_F(Layers, TridiagonalAxisIsTheMostExpensiveOtherwise) {
  auto const chosen = [](Problem const& problem) {
    return separable_operator(problem, Backend::cuda).tridiagonal;
  };
  auto const box = [](Extent3 points) {
    return box_problem(Equation::laplace, 3, points, {dirichlet, 0.0});
  };
  EXPECT_EQ(chosen(box({33, 33, 33})), -1);  // fast Fourier transforms along all axes
  EXPECT_EQ(chosen(box({33, 32, 33})), 1);
  EXPECT_EQ(chosen(box({32, 32, 32})), 2);
  EXPECT_EQ(chosen(box({128, 32, 32})), 0);
  Problem problem = box({32, 33, 32});
  problem.grid = with_coordinates(problem.grid, 1, graded(33));
  EXPECT_EQ(chosen(problem), 1);
  // Long axes without a fast transform: one of them.
  EXPECT_EQ(obstacle_to_direct(box({12002, 3, 3})), "");
  EXPECT_NE(obstacle_to_direct(box({12002, 12002, 3})), "");
}

}  // namespace
}  // namespace isotherm::test
