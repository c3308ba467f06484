#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/backends.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/shapes.hpp"

// Fluids on surfaces inside the box ([[convection]] in regions) with coefficients that depend on
// the solution.

namespace isotherm::test {
namespace {

using enum BoundaryKind;
constexpr double pi = std::numbers::pi;

using Fluids = BackendTest;

FixedRegion fluid_in(Region region, double coefficient, ScalarFunction ambient) {
  FixedRegion fluid{std::move(region), std::move(ambient)};
  fluid.film_coefficient = coefficient;
  fluid.is_excluded = true;
  return fluid;
}

/// Gives the medium one conductivity.
void set_conductivity(Problem& problem, ScalarFunction const& conductivity) {
  make_isotropic(problem, conductivity);
  problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(
      std::vector<MediumLayer>{{{}, {conductivity, conductivity, conductivity}}});
}

/// A quarter of a pipe of the inner radius a, which a fluid of the temperature 20 cools, in a
/// medium with κ = 1 + u/50. The field on the outer faces is the exact one.
struct Pipe {
  static constexpr double a = 0.2713, h = 3.0, fluid = 20.0, outer = 200.0;
  static constexpr double per_kelvin = 1.0 / 50.0;

  /// Kirchhoff's transformation Θ = u + u²/100, which solves Laplace's equation.
  static double transformed(double u) { return u + 0.5 * per_kelvin * u * u; }
  static double temperature(double transformed) {
    return (std::sqrt(1.0 + 2.0 * per_kelvin * transformed) - 1.0) / per_kelvin;
  }
  /// The temperature of the surface: Θ(outer) − Θ(u) = a ln(1/a) h (u − fluid), a quadratic
  /// equation.
  static double at_surface() {
    double const c = a * std::log(1.0 / a) * h;
    double const half = 0.5 * per_kelvin, b = 1.0 + c;
    double const rest = -transformed(outer) - c * fluid;
    return (-b + std::sqrt(b * b - 4.0 * half * rest)) / (2.0 * half);
  }
  static double exact(double x, double y) {
    double const r = std::max(std::hypot(x, y), a);
    double const of_surface = transformed(at_surface());
    return temperature(of_surface +
                       (transformed(outer) - of_surface) * std::log(r / a) / std::log(1.0 / a));
  }
  /// The heat that a quarter of the surface takes.
  static double heat() { return 0.5 * pi * a * h * (at_surface() - fluid); }

  static Problem problem(int n) {
    Problem problem = box_problem(Equation::laplace, 2, {n + 1, n + 1, 1}, {neumann, 0.0});
    for (Face const face : {Face{0, true}, Face{1, true}}) {
      problem.boundary[face] = {dirichlet,
                                steady([](double x, double y, double) { return exact(x, y); })};
    }
    set_conductivity(problem, of_field([](double u) { return 1.0 + per_kelvin * u; }));
    problem.medium.fixed.push_back(fluid_in(solid_region(make_ball(2, {0, 0, 0}, a)), h, fluid));
    problem.initial.value = outer;
    return problem;
  }
};

struct Errors {
  double of_heat, of_field;
};

Errors errors_of_pipe(int n) {
  Problem const problem = Pipe::problem(n);
  auto const solver = solved(problem, cycles(1e-9));
  EXPECT_TRUE(solver->converged());
  HeatFlows const flows = flows_of(*solver, problem);
  EXPECT_LE(std::abs(flows.balance), 1e-6 * Pipe::heat());
  double error = 0.0;
  std::vector<double> const u = field_of<double>(*solver);
  for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t number) {
    double const x = problem.grid.coordinate(0, p.x), y = problem.grid.coordinate(1, p.y);
    if (std::hypot(x, y) > Pipe::a) {
      error = std::max(error, std::abs(u[number] - Pipe::exact(x, y)));
    }
  });
  return {-flows.fixed[0] / Pipe::heat() - 1.0, mpi::Communicator(MPI_COMM_WORLD).max(error)};
}

