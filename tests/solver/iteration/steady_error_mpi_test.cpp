#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "solver/steady_error.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/bodies.hpp"

// Changes of sweeps and time steps do not show a part of the domain that settles a million
// times more slowly than the rest. What they claim is checked by multigrid.

namespace isotherm::test {
namespace {

class SteadyErrorTest : public BackendTest {};

constexpr double tolerance = 1e-3;

bool is_steady(std::string const& name) { return name == "jacobi"; }

MethodSettings settings(std::string const& name, double time_step_s, std::int64_t iterations) {
  MethodSettings method;
  method.name = name;
  method.tolerance = tolerance;
  method.iterations = iterations;
  method.check_every = is_steady(name) || name == "ftcs" ? 10 : 1;
  method.time_step_s = is_steady(name) ? 0.0 : time_step_s;
  return method;
}

/// Returns the solution of the steady equation.
std::unique_ptr<Solver> exact_solution(Problem problem) {
  if (problem.equation == Equation::diffusion) problem.equation = Equation::poisson;
  problem.precision = Precision::float64;
  MethodSettings method;
  method.name = "multigrid";
  method.tolerance = 1e-12;
  method.iterations = 100;
  method.check_every = 1;
  return solved(problem, method);
}

/// Returns the root mean square of the difference of two fields, of as many unknowns.
double distance(Solver& one, Solver& other, std::int64_t unknowns) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  HostValues const a = values_in_float64(one);
  HostValues const b = values_in_float64(other);
  auto const x = span_of<double const>(a.view());
  auto const y = span_of<double const>(b.view());
  double sum = 0.0;
  for (std::size_t n = 0; n < x.size(); ++n) sum += (x[n] - y[n]) * (x[n] - y[n]);
  return std::sqrt(ranks.sum(sum) / static_cast<double>(unknowns));
}

/// A plate between 0 and 1 on the left and on the right.
Problem plate(Equation equation, Extent3 points) {
  Problem problem = box_problem(equation, 2, points, {BoundaryKind::neumann});
  set_axis(problem, 0, {BoundaryKind::dirichlet, 0.0});
  problem.boundary[{0, true}].value = 1.0;
  return problem;
}
constexpr Extent3 points{13, 9, 1};
constexpr std::int64_t unknowns_of_plate = 11 * 9;

/// The same, of which a part conducts a million times worse. For sweeps, each of which divides by
/// the diagonal of the matrix, the slow part is what bad conductors enclose.
Problem with_bad_conductor(std::string const& name) {
  Problem problem = plate(is_steady(name) ? Equation::laplace : Equation::diffusion, points);
  bool const encloses = is_steady(name);
  make_isotropic(problem, steady([encloses](double x, double y, double) {
                   bool const inner = std::abs(x - 0.5) < 0.3 && std::abs(y - 0.5) < 0.3;
                   return (encloses ? inner : x > 0.5) ? 1.0 : 1e-6;
                 }));
  return problem;
}

/// A plate behind a stiff Robin face, heated from within.
Problem behind_robin_face(std::string const& name) {
  Problem problem = box_problem(is_steady(name) ? Equation::poisson : Equation::diffusion, 2,
                                points, {BoundaryKind::neumann});
  problem.boundary[{0, false}] = {BoundaryKind::robin, 1.0, 1e9};
  problem.source = 1.0;
  return problem;
}

struct Trial {
  char const* name;
  double time_step_s;
  std::int64_t iterations;
};

/// Checks that the run claims convergence only if its field has converged, and reports its error
/// otherwise.
/// @returns  whether a claim was refuted
bool expect_honest(Problem const& problem, Trial const& trial, std::int64_t unknowns) {
  auto const solver = solved(problem, settings(trial.name, trial.time_step_s, trial.iterations));
  auto const exact = exact_solution(problem);
  SolverState const state = solver->state();
  // The last check has measured the range of the final field.
  double const range = state.range.value_or(MeasuredRange{}).values.width();
  double const error = distance(*solver, *exact, unknowns) / std::max(range, 1e-300);
  if (solver->converged()) {
    EXPECT_LE(error, 1.2 * tolerance);
    EXPECT_TRUE(state.found_error);
  } else {
    EXPECT_GT(error, tolerance);
  }
  // The last check is that of the final field.
  if (state.found_error) {
    EXPECT_NEAR(*state.found_error, error, 0.2 * error);
  }
  return state.refuted.has_value();
}

TEST_F(SteadyErrorTest, RefutesClaimsOfABadConductor) {
  for (Trial const trial : {Trial{"jacobi", 0.0, 600}, Trial{"ftcs", 1e-3, 600},
                            Trial{"backward_euler", 0.1, 40}, Trial{"crank_nicolson", 0.02, 80}}) {
    SCOPED_TRACE(trial.name);
    EXPECT_TRUE(expect_honest(with_bad_conductor(trial.name), trial, unknowns_of_plate));
  }
}

TEST_F(SteadyErrorTest, RefutesClaimsBehindAStiffRobinFace) {
  constexpr std::int64_t unknowns = 13 * 9;
  for (Trial const trial : {Trial{"ftcs", 4e-12, 600}, Trial{"backward_euler", 1e-7, 40},
                            Trial{"crank_nicolson", 1e-7, 80}}) {
    SCOPED_TRACE(trial.name);
    EXPECT_TRUE(expect_honest(behind_robin_face(trial.name), trial, unknowns));
  }
  // Sweeps divide by the diagonal, so a stiff face does not hold them up.
  EXPECT_FALSE(expect_honest(behind_robin_face("jacobi"), {"jacobi", 0.0, 20000}, unknowns));
}

/// The changes of what is rough in the initial field hide the smooth error.
Problem rough_bar() {
  Problem problem = box_problem(Equation::laplace, 2, {65, 1, 1}, {BoundaryKind::periodic});
  problem.grid.periodic[0] = false;
  problem.boundary[{0, false}] = {BoundaryKind::dirichlet, 1.0};
  problem.boundary[{0, true}] = {BoundaryKind::dirichlet, 0.0};
  problem.initial.value = steady([](double x, double, double) {
    using std::numbers::pi;
    return 1 - x + 0.5 * std::sin(pi * x) + 0.3 * std::sin(20 * pi * x);
  });
  return problem;
}

MethodSettings settings_of_bar() {
  MethodSettings method = settings("jacobi", 0.0, 20000);
  method.tolerance = 0.01;
  method.check_every = 2;
  return method;
}

TEST_F(SteadyErrorTest, LetsARunContinueAfterARefutedClaim) {
  Problem const problem = rough_bar();
  MethodSettings const method = settings_of_bar();
  auto const solver = solved(problem, method);
  auto const exact = exact_solution(problem);
  EXPECT_TRUE(solver->state().refuted);
  EXPECT_TRUE(solver->converged());
  EXPECT_LE(distance(*solver, *exact, 63), 1.2 * method.tolerance);
  // The run stops soon after the tolerance is reached, as the check corrects later estimates.
  EXPECT_GT(distance(*solver, *exact, 63), 0.2 * method.tolerance);
}

/// A run that is resumed knows which estimates were refuted.
TEST_F(SteadyErrorTest, KeepsRefutedClaimsInTheState) {
  Problem const problem = rough_bar();
  MethodSettings const method = settings_of_bar();
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  auto const whole = solved(problem, method);
  auto first = make_solver(ranks, problem, method, execution(problem, ranks));
  first->advance_to(whole->state().refuted.value_or(Refutation{}).iteration + 7);
  EXPECT_TRUE(first->state().refuted);
  auto second = make_solver(ranks, problem, method, execution(problem, ranks));
  std::vector<double> const values = field_of<double>(*first);
  second->restore(std::span(values), first->state());
  second->advance_to(method.iterations);
  EXPECT_EQ(second->iteration(), whole->iteration());
  EXPECT_EQ(difference<double>(*second, *whole), 0.0);
}

TEST_F(SteadyErrorTest, CostsNoIterationIfTheEstimateIsRight) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  for (Trial const trial :
       {Trial{"jacobi", 0.0, 20000}, Trial{"ftcs", 1e-3, 20000}, Trial{"backward_euler", 0.02, 500},
        Trial{"crank_nicolson", 0.01, 500}}) {
    for (Precision const precision : {Precision::float64, Precision::float32}) {
      SCOPED_TRACE(trial.name);
      Problem problem = box_problem(is_steady(trial.name) ? Equation::poisson : Equation::diffusion,
                                    2, points, {BoundaryKind::dirichlet, 3.0});
      problem.source = 1.0;
      problem.precision = precision;
      if (!is_steady(trial.name)) problem.diffusivity = 0.8;
      MethodSettings const method = settings(trial.name, trial.time_step_s, trial.iterations);
      auto const checked = solved(problem, method);
      auto unchecked = make_solver(ranks, problem, method, execution(problem, ranks));
      unchecked->check_claims_by({});
      unchecked->advance_to(method.iterations);
      EXPECT_TRUE(checked->converged());
      EXPECT_TRUE(checked->state().found_error);
      EXPECT_FALSE(checked->state().refuted);
      EXPECT_FALSE(unchecked->state().found_error);
      EXPECT_EQ(checked->iteration(), unchecked->iteration());
    }
  }
}

