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
// Fixed regions here cover points of the box's faces. The points of a Dirichlet face have its
// value, so a link to them is cut at the region's surface only if both values are the same.

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
double charge_error_of_coax(int n, BoundaryKind kind = neumann) {
  Problem problem = box_problem(Equation::laplace, 2, {n + 1, n + 1, 1}, {kind, 0.0});
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

TEST_F(Accuracy, LinksToFacesEndAtARegionOfTheSameValue) {
  EXPECT_NEAR(charge_error_of_coax(16, dirichlet), charge_error_of_coax(16), 1e-9);
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

/// A strip at 0 in the insulated lower side of a box of 2 × 1, below a plate at 1. The conductance
/// follows from conformal mapping by elliptic functions: 2 K(k)/K'(k) with k = sn(c K₀)/√2, where c
/// is the half width and K₀ = K(1/√2).
double flux_error_of_strip(int n, double half_width, double exact, bool is_solid) {
  Problem problem = box_problem(Equation::laplace, 2, {2 * n + 1, n + 1, 1}, {neumann, 0.0});
  problem.grid = make_grid(2, {2 * n + 1, n + 1, 1}, {-1, 0, 0}, {1, 1, 1}, {});
  problem.boundary[{1, true}] = {dirichlet, 1.0};
  Region const strip =
      is_solid ? box_region({-half_width, -1, -1}, {half_width, 1, 1})
               : expression([=](double x, double, double) { return std::abs(x) <= half_width; });
  problem.patches.push_back({{1, false}, strip, {dirichlet, 0.0}});
  auto const solver = solved(problem, cycles());
  HeatFlows const flows = flows_of(*solver, problem);
  EXPECT_NEAR(flows.balance, 0.0, 1e-9);
  return flows.faces[{1, true}] / exact - 1.0;
}

/// The rims lie on points, between points, and next to points.
TEST_F(Accuracy, StripElectrodeIsSecondOrder) {
  for (bool const is_solid : {true, false}) {
    EXPECT_LT(std::abs(flux_error_of_strip(16, 0.5, 1.639288376961014, is_solid)), 4.0e-4);
    EXPECT_LT(std::abs(flux_error_of_strip(16, 0.4137, 1.516411100835107, is_solid)), 3.3e-4);
    EXPECT_LT(std::abs(flux_error_of_strip(20, 0.45, 1.569868946171591, is_solid)), 4.0e-4);
  }
  EXPECT_LT(std::abs(flux_error_of_strip(64, 0.5, 1.639288376961014, true)), 2.5e-5);
}

/// A disc of the radius R at 1 in the insulated surface of a half space: the flux is 4 κ R (J. C.
/// Maxwell). The other faces have the values of the exact solution.
double flux_error_of_disc_contact(int n, double radius, double conductivity) {
  auto const exact = steady([=](double x, double y, double z) {
    double const r = std::hypot(x, y);
    return 2 / pi * std::asin(2 * radius / (std::hypot(r - radius, z) + std::hypot(r + radius, z)));
  });
  Extent3 const points{2 * n + 1, 2 * n + 1, n + 1};
  Problem problem = box_problem(Equation::laplace, 3, points, {dirichlet, exact});
  problem.grid = make_grid(3, points, {-1, -1, 0}, {1, 1, 1}, {});
  for (int axis = 0; axis < 3; ++axis) problem.medium.conductivity[axis] = conductivity;
  problem.boundary[{2, false}] = {neumann, 0.0};
  problem.patches.push_back(
      {{2, false}, solid_region(make_ball(3, {0, 0, 0}, radius)), {dirichlet, 1.0}});
  auto const solver = solved(problem, cycles(1e-8));
  return flows_of(*solver, problem).faces[{2, false}] / (4 * conductivity * radius) - 1.0;
}

TEST_F(Accuracy, DiscContactIsResolved) {
  EXPECT_LT(std::abs(flux_error_of_disc_contact(8, 0.4137, 3.0)), 7e-3);
  EXPECT_LT(std::abs(flux_error_of_disc_contact(12, 0.4137, 1.0)), 1.7e-3);
}

}  // namespace
}  // namespace isotherm::test