TEST_F(Fluids, PipeInAMediumOfVariableConductivityHasTheTemperatureOfAQuadraticEquation) {
  if (is_sanitized) GTEST_SKIP() << numbers_alone;
  Errors const coarse = errors_of_pipe(24);
  Errors const fine = errors_of_pipe(72);
  EXPECT_LT(std::abs(coarse.of_heat), 1e-2);
  EXPECT_LT(std::abs(fine.of_heat), 2e-3);
  EXPECT_LT(coarse.of_field, 2.0);  // of 180 K
  EXPECT_LT(fine.of_field, 0.4);
}

/// A fluid beyond a plane: Θ is linear, and the surface again satisfies a quadratic equation.
TEST_F(Fluids, PlaneFilmInAMediumOfVariableConductivity) {
  for (double const at : {0.3, 0.33, 0.41}) {
    Problem problem = plates(2, {41, 4, 1}, 0);
    problem.boundary[{0, false}] = {neumann, 0.0};
    problem.boundary[{0, true}].value = 200.0;
    set_conductivity(problem, of_field([](double u) { return 1.0 + u / 50.0; }));
    problem.medium.fixed.push_back(fluid_in(box_region({-1, -1, -1}, {at, 2, 2}), 3.0, 20.0));
    problem.initial.value = 100.0;
    auto const solver = solved(problem, cycles(1e-9));
    EXPECT_TRUE(solver->converged());
    // Θ(200) − Θ(u) = (1 − at) h (u − 20).
    double const c = (1.0 - at) * 3.0;
    double const surface =
        50.0 * (-(1.0 + c) + std::sqrt((1.0 + c) * (1.0 + c) + 0.04 * (600.0 + c * 20.0)));
    double const heat = 3.0 * (surface - 20.0);
    EXPECT_NEAR(flows_of(*solver, problem).faces[(Face{0, true})] / heat, 1.0, 1e-3) << at;
  }
}

/// The nonlinear solver finds the fields of the linear one if coefficients only seem to depend on
/// the solution, in steps of both methods too, with a fluid whose temperature varies.
TEST_F(Fluids, ConstantCoefficientsGiveTheFieldOfTheLinearSolver) {
  for (char const* const name : {"multigrid", "backward_euler", "crank_nicolson"}) {
    bool const in_time = name != std::string("multigrid");
    auto const problem = [&](bool of_u) {
      Problem result = box_problem(in_time ? Equation::diffusion : Equation::poisson, 2,
                                   {21, 17, 1}, {neumann, 0.0});
      result.boundary[{0, false}] = {dirichlet, 5.0};
      result.source = 3.0;
      set_conductivity(result, of_u ? of_field([](double) { return 1.5; }) : ScalarFunction(1.5));
      ScalarFunction const ambient =
          in_time ? varying([](double, double, double, double t) { return 2.0 + 10.0 * t; })
                  : ScalarFunction(2.0);
      result.medium.fixed.push_back(
          fluid_in(solid_region(make_ball(2, {0.613, 0.487, 0}, 0.2271)), 4.0, ambient));
      result.reaction = 0.5;
      result.initial.value = 1.0;
      return result;
    };
    MethodSettings method = cycles(in_time ? 0.0 : 1e-12);
    method.name = name;
    if (in_time) {
      method.iterations = 4;
      method.time_step_s = 0.03;
      method.step_tolerance = 1e-12;
    }
    auto const linear = solved(problem(false), method);
    auto const nonlinear = solved(problem(true), method);
    EXPECT_LE(difference<double>(*linear, *nonlinear), 1e-8) << name;
    if (in_time) continue;
    HeatFlows const a = flows_of(*linear, problem(false));
    HeatFlows const b = flows_of(*nonlinear, problem(true));
    EXPECT_NEAR(a.fixed[0], b.fixed[0], 1e-7);
    EXPECT_NEAR(b.balance, 0.0, 1e-7);
  }
}

}  // namespace
}  // namespace isotherm::test