/// Where nothing is given, the heat of the domain, or of a component of it, stays what it was.
TEST_F(SteadyErrorTest, LeavesTheHeatOfWhatNothingHolds) {
  for (bool const medium : {false, true}) {
    SCOPED_TRACE(medium);
    Problem problem = box_problem(Equation::diffusion, 2, points, {BoundaryKind::neumann});
    problem.initial.value = steady([](double x, double y, double) { return 300 + x * x - y; });
    if (medium) {
      problem.medium.capacity = steady([](double x, double, double) { return 1 + 3 * x; });
      problem.medium.insulated.push_back(
          region([](double x, double, double) { return std::abs(x - 0.5) < 0.05; }));
    }
    auto const solver = solved(problem, settings("backward_euler", 0.05, 500));
    EXPECT_TRUE(solver->converged());
    EXPECT_TRUE(solver->state().found_error);
    EXPECT_FALSE(solver->state().refuted);
  }
}

TEST_F(SteadyErrorTest, IsNotAskedIfValuesVaryInTime) {
  Problem problem = plate(Equation::diffusion, points);
  MethodSettings method = settings("ftcs", 1e-3, 100);
  EXPECT_TRUE(SteadyError::applies(problem, method));
  method.relative_to = RelativeTo::rhs;
  EXPECT_FALSE(SteadyError::applies(problem, method));
  method.relative_to = RelativeTo::field;
  problem.source = varying([](double, double, double, double t) { return t; });
  EXPECT_FALSE(SteadyError::applies(problem, method));
}

}  // namespace
}  // namespace isotherm::test
