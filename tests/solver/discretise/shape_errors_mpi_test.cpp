#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/shapes/films/surface_film.hpp"
#include "solver/discretise/shapes/regional_source.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/shapes.hpp"

// Errors of round and tilted shapes that documents state, against closed forms. Further rows are in
// accuracy_mpi_test.cpp.

namespace isotherm::test {
namespace {

using enum BoundaryKind;
using ShapeErrors = BackendTest;
constexpr double pi = std::numbers::pi;

double maximum_of_ranks(double value) { return mpi::Communicator(MPI_COMM_WORLD).max(value); }

/// A layer of the conductivity 100, tilted by 30°, with flow across and along it: the field is the
/// sum of a piecewise linear one across and a linear one along the layer.
struct TiltedLayer {
  double normal_x = std::cos(pi / 6), normal_y = 0.5;

  [[nodiscard]] double depth(double x, double y) const { return normal_x * x + normal_y * y; }
  double operator()(double x, double y, double) const {
    double const s = depth(x, y), within = std::clamp(s, 0.43, 0.87) - 0.43;
    return s - within + within / 100.0 + normal_x * y - normal_y * x;
  }
};

/// The largest error, relative to the range of the solution.
double error_of_tilted_layer(int n) {
  constexpr double range = 1.3624;  // between the corners (1, 0) and (0, 1)
  TiltedLayer const exact;
  Problem problem =
      box_problem(Equation::laplace, 2, {n + 1, n + 1, 1}, {dirichlet, steady(exact)});
  fill(problem, expression([=](double x, double y, double) {
         return 0.43 <= exact.depth(x, y) && exact.depth(x, y) <= 0.87;
       }),
       100.0);
  auto const solver = solved(problem, cycles());
  return maximum_of_ranks(largest_error<double>(*solver, exact)) / range;
}

/// Flow along a tilted surface is represented to first order only.
TEST_F(ShapeErrors, TiltedLayerWithFlowAlongItIsFirstOrder) {
  EXPECT_LT(error_of_tilted_layer(16), 1.5e-2);
  EXPECT_LT(error_of_tilted_layer(64), 4.5e-3);
  EXPECT_LT(error_of_tilted_layer(128), 1.8e-3);
}

constexpr PerAxis<double> center{0.5137, 0.4871, 0.5061};
constexpr double radius = 0.2713;

/// A ball (in 2D: a disc) of the conductivity κ in a uniform field; κ = 0 is an insulated one.
struct BallInField {
  int dimension;
  double conductivity;

  double operator()(double x, double y, double z) const {
    double const d = dimension, dx = x - center[0];
    double const r = std::hypot(dx, y - center[1], dimension == 3 ? z - center[2] : 0.0);
    double const factor = (conductivity - 1.0) / (conductivity + d - 1.0);
    if (r < radius) return (1.0 - factor) * dx;
    return dx * (1.0 - factor * std::pow(radius / r, d));
  }
};

/// The largest error of the field, relative to its range.
double error_of_ball(int dimension, int n, double conductivity) {
  BallInField const exact{dimension, conductivity};
  int const z = dimension == 3 ? n + 1 : 1;
  Problem problem =
      box_problem(Equation::laplace, dimension, {n + 1, n + 1, z}, {dirichlet, steady(exact)});
  Region const ball = solid_region(make_ball(dimension, center, radius));
  if (conductivity > 0.0) {
    fill(problem, ball, conductivity);
  } else {
    problem.medium.insulated.push_back(ball);
  }
  auto const solver = solved(problem, cycles(1e-9));
  std::vector<double> const u = field_of<double>(*solver);
  double largest = 0.0, smallest_value = 0.0, largest_value = 0.0;
  for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t number) {
    auto const [px, py, pz] = coordinates(problem.grid, p);
    bool const is_hole = conductivity == 0.0 && ball.contains(px, py, pz);
    double const wanted = exact(px, py, pz);
    if (!is_hole) largest = std::max(largest, std::abs(u[number] - wanted));
    smallest_value = std::min(smallest_value, wanted);
    largest_value = std::max(largest_value, wanted);
  });
  double const range = maximum_of_ranks(largest_value) + maximum_of_ranks(-smallest_value);
  return maximum_of_ranks(largest) / range;
}

TEST_F(ShapeErrors, DiscOfFourTimesTheConductivity) {
  EXPECT_LT(error_of_ball(2, 16, 4.0), 4.9e-3);
  EXPECT_LT(error_of_ball(2, 128, 4.0), 1.6e-3);
}

TEST_F(ShapeErrors, BallThatConductsPoorlyIsFirstOrder) {
  if (is_sanitized) GTEST_SKIP() << "fine grids, for the numbers only";
  EXPECT_LT(error_of_ball(3, 8, 0.01), 4.6e-2);
  EXPECT_LT(error_of_ball(3, 24, 0.01), 2.1e-2);
}

