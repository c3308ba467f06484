#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "kernels/core/error.hpp"
#include "solver/problem/breakdown.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/solving.hpp"

// Residuals: when they are measured, their values, and how they end a run.

namespace isotherm::test {
namespace {

/// A problem whose residual falls steadily: a slow mode of the Laplace equation.
Problem slow_problem() {
  Problem problem = box_problem(Equation::laplace, 2, {17, 17, 1}, {});
  problem.initial.value = steady([](double x, double y, double) {
    return std::sin(std::numbers::pi * x) * std::sin(std::numbers::pi * y);
  });
  return problem;
}

/// Returns the factor by which one sweep reduces that mode.
double decay_per_sweep() { return std::cos(std::numbers::pi / 16.0); }

MethodSettings checked(std::int64_t iterations, std::int64_t check_every, double tolerance) {
  MethodSettings method = jacobi(iterations);
  method.check_every = check_every;
  method.tolerance = tolerance;
  method.relative_to = RelativeTo::rhs;
  method.norm = Norm::max;
  return method;
}

std::unique_ptr<Solver> solver_for(Problem const& problem, MethodSettings const& method) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  return make_solver(ranks, problem, method, execution(problem, ranks));
}

std::vector<std::int64_t> iterations_of(std::vector<Residual> const& residuals) {
  std::vector<std::int64_t> all;
  for (Residual const& residual : residuals) all.push_back(residual.iteration);
  return all;
}

class Residuals : public BackendTest {};

TEST_F(Residuals, BelongToTheCheckedIterations) {
  auto const solver = solver_for(slow_problem(), checked(35, 10, 0.0));

  solver->advance_to(35);

  EXPECT_EQ(iterations_of(solver->take_residuals()), (std::vector<std::int64_t>{0, 10, 20, 30}));
  EXPECT_TRUE(solver->take_residuals().empty());
}

TEST_F(Residuals, MatchTheFieldBeforeTheSweep) {
  for (Norm const norm : {Norm::max, Norm::l2}) {
    MethodSettings method = checked(21, 10, 0.0);
    method.norm = norm;
    auto const solver = solver_for(slow_problem(), method);

    solver->advance_to(21);

    // The Laplacian of the mode is −(4/h²)(1 − cos(π h)) times the mode. Its maximum is 1; its root
    // mean square over the 15 × 15 unknowns is 8/15.
    double const eigenvalue = 4.0 * 256.0 * (1.0 - decay_per_sweep());
    double const size = norm == Norm::max ? 1.0 : 8.0 / 15.0;
    for (Residual const& residual : solver->take_residuals()) {
      double const left = std::pow(decay_per_sweep(), static_cast<double>(residual.iteration));
      EXPECT_NEAR(residual.value, eigenvalue * size * left, 1e-11) << residual.iteration;
    }
  }
}

/// The end of a run whose values are `scale` times those of the slow problem.
struct ScaledRun {
  std::string failure{};
  bool converged = false;
  std::int64_t iterations = 0;
};
ScaledRun run_scaled(double scale, Norm norm, double tolerance) {
  Problem problem = slow_problem();
  problem.initial.value = steady([scale](double x, double y, double) {
    return scale * std::sin(std::numbers::pi * x) * std::sin(std::numbers::pi * y);
  });
  MethodSettings method = checked(1000, 10, tolerance);
  method.norm = norm;
  auto const solver = solver_for(problem, method);
  try {
    solver->advance_to(tolerance > 0.0 ? 1000 : 21);
  } catch (Error const& error) {
    return {error.what()};
  }
  return {"", solver->converged(), solver->iteration()};
}

TEST_F(Residuals, SquaresOutsideFloat64AreReported) {
  for (auto const& [scale, says] : {std::pair{1e-180, "is too small for the l2 norm"},
                                    std::pair{1e160, "is too large for the l2 norm"}}) {
    std::string const said = run_scaled(scale, Norm::l2, 0.5).failure;
    EXPECT_NE(said.find("the residual of iteration 0"), std::string::npos) << said;
    EXPECT_NE(said.find(says), std::string::npos) << said;
    EXPECT_NE(said.find("norm = \"max\""), std::string::npos) << said;

    ScaledRun const exact = run_scaled(scale, Norm::max, 0.5);
    EXPECT_EQ(exact.failure, "");
    EXPECT_TRUE(exact.converged);
    EXPECT_EQ(exact.iterations, 50) << "as for values near 1";
  }
  EXPECT_EQ(run_scaled(1e-180, Norm::l2, 0.0).failure, "") << "nothing depends on it";
}

TEST_F(Residuals, UnderflowOfSquaresIsNotConvergence) {
  ScaledRun const plain = run_scaled(1.0, Norm::l2, 0.01);
  ScaledRun const small = run_scaled(3e-153, Norm::l2, 0.01);

  EXPECT_EQ(small.failure, "");
  EXPECT_TRUE(small.converged);
  EXPECT_GE(small.iterations, plain.iterations) << "the largest value stands for the norm";
  EXPECT_LE(small.iterations, plain.iterations + 50);
}

TEST_F(Residuals, MatchTheRateOfChangeOfATimeStep) {
  Problem problem = slow_problem();
  problem.equation = Equation::diffusion;
  MethodSettings method = method_for(problem, 11);
  method.check_every = 10;
  method.norm = Norm::max;
  auto const solver = solver_for(problem, method);

  solver->advance_to(11);
  auto const residuals = solver->take_residuals();

  double const rate = 4.0 * 256.0 * (1.0 - decay_per_sweep());
  EXPECT_EQ(residuals.size(), 2U);
  EXPECT_NEAR(residuals.front().value, rate, 1e-10);
  EXPECT_NEAR(residuals.back().value, rate * std::pow(1.0 - rate * method.time_step_s, 10), 1e-10);
  EXPECT_DOUBLE_EQ(residuals.back().time_s, 10.0 * method.time_step_s);
}

TEST_F(Residuals, StopARunOneCheckAfterTheToleranceIsReached) {
  // decay^n <= 0.5 from n = 36 on. Residuals are checked every 10 iterations: that of 40 is the
  // first below the tolerance, and the check at 50 learns it.
  auto const solver = solver_for(slow_problem(), checked(1000, 10, 0.5));

  solver->advance_to(1000);

  EXPECT_TRUE(solver->converged());
  EXPECT_EQ(solver->iteration(), 50);
  EXPECT_EQ(iterations_of(solver->take_residuals()),
            (std::vector<std::int64_t>{0, 10, 20, 30, 40}));
}

TEST_F(Residuals, FieldBelongsToTheFinalIteration) {
  for (std::int64_t const every : {1, 3, 10, 16}) {
    SCOPED_TRACE(every);
    auto const stopped = solver_for(slow_problem(), checked(1000, every, 0.5));
    stopped->advance_to(1000);
    auto const plain = solver_for(slow_problem(), checked(1000, 0, 0.0));
    plain->advance_to(stopped->iteration());

    EXPECT_TRUE(stopped->converged());
    EXPECT_EQ(stopped->iteration() % every, 0);
    EXPECT_EQ(field_of<double>(*stopped), field_of<double>(*plain));
  }
}

TEST_F(Residuals, SameStopHoweverTheRunIsDivided) {
  auto const solver = solver_for(slow_problem(), checked(1000, 10, 0.5));

  for (std::int64_t target = 0; target < 1000; target += 7) {
    solver->advance_to(target);
    EXPECT_EQ(solver->converged(), target > 50) << target;
    (void)solver->state();  // fetches residuals early, which must not stop the run before a check
  }

  EXPECT_EQ(solver->iteration(), 50);
}

TEST_F(Residuals, AreKnownAtTheLastIteration) {
  // The residual of 40 is within the tolerance. No check follows it before the end at 45.
  auto const solver = solver_for(slow_problem(), checked(45, 10, 0.5));

  solver->advance_to(40);
  EXPECT_FALSE(solver->converged());
  solver->advance_to(45);

  EXPECT_TRUE(solver->converged());
  EXPECT_EQ(solver->iteration(), 45);
  EXPECT_EQ(solver->state().last_residual->iteration, 40);
}

TEST_F(Residuals, AboveTheToleranceDoNotConverge) {
  auto const solver = solver_for(slow_problem(), checked(30, 10, 0.5));

  solver->advance_to(30);

  EXPECT_FALSE(solver->converged());
  EXPECT_EQ(solver->iteration(), 30);
}

/// The initial field is the solution, so no sweep is needed.
TEST_F(Residuals, ZeroResidualConverges) {
  auto const solver =
      solver_for(box_problem(Equation::laplace, 2, {9, 9, 1}, {}), checked(100, 10, 1e-6));

  solver->advance_to(100);

  EXPECT_TRUE(solver->converged());
  EXPECT_EQ(solver->iteration(), 0);
}

TEST_F(Residuals, SameStopAsOnOneRank) {
  Problem const problem = slow_problem();
  for (Norm const norm : {Norm::max, Norm::l2}) {
    MethodSettings method = checked(2000, 6, 0.003);
    method.norm = norm;
    mpi::Communicator const self(MPI_COMM_SELF);
    auto const alone = make_solver(self, problem, method, execution(problem, self));
    auto const shared = solver_for(problem, method);

    alone->advance_to(2000);
    shared->advance_to(2000);

    EXPECT_TRUE(shared->converged());
    EXPECT_EQ(shared->iteration(), alone->iteration());
  }
}

TEST_F(Residuals, NameTheIterationOfABreakdown) {
  for (Norm const norm : {Norm::max, Norm::l2})
    for (double const poison :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      Problem const problem = slow_problem();
      MethodSettings method = checked(100, 10, 0.0);
      method.norm = norm;
      auto const solver = solver_for(problem, method);
      solver->advance_to(15);
      std::vector<double> u = field_of<double>(*solver);
      for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t number) {
        if (p == Index3{8, 5, 0}) u[number] = poison;
      });
      solver->restore(std::span(std::as_const(u)), solver->state());
      try {
        solver->advance_to(100);
        ADD_FAILURE() << "a field that is not finite went unnoticed";
      } catch (Error const& error) {
        EXPECT_NE(std::string(error.what()).find("iteration 20 "), std::string::npos)
            << error.what();
      }
    }
}

/// Returns the error message for a field with one such value; empty if there is none.
std::string said_of_value(double value) {
  Problem problem = slow_problem();
  set_axis(problem, 0, {BoundaryKind::dirichlet, 1.0});
  auto const solver = solver_for(problem, checked(30, 10, 1e-9));
  solver->advance_to(15);
  std::vector<double> u = field_of<double>(*solver);
  for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t number) {
    if (p == Index3{8, 5, 0}) u[number] = value;
  });
  solver->restore(std::span(std::as_const(u)), solver->state());
  try {
    solver->advance_to(30);
  } catch (Breakdown const& error) {
    return error.what();
  }
  return {};
}

TEST_F(Residuals, DivergenceOfASteadyMethodIsReported) {
  std::string const said = said_of_value(1e13);
  EXPECT_NE(said.find("the residual of iteration 20 is "), std::string::npos) << said;
  EXPECT_NE(said.find("it grows without bound"), std::string::npos) << said;
  EXPECT_EQ(said_of_value(1e8), "") << "however bad a field is to begin with";
}

}  // namespace
}  // namespace isotherm::test
