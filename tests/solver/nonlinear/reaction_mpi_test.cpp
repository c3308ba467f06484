#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "solver/direct/make_direct.hpp"
#include "solver/time/ftcs.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/functions.hpp"
#include "tests/support/solving.hpp"

// The reaction term a u: exact solutions of the discrete equation, and its part in the heat
// balance.

namespace isotherm::test {
namespace {

using enum BoundaryKind;

class Reaction : public BackendTest {};

MethodSettings method_of(std::string const& name, std::int64_t iterations, double tolerance) {
  MethodSettings method;
  method.name = name;
  method.iterations = iterations;
  method.tolerance = tolerance;
  method.check_every = name == "jacobi" ? 50 : 1;
  return method;
}

/// A product of sines on a box with value 0 on all faces, and its eigenvalue of the discrete −∇².
struct Mode {
  Problem problem;
  double eigenvalue = 0.0;
  Function value;
};

Mode mode_on_box(Equation equation, int dimension) {
  Mode mode;
  Extent3 const n{13, 11, dimension == 3 ? 9 : 1};
  mode.problem = box_problem(equation, dimension, n, {dirichlet, 0.0}, {1.0, 0.8, 0.7});
  Grid const& grid = mode.problem.grid;
  for (int axis = 0; axis < dimension; ++axis) {
    double const h = grid.spacing[axis];
    double const angle = std::numbers::pi / static_cast<double>(grid.points[axis] - 1);
    mode.eigenvalue += (2.0 - 2.0 * std::cos(angle)) / (h * h);
  }
  mode.value = [grid](double x, double y, double z) {
    double product = std::sin(std::numbers::pi * x / grid.length(0)) *
                     std::sin(std::numbers::pi * y / grid.length(1));
    if (grid.dimension == 3) product *= std::sin(std::numbers::pi * z / grid.length(2));
    return product;
  };
  return mode;
}

/// The term shifts the eigenvalue of a mode, with every steady method.
TEST_F(Reaction, ShiftsEigenvaluesOfSteadyProblems) {
  double const a = 7.0;
  for (int const dimension : {2, 3}) {
    Mode mode = mode_on_box(Equation::poisson, dimension);
    mode.problem.reaction = a;
    auto const source = [&, value = mode.value](double x, double y, double z) {
      return (mode.eigenvalue + a) * value(x, y, z);
    };
    mode.problem.source = steady(source);
    for (std::string const name : {"multigrid", "direct", "jacobi"}) {
      auto const solver = solved(mode.problem, method_of(name, 2000, 1e-11));
      EXPECT_TRUE(solver->converged()) << name;
      EXPECT_LE(largest_error<double>(*solver, mode.value), 1e-10) << name;
    }
  }
}

/// A step multiplies a mode by the factor of the shifted eigenvalue.
TEST_F(Reaction, ShiftsEigenvaluesOfStepsInTime) {
  double const a = 3.0, diffusivity = 0.4;
  for (bool const varies : {false, true}) {
    Mode mode = mode_on_box(Equation::diffusion, 2);
    mode.problem.diffusivity = diffusivity;
    mode.problem.reaction = a;
    // A function that happens to be constant.
    if (varies) mode.problem.reaction = steady([=](double, double, double) { return a; });
    mode.problem.initial.value = steady(mode.value);
    double const rate = diffusivity * mode.eigenvalue + a;
    double const diagonal = 2.0 * diffusivity * inverse_spacing_sum(mode.problem.grid) + a;
    EXPECT_NEAR(largest_stable_time_step(mode.problem) * diagonal, 1.0, 1e-12);
    double const longest = largest_stable_time_step(mode.problem);
    int const steps = 4;
    for (std::string const name : {"ftcs", "rkl2", "backward_euler", "crank_nicolson"}) {
      double const dt = name == "ftcs" ? 0.9 * longest : name == "rkl2" ? 2.2 * longest : 0.05;
      MethodSettings method = method_of(name, steps, 0.0);
      method.time_step_s = dt;
      method.step_tolerance = 1e-12;
      double const half = 1.0 / (1.0 + 0.5 * dt * rate);
      double const explicit_factor = 1.0 - dt * rate;
      // The stability polynomial of three stages.
      double const p = 1.0 - dt * rate / 2.5;
      double const super_factor = 1.0 + (5.0 * p * p * p - 3.0 * p - 2.0) * 5.0 / 24.0;
      double const first = name == "ftcs"             ? explicit_factor
                           : name == "rkl2"           ? super_factor
                           : name == "backward_euler" ? 1.0 / (1.0 + dt * rate)
                                                      : half * half;
      double const later = name == "crank_nicolson" ? (1.0 - 0.5 * dt * rate) * half : first;
      double const left = first * std::pow(later, steps - 1);
      auto const solver = solved(mode.problem, method);
      EXPECT_LE(
          largest_error<double>(
              *solver, [&](double x, double y, double z) { return left * mode.value(x, y, z); }),
          1e-10)
          << name;
    }
  }
}

/// A fin: u'' = m² u with u(0) = 1 and an insulated tip is cosh(m (1 − x)) / cosh(m).
Problem fin(std::int64_t points, double m) {
  Problem problem = box_problem(Equation::laplace, 2, {points, 5, 1}, {neumann, 0.0}, {1, 0.5, 1});
  problem.boundary[{0, false}] = {dirichlet, 1.0};
  problem.reaction = m * m;
  return problem;
}

TEST_F(Reaction, FinMatchesTheAnalyticSolutionToSecondOrder) {
  double const m = 2.0;
  auto const exact = [=](double x, double, double) {
    return std::cosh(m * (1.0 - x)) / std::cosh(m);
  };
  for (std::string const name : {"multigrid", "direct"}) {
    double const coarse =
        largest_error<double>(*solved(fin(17, m), method_of(name, 100, 1e-11)), exact);
    double const fine =
        largest_error<double>(*solved(fin(33, m), method_of(name, 100, 1e-11)), exact);
    mpi::Communicator const ranks(MPI_COMM_WORLD);
    EXPECT_NEAR(ranks.max(coarse) / ranks.max(fine), 4.0, 0.1) << name;
  }
}

/// What the term takes is the heat that enters at the root, whether the medium is homogeneous, the
/// coefficient varies, or Robin faces conduct better than the medium.
TEST_F(Reaction, BelongsToTheHeatBalance) {
  for (double const coefficient : {0.0, 0.5, 1e4}) {
    Problem problem = fin(25, 1.5);
    problem.reaction = steady([](double x, double, double) { return 1.0 + x; });
    if (coefficient > 0.0) problem.boundary[{0, true}] = {robin, 0.3, coefficient};
    auto const solver = solved(problem, method_of("multigrid", 100, 1e-12));
    EXPECT_TRUE(solver->converged());
    HeatFlows const flows = flows_of(*solver, problem);
    EXPECT_LT(flows.reaction, -0.1);
    EXPECT_NEAR(flows.balance, 0.0, 1e-9) << coefficient;
    EXPECT_NEAR(flows.in - flows.out, flows.balance, 1e-12);
  }
}

/// Without any given value, the term determines the constant.
TEST_F(Reaction, DeterminesTheConstantOfAnInsulatedBox) {
  Problem problem = box_problem(Equation::poisson, 2, {17, 12, 1}, {neumann, 0.0});
  problem.reaction = 40.0;
  problem.source = 120.0;
  for (std::string const name : {"multigrid", "direct", "jacobi"}) {
    auto const solver = solved(problem, method_of(name, 2000, 1e-10));
    EXPECT_LE(largest_error<double>(*solver, [](double, double, double) { return 3.0; }), 1e-8)
        << name;
  }
}

TEST_F(Reaction, NegativeCoefficientsAreRefused) {
  Problem problem = fin(17, 1.0);
  problem.reaction = steady([](double x, double, double) { return x - 0.5; });
  EXPECT_THROW((void)solved(problem, method_of("multigrid", 5, 1e-6)), InputError);
}

TEST_F(Reaction, VaryingCoefficientsAreNotSolvedDirectly) {
  Problem problem = fin(17, 1.0);
  EXPECT_EQ(obstacle_to_method(problem), "");
  problem.reaction = steady([](double x, double, double) { return x; });
  EXPECT_EQ(obstacle_to_method(problem), "there is a reaction coefficient");
}

}  // namespace
}  // namespace isotherm::test