TEST_F(ShapeErrors, InsulatedBallIsResolved) {
  if (is_sanitized) GTEST_SKIP() << "fine grids, for the numbers only";
  EXPECT_LT(error_of_ball(3, 10, 0.0), 3.2e-3);
  EXPECT_LT(error_of_ball(3, 24, 0.0), 1.3e-3);
}

/// A power at a place between points: u = −ln r / 2π beyond the nearest points.
double error_of_place(int n) {
  auto const exact = [](double x, double y, double) {
    return -std::log(std::max(std::hypot(x - center[0], y - center[1]), 1e-3)) / (2 * pi);
  };
  Problem problem =
      box_problem(Equation::poisson, 2, {n + 1, n + 1, 1}, {dirichlet, steady(exact)});
  problem.source = RegionalSource(problem, center).of_power(1.0);
  auto const solver = solved(problem, cycles());
  std::vector<double> const u = field_of<double>(*solver);
  double largest = 0.0;
  for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t number) {
    auto const [x, y, z] = coordinates(problem.grid, p);
    bool const is_far = std::hypot(x - center[0], y - center[1]) > 0.2;
    if (is_far) largest = std::max(largest, std::abs(u[number] - exact(x, y, z)));
  });
  return maximum_of_ranks(largest);
}

TEST_F(ShapeErrors, PowerAtAPlaceIsSecondOrder) {
  EXPECT_LT(error_of_place(16), 1.4e-3);
  EXPECT_LT(error_of_place(32), 3.4e-4);
  EXPECT_LT(error_of_place(64), 1.1e-4);
}

/// A pipe at 0 with a film, h R / κ = 1, in the field u = 1 − ln R + ln r: the heat is 2π.
double error_of_pipe(int n, PerAxis<double> const& middle) {
  auto const exact = [=](double x, double y, double) {
    double const r = std::hypot(x - middle[0], y - middle[1]);
    return 1.0 - std::log(radius) + std::log(std::max(r, radius));
  };
  Problem problem =
      box_problem(Equation::laplace, 2, {n + 1, n + 1, 1}, {dirichlet, steady(exact)});
  FixedRegion pipe{solid_region(make_ball(2, middle, radius)), 0.0};
  pipe.film_coefficient = 1.0 / radius;
  problem.medium.fixed.push_back(pipe);
  problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(
      std::vector<MediumLayer>{{{}, problem.medium.conductivity}});
  auto const solver = solved(problem, cycles());
  return std::abs(-flows_of(*solver, problem).fixed[0] / (2 * pi) - 1.0);
}

/// The worst place of the center is a grid point.
TEST_F(ShapeErrors, PipeAtTheWorstPlaceIsSecondOrder) {
  EXPECT_LT(error_of_pipe(16, {0.5, 0.5, 0}), 2.6e-2);
  EXPECT_LT(error_of_pipe(32, {0.5, 0.5, 0}), 8.5e-3);
  EXPECT_LT(error_of_pipe(64, {0.5, 0.5, 0}), 2.5e-3);
}

/// The area of an eighth of a ball of fluid, or of the fluid around it, on which films act.
double error_of_area(int n, Region region) {
  Problem problem = box_problem(Equation::laplace, 3, {n + 1, n + 1, n + 1}, {neumann, 0.0});
  FixedRegion fluid{std::move(region), 0.0};
  fluid.film_coefficient = 1.0;
  fluid.is_excluded = true;
  problem.medium.fixed.push_back(fluid);
  problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(
      std::vector<MediumLayer>{{{}, problem.medium.conductivity}});
  return std::abs(film_area(problem, 0, problem.grid.box()) / (pi / 2 * 0.8137 * 0.8137) - 1.0);
}

/// With 9 and 18 points a radius.
TEST_F(ShapeErrors, AreaOfABallOfFluid) {
  if (is_sanitized) GTEST_SKIP() << "fine grids, for the numbers only";
  auto const is_inside = [](double x, double y, double z) { return std::hypot(x, y, z) < 0.8137; };
  Region const ball = solid_region(make_ball(3, {0, 0, 0}, 0.8137));
  Region const around =
      expression([=](double x, double y, double z) { return !is_inside(x, y, z); });
  EXPECT_LT(error_of_area(11, ball), 9.5e-4);
  EXPECT_LT(error_of_area(22, ball), 2.5e-4);
  EXPECT_LT(error_of_area(11, expression(is_inside)), 9.5e-4);
  EXPECT_LT(error_of_area(11, around), 1.25e-3);
}

}  // namespace
}  // namespace isotherm::test
