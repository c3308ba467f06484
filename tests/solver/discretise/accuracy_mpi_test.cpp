#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "tests/support/backends.hpp"
#include "tests/support/shapes.hpp"

// Errors of shapes that round or tilted surfaces leave, on several grids. The bounds are 10 % above
// what was measured; a comment gives the value that a prototype of the discretisation reached, if
// it differs. Further rows are in shapes_mpi_test.cpp (layers, cylinders), surfaces_mpi_test.cpp
// (coax, sphere, films, contacts) and surfaces_insulated_mpi_test.cpp (holes, channels, fluids).
//
// Fixed regions here cover points of the box's faces. These are Neumann faces: the points of a
// Dirichlet face have its value, and a link to them is not cut at the region's surface.

namespace isotherm::test {
namespace {

using enum BoundaryKind;
using Accuracy = BackendTest;
constexpr double pi = std::numbers::pi;

void set_base(Problem& problem) {
  problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(
      std::vector<MediumLayer>{{{}, problem.medium.conductivity}});
}

double error_of(Solver& solver, auto const& exact) {
  return mpi::Communicator(MPI_COMM_WORLD).max(largest_error<double>(solver, exact));
}

/// A disc of the radius 1/4 at 1 in a circle of the radius 1 at 0: the charge is 2π/ln 4.
double charge_error_of_coax(int n) {
  Problem problem = box_problem(Equation::laplace, 2, {n + 1, n + 1, 1}, {neumann, 0.0});
  problem.grid = make_grid(2, {n + 1, n + 1, 1}, {-1, -1, 0}, {1, 1, 1}, {});
  set_base(problem);
  problem.medium.fixed.push_back({solid_region(make_ball(2, {0, 0, 0}, 0.25)), 1.0});
  problem.medium.fixed.push_back(
      {expression([](double x, double y, double) { return std::hypot(x, y) >= 1.0; }), 0.0});
  auto const solver = solved(problem, cycles());
  return flows_of(*solver, problem).fixed[0] / (2 * pi / std::log(4.0)) - 1.0;
}

TEST_F(Accuracy, CoaxIsSecondOrder) {
  EXPECT_NEAR(charge_error_of_coax(64), -3.42e-4, 0.1 * 3.42e-4);
  EXPECT_NEAR(charge_error_of_coax(128), -9.04e-5, 0.1 * 9.04e-5);
}

/// A disc with the source 1 and the value 0 at its rim: u = (R² − r²)/4.
double field_error_of_disc(int n) {
  double const radius = 0.4371;
  auto const squared = [](double x, double y) {
    return (x - 0.5137) * (x - 0.5137) + (y - 0.4871) * (y - 0.4871);
  };
  Problem problem = box_problem(Equation::poisson, 2, {n + 1, n + 1, 1}, {neumann, 0.0});
  problem.source = 1.0;
  set_base(problem);
  problem.medium.fixed.push_back(
      {expression([=](double x, double y, double) { return squared(x, y) >= radius * radius; }),
       0.0});
  auto const solver = solved(problem, cycles());
  double const error = error_of(*solver, [=](double x, double y, double) {
    return 0.25 * std::max(radius * radius - squared(x, y), 0.0);
  });
  return error / (0.25 * radius * radius);
}

TEST_F(Accuracy, DiscWithSourceIsSecondOrder) {
  EXPECT_LT(field_error_of_disc(16), 4.5e-3);
  EXPECT_LT(field_error_of_disc(64), 4.0e-4);
}

/// A sphere of the conductivity κ in a uniform field, relative to the range of the solution.
double field_error_of_sphere(int n, double conductivity) {
  PerAxis<double> const center{0.5137, 0.4871, 0.5061};
  double const radius = 0.2713, factor = (conductivity - 1.0) / (conductivity + 2.0);
  auto const exact = [=](double x, double y, double z) {
    double const dx = x - center[0];
    double const r = std::hypot(dx, y - center[1], z - center[2]);
    if (r <= radius) return 3.0 / (conductivity + 2.0) * dx;
    return dx * (1.0 - factor * std::pow(radius / r, 3));
  };
  Problem problem =
      box_problem(Equation::laplace, 3, {n + 1, n + 1, n + 1}, {dirichlet, steady(exact)});
  fill(problem, solid_region(make_ball(3, center, radius)), conductivity);
  auto const solver = solved(problem, cycles(1e-8));
  return error_of(*solver, exact);
}

TEST_F(Accuracy, SphereThatConductsWellIsResolved) {
  EXPECT_LT(field_error_of_sphere(8, 100.0), 8.3e-3);
  EXPECT_LT(field_error_of_sphere(16, 100.0), 5.3e-3);
}

}  // namespace
}  // namespace isotherm::test
