#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "solver/nonlinear/newton_control.hpp"
#include "solver/nonlinear/reference_problem.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/solving.hpp"

// Steady problems whose coefficients depend on the solution: transforms of Kirchhoff, radiation,
// and the numbers of linear problems.

namespace isotherm::test {
namespace {

using enum BoundaryKind;

class Nonlinear : public BackendTest {};

/// A problem that varies along x only, from `lower` to `upper`.
Problem along_x(Equation equation, std::int64_t points, double lower, double upper) {
  Problem problem = box_problem(equation, 2, {points, 6, 1}, {neumann, 0.0}, {1, 0.5, 1});
  problem.boundary[{0, false}] = {dirichlet, lower};
  problem.boundary[{0, true}] = {dirichlet, upper};
  return problem;
}

MethodSettings newton(std::int64_t iterations = 40, double tolerance = 1e-10) {
  MethodSettings method;
  method.name = "multigrid";
  method.iterations = iterations;
  method.tolerance = tolerance;
  return method;
}

/// Returns the largest error over all ranks.
template <class Function>
double error_of(Solver& solver, Function const& exact) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  return ranks.max(largest_error<double>(solver, exact));
}

/// κ = 1 + u: Θ = u + u²/2 is a parabola.
TEST_F(Nonlinear, LinearConductivityMatchesKirchhoffsTransform) {
  auto const exact = [](double x, double, double) {
    return -1.0 + std::sqrt(1.0 + 2.0 * (1.5 * x + x * (1.0 - x)));
  };
  std::vector<double> errors;
  for (std::int64_t const points : {17, 33}) {
    Problem problem = along_x(Equation::poisson, points, 0.0, 1.0);
    make_isotropic(problem, of_field([](double u) { return 1.0 + u; }));
    problem.source = 2.0;
    auto const solver = solved(problem, newton());
    EXPECT_TRUE(solver->converged());
    EXPECT_LE(solver->iteration(), 6);
    EXPECT_LE(solver->inner_iterations(), 24);
    errors.push_back(error_of(*solver, exact));
  }
  // Simpson's rule is exact here, and so is the parabola at the points.
  EXPECT_LE(errors[0], 1e-9);
  EXPECT_LE(errors[1], 1e-9);
}

/// κ = exp(u): Θ = exp(u). Simpson's rule leaves an error of second order or better.
TEST_F(Nonlinear, ExponentialConductivityConvergesToSecondOrder) {
  auto const exact = [](double x, double, double) {
    return std::log(1.0 + (std::exp(5.0) - 1.0) * x + 5.0 * x * (1.0 - x));
  };
  std::vector<double> errors;
  for (std::int64_t const points : {17, 33, 65}) {
    Problem problem = along_x(Equation::poisson, points, 0.0, 5.0);
    make_isotropic(problem, of_field([](double u) { return std::exp(u); }));
    problem.source = 10.0;
    auto const solver = solved(problem, newton());
    EXPECT_TRUE(solver->converged());
    EXPECT_LE(solver->iteration(), 9);
    errors.push_back(error_of(*solver, exact));
    HeatFlows const flows = flows_of(*solver, problem);
    EXPECT_NEAR(flows.balance, 0.0, 1e-6 * flows.out);
  }
  EXPECT_LE(errors[0], 1e-2);
  EXPECT_GE(errors[0] / errors[1], 3.0);
  EXPECT_GE(errors[1] / errors[2], 3.5);
}

/// Two materials that meet midway between points, κ = 1 + u and κ = 50 / (1 + u).
TEST_F(Nonlinear, MaterialsInSeriesCarryTheSameFlux) {
  std::int64_t const points = 65;
  double const h = 1.0 / static_cast<double>(points - 1), border = 31.5 * h;
  Problem problem = along_x(Equation::laplace, points, 0.0, 10.0);
  ScalarFunction conductivity = of_field([](double) { return 0.0; });
  conductivity.evaluate = [=](double x, double, double, double u) {
    return x < border ? 1.0 + u : 50.0 / (1.0 + u);
  };
  make_isotropic(problem, conductivity);
  auto const solver = solved(problem, newton());
  EXPECT_TRUE(solver->converged());
  EXPECT_LE(solver->iteration(), 9);
  // q border = v + v²/2 and q (1 − border) = 50 ln(11 / (1 + v)) with the value v at the border.
  double low = 0.0, high = 10.0;
  for (int n = 0; n < 100; ++n) {
    double const v = 0.5 * (low + high);
    bool const too_large =
        (v + 0.5 * v * v) / border > 50.0 * std::log(11.0 / (1 + v)) / (1 - border);
    (too_large ? high : low) = v;
  }
  double const flux = (low + 0.5 * low * low) / border;
  HeatFlows const flows = flows_of(*solver, problem);
  double const through = flows.faces[{0, true}];
  EXPECT_NEAR(through / (0.5 * flux), 1.0, 2e-3);
  EXPECT_NEAR(flows.balance, 0.0, 1e-7 * flux);
}

/// A wall of κ = 20 with a heat flux on one side radiates on the other: its temperature there is
/// the root of ε σ (T⁴ − T_ambient⁴) = q, from far below and from far above.
TEST_F(Nonlinear, RadiatingWallMatchesTheQuarticEquation) {
  struct Wall {
    double flux, ambient, start, zero;
    int iterations;
  };
  for (Wall const wall : {Wall{1e6, 300.0, 300.0, 0.0, 10}, Wall{1e3, 4.0, 3000.0, 0.0, 14},
                          Wall{1e4, 20.0, 20.0, -273.15, 8}}) {
    double const factor = 0.8 * 5.670374419e-8;
    Problem problem = along_x(Equation::laplace, 33, 0.0, 0.0);
    make_isotropic(problem, 20.0);
    problem.initial.value = wall.start;
    problem.boundary[{0, false}] = {neumann, wall.flux};
    problem.boundary[{0, false}].is_flux = true;
    BoundaryCondition& radiation = problem.boundary[{0, true}];
    radiation = {robin, wall.ambient};
    radiation.absolute_zero = wall.zero;
    double const there = wall.ambient - wall.zero;
    radiation.coefficient = of_field([=](double u) {
      double const here = u - wall.zero;
      return factor * (here * here + there * there) * (here + there);
    });
    auto const solver = solved(problem, newton());
    EXPECT_TRUE(solver->converged());
    EXPECT_LE(solver->iteration(), wall.iterations);
    double const surface = std::pow(wall.flux / factor + std::pow(there, 4), 0.25) + wall.zero;
    double const error = error_of(
        *solver, [&](double x, double, double) { return surface + wall.flux / 20.0 * (1.0 - x); });
    EXPECT_LE(error, 1e-6 * (surface - wall.zero + wall.flux / 20.0));
    HeatFlows const flows = flows_of(*solver, problem);
    double const through = flows.faces[{0, true}];
    EXPECT_NEAR(through, -0.5 * wall.flux, 1e-6 * wall.flux);
    EXPECT_NEAR(flows.balance, 0.0, 1e-6 * wall.flux);
  }
}

/// Sinks and sources need as many linear problems as the same scheme with exact solutions.
TEST_F(Nonlinear, SourcesOfTheFieldNeedFewLinearProblems) {
  struct Term {
    double (*source)(double u);
    double upper;
    int iterations;
  };
  for (Term const& term : {Term{[](double u) { return -100.0 * u * u * u; }, 5.0, 13},
                           Term{[](double u) { return 3.0 * std::exp(u); }, 0.0, 7},
                           Term{[](double u) { return 100.0 * u * (1.0 - u); }, 1.0, 11}}) {
    Problem problem = along_x(Equation::poisson, 65, 0.0, term.upper);
    problem.source = of_field(term.source);
    auto const solver = solved(problem, newton());
    EXPECT_TRUE(solver->converged());
    EXPECT_LE(solver->iteration(), term.iterations);
    HeatFlows const flows = flows_of(*solver, problem);
    EXPECT_NEAR(flows.balance, 0.0, 1e-7 * std::max(flows.in, flows.out));
  }
}

/// A resumed iteration has the same bits, also after a step that was shortened.
TEST_F(Nonlinear, ResumesWithTheSameBits) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  Problem problem = along_x(Equation::poisson, 33, 0.0, 100.0);
  make_isotropic(problem, of_field([](double u) { return 1.0 + u; }));
  problem.source = of_field([](double u) { return -u * u; });
  MethodSettings const method = newton(6);
  auto const whole = make_solver(ranks, problem, method, execution(problem, ranks));
  whole->advance_to(2);
  SolverState const state = whole->state();
  std::vector<double> const field = field_of<double>(*whole);
  whole->advance_to(6);
  auto const resumed = make_solver(ranks, problem, method, execution(problem, ranks));
  resumed->restore(std::span(field), state);
  resumed->advance_to(6);
  EXPECT_EQ(field_of<double>(*whole), field_of<double>(*resumed));
  EXPECT_EQ(whole->iteration(), resumed->iteration());
}

