#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/backends.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/solving.hpp"

// What runs with coefficients that depend on the solution claim at their end: the steady state, an
// error estimate, or neither; and starts far from the solution.

namespace isotherm::test {
namespace {

using enum BoundaryKind;

class NonlinearClaims : public BackendTest {};

/// A wall along x whose other faces are insulated.
Problem wall(Equation equation, std::int64_t points, double length) {
  return box_problem(equation, 2, {points, 4, 1}, {neumann, 0.0}, {length, 0.5 * length, 1});
}

MethodSettings steps(double time_step_s, double end_s, double tolerance) {
  MethodSettings method;
  method.name = "backward_euler";
  method.time_step_s = time_step_s;
  method.iterations = std::llround(end_s / time_step_s);
  method.tolerance = tolerance;
  method.relative_to = RelativeTo::field;
  method.check_every = 1;
  return method;
}

MethodSettings newton() {
  MethodSettings method;
  method.name = "multigrid";
  method.iterations = 50;
  method.tolerance = 1e-8;
  method.relative_to = RelativeTo::field;
  return method;
}

double error_to(Solver& solver, double value) {
  return mpi::Communicator(MPI_COMM_WORLD)
      .max(largest_error<double>(solver, [=](double, double, double) { return value; }));
}

/// Half of the wall settles at once, the other half 1e4 times more slowly: the changes seem to end.
TEST_F(NonlinearClaims, RefutesASteadyStateBehindABadConductor) {
  Problem problem = wall(Equation::diffusion, 41, 1.0);
  problem.boundary[{0, false}] = {dirichlet, 0.0};
  ScalarFunction conductivity = of_field([](double) { return 0.0; });
  conductivity.evaluate = [](double x, double, double, double u) {
    return x > 0.45 && x < 0.55 ? 1e-4 : 1.0 + 0.001 * u;
  };
  make_isotropic(problem, conductivity);
  problem.initial.value = steady([](double x, double, double) {
    return x < 0.5 ? 10.0 * std::sin(4.0 * 3.14159265358979 * x) : 1.0;
  });
  MethodSettings const method = steps(0.02, 1.0, 1e-2);
  auto const solver = solved(problem, method);
  EXPECT_FALSE(solver->converged());
  SolverState const state = solver->state();
  ASSERT_TRUE(state.refuted);
  EXPECT_GE(error_to(*solver, 0.0), 0.9);  // the right half still has its initial value
}

/// Ice between −10 and 5 °C rests at its melting point for most of the time.
TEST_F(NonlinearClaims, MeltingIsNoSteadyState) {
  if (is_sanitized) GTEST_SKIP() << numbers_alone;
  for (std::int64_t const every : {1, 10}) {
    Problem problem = wall(Equation::diffusion, 31, 0.1);
    make_isotropic(problem, 2.0);
    problem.medium.capacity = of_field([](double u) {
      return u < -0.05 ? 2e6 : u < 0.05 ? 3.061e9 : 4.155e6;
    });
    problem.medium.capacity.breaks_in_u = {-0.05, 0.05};
    problem.boundary[{0, false}] = {robin, 5.0};
    problem.boundary[{0, false}].coefficient = 10.0;
    problem.initial.value = -10.0;
    for (double const tolerance : {1e-2, 1e-13}) {
      MethodSettings method = steps(24000.0, 2.4e7, tolerance);
      method.check_every = every;
      auto const solver = solved(problem, method);
      EXPECT_TRUE(solver->converged()) << every << ' ' << tolerance;
      // Errors are relative to the range from −10 to 5.
      EXPECT_LE(error_to(*solver, 5.0), 1.5 * 15.0 * tolerance) << every;
    }
  }
}

/// −u″ = 4 exp(u) has no solution: no claim about the error.
TEST_F(NonlinearClaims, StallsWithoutAnErrorEstimateIfThereIsNoSolution) {
  Problem problem = wall(Equation::poisson, 33, 1.0);
  problem.boundary[{0, false}] = problem.boundary[{0, true}] = {dirichlet, 0.0};
  problem.source = of_field([](double u) { return 4.0 * std::exp(u); });
  auto const solver = solved(problem, newton());
  EXPECT_FALSE(solver->converged());
  EXPECT_TRUE(solver->stalled());
  ASSERT_TRUE(solver->state().last_residual);
  EXPECT_FALSE(solver->state().last_residual->error);
}

/// A wall that is heated with 1e6 W/m² radiates into space, from any start.
TEST_F(NonlinearClaims, RadiationStartsFromAbsoluteZero) {
  double const factor = 0.5 * 5.670374419e-8;
  for (double const ambient : {0.0, 3.0}) {
    for (double const start : {0.0, 1e-6, 3.0, 5e4}) {
      Problem problem = wall(Equation::laplace, 33, 1.0);
      make_isotropic(problem, 10.0);
      problem.initial.value = start;
      problem.boundary[{0, false}] = {neumann, 1e6};
      problem.boundary[{0, false}].is_flux = true;
      BoundaryCondition& radiation = problem.boundary[{0, true}];
      radiation = {robin, ambient};
      radiation.absolute_zero = 0.0;
      radiation.coefficient =
          of_field([=](double u) { return factor * (u * u + ambient * ambient) * (u + ambient); });
      auto const solver = solved(problem, newton());
      EXPECT_TRUE(solver->converged());
      EXPECT_LE(solver->iteration(), 15);
      double const surface = std::pow(1e6 / factor + std::pow(ambient, 4), 0.25);
      double const error = mpi::Communicator(MPI_COMM_WORLD)
                               .max(largest_error<double>(*solver, [=](double x, double, double) {
                                 return surface + 1e5 * (1.0 - x);
                               }));
      EXPECT_LE(error, 1e-3) << ambient << ' ' << start;
    }
  }
}

}  // namespace
}  // namespace isotherm::test