TEST_F(Nonlinear, RefusesWhatItCannotSolve) {
  Problem problem = along_x(Equation::laplace, 17, 0.0, 10.0);
  make_isotropic(problem, of_field([](double u) { return 5.0 - u; }));
  EXPECT_THROW((void)solved(problem, newton()), InputError);  // negative at a given value
  make_isotropic(problem, of_field([](double u) { return 1.0 + u; }));
  for (std::string const name : {"jacobi", "direct"}) {
    MethodSettings method = newton();
    method.name = name;
    EXPECT_THROW((void)solved(problem, method), InputError) << name;
  }
  problem.precision = Precision::float32;
  EXPECT_THROW((void)solved(problem, newton()), InputError);
}

TEST(NewtonControl, ToleranceFollowsTheRatioOfResiduals) {
  NewtonControl control;
  EXPECT_EQ(control.tolerance(), 1e-2);
  control.begin(1.0);
  control.next(1.0, 0.05);
  EXPECT_NEAR(control.tolerance(), 0.9 * 0.0025, 1e-15);
  EXPECT_TRUE(control.was_whole());
  control.begin(1.0);
  EXPECT_TRUE(control.shorten());
  control.next(1.0, 1e-6);
  EXPECT_EQ(control.tolerance(), 1e-3);
  NewtonControl other;
  other.restore(control.state());
  EXPECT_EQ(other.tolerance(), control.tolerance());
  EXPECT_FALSE(other.was_whole());
}

}  // namespace
}  // namespace isotherm::test
