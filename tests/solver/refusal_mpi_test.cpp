#include <gtest/gtest.h>

#include <string>

#include "kernels/core/error.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/solving.hpp"

// Problems and settings that solvers refuse.

namespace isotherm::test {
namespace {

/// Returns the message with which make_solver() refuses the problem; empty if it accepts it.
std::string refusal(Problem const& problem, MethodSettings const& method,
                    std::string const& plan = "auto") {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  Execution how = execution(problem, ranks);
  how.plan = plan;
  try {
    (void)make_solver(ranks, problem, method, how);
  } catch (InputError const& error) {
    return error.what();
  }
  return "";
}

#define EXPECT_SAYS(message, part) \
  EXPECT_NE((message).find(part), std::string::npos) << "the message is: " << (message)

class Refusal : public BackendTest {};

TEST_F(Refusal, UnstableTimeStepNamesTheLargestStableOne) {
  // D = 2, h = 1/8 in both directions: h² / (4 D) = 1/512.
  Problem problem = box_problem(Equation::diffusion, 2, {9, 9, 1}, {});
  problem.diffusivity = 2.0;

  EXPECT_SAYS(refusal(problem, ftcs(10, 0.002)), "time_step is 0.002, which is unstable");
  EXPECT_SAYS(refusal(problem, ftcs(10, 0.002)), "0.001953125");
  EXPECT_EQ(refusal(problem, ftcs(10, 0.001953125)), "");
}

TEST_F(Refusal, AcceptsTheLargestStableTimeStep) {
  Problem const classic =
      box_problem(Equation::diffusion, 2, {960, 960, 1}, {BoundaryKind::periodic, {}});
  double const h = 1.0 / 960.0;

  EXPECT_NO_THROW(check_solvable(classic, ftcs(1, 0.25 * h * h)));
  EXPECT_THROW(check_solvable(classic, ftcs(1, 0.2500001 * h * h)), InputError);
}

TEST_F(Refusal, NonPositiveTimeStepOrDiffusivity) {
  Problem problem = box_problem(Equation::diffusion, 2, {9, 9, 1}, {});
  EXPECT_SAYS(refusal(problem, ftcs(10, 0.0)), "time_step is 0 (needs a positive number)");
  EXPECT_SAYS(refusal(problem, ftcs(10, -1e-4)), "needs a positive number");
  problem.diffusivity = -1.0;
  EXPECT_SAYS(refusal(problem, ftcs(10, 1e-4)), "diffusivity -1 is not a positive number");
}

TEST_F(Refusal, ResidentPlanIn3D) {
  Problem flat = box_problem(Equation::laplace, 3, {24, 20, 1}, {BoundaryKind::periodic, {}});
  flat.grid = make_grid(3, {24, 20, 1}, {0, 0, 0}, {1, 1, 1}, {false, false, true});
  for (int const axis : {0, 1}) set_axis(flat, axis, {});

  EXPECT_SAYS(refusal(flat, jacobi(10), "resident"), "there is no sweep plan \"resident\"");
}

TEST_F(Refusal, SingularProblemAsksForADirichletFace) {
  for (int const dimension : {2, 3}) {
    Problem problem = box_problem(Equation::poisson, dimension, {9, 9, dimension == 3 ? 9 : 1},
                                  {BoundaryKind::neumann, {}});
    EXPECT_SAYS(refusal(problem, jacobi(10)), "unique only up to a constant");
    problem.boundary[y_lower] = {};
    EXPECT_EQ(refusal(problem, jacobi(10)), "");
  }
  EXPECT_SAYS(refusal(box_problem(Equation::laplace, 3, {9, 9, 9}, {BoundaryKind::periodic, {}}),
                      jacobi(10)),
              "give a face or a fixed region a value");
}

TEST_F(Refusal, MethodForAnotherEquation) {
  EXPECT_SAYS(refusal(box_problem(Equation::diffusion, 2, {9, 9, 1}, {}), jacobi(10)), "use ftcs");
  EXPECT_SAYS(refusal(box_problem(Equation::laplace, 2, {9, 9, 1}, {}), ftcs(10, 1e-4)),
              "use jacobi");
}

TEST_F(Refusal, TimeStepForASteadyMethod) {
  Problem const problem = box_problem(Equation::laplace, 2, {9, 9, 1}, {});
  for (char const* const name : {"jacobi", "multigrid"}) {
    MethodSettings method = jacobi(10);
    method.name = name;
    EXPECT_EQ(refusal(problem, method), "");
    method.time_step_s = 0.25;
    EXPECT_SAYS(refusal(problem, method), std::string("time_step is 0.25, but the method ") + name +
                                              " does not advance time");
    method.time_step_s = 0.0;
    method.time_steps = TimeSteps(0.5);
    EXPECT_SAYS(refusal(problem, method), "time_step is 0.5, but");
  }
}

TEST_F(Refusal, SourceInTheLaplaceEquation) {
  Problem problem = box_problem(Equation::laplace, 2, {9, 9, 1}, {});
  problem.source = 1.0;
  EXPECT_SAYS(refusal(problem, jacobi(10)), "use poisson");
}

TEST_F(Refusal, TimeDependentValuesInASteadyEquation) {
  Problem problem = box_problem(Equation::poisson, 2, {9, 9, 1}, {});
  problem.boundary[x_lower].value = varying([](double, double, double, double t) { return t; });
  EXPECT_SAYS(refusal(problem, jacobi(10)), "use diffusion");
}

TEST_F(Refusal, SinglePeriodicFace) {
  Problem problem = box_problem(Equation::laplace, 2, {9, 9, 1}, {});
  problem.boundary[y_lower].kind = BoundaryKind::periodic;
  EXPECT_SAYS(refusal(problem, jacobi(10)), "y_lower");
}

TEST_F(Refusal, FacesThatContradictTheGrid) {
  Problem problem = box_problem(Equation::laplace, 2, {9, 9, 1}, {});
  problem.grid.periodic[1] = true;
  EXPECT_SAYS(refusal(problem, jacobi(10)), "y_lower is dirichlet");
}

TEST_F(Refusal, ToleranceWithoutChecks) {
  Problem const problem = box_problem(Equation::laplace, 2, {9, 9, 1}, {});
  MethodSettings method = jacobi(10);
  method.tolerance = 1e-3;
  method.check_every = 0;
  EXPECT_SAYS(refusal(problem, method), "check_every");
  method.check_every = max_iterations + 1;
  EXPECT_SAYS(refusal(problem, method),
              "check_every is 4503599627370497 (needs 0 to 4503599627370496");
  method.check_every = 10;
  method.tolerance = 1.5;
  EXPECT_SAYS(refusal(problem, method), "tolerance is 1.5 (needs a number between 0 and 1");
}

TEST_F(Refusal, UnknownPlanNamesTheKnownOnes) {
  Problem const problem = box_problem(Equation::laplace, 2, {9, 9, 1}, {});
  EXPECT_SAYS(refusal(problem, jacobi(10), "fastest"), "no sweep plan \"fastest\"");
  EXPECT_SAYS(refusal(problem, jacobi(10), "fastest"), "auto, plain");
}

TEST_F(Refusal, TemporalBlockingWithTimeDependentValues) {
  Problem problem = box_problem(Equation::diffusion, 2, {40, 40, 1}, {});
  problem.boundary[x_lower].value = varying([](double, double, double, double t) { return t; });
  for (SweepPlan const& plan : plans(problem)) {
    std::string const said = refusal(problem, method_for(problem, 10), plan.name);
    EXPECT_EQ(said.empty(), plan.steps == 1) << plan.name << ": " << said;
  }
}

TEST_F(Refusal, NumberOfPartsOtherThanOfRanks) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  Problem const problem = box_problem(Equation::laplace, 2, {9, 90, 1}, {});
  Execution how = execution(problem, ranks);
  how.parts = {1, ranks.size() + 1, 1};

  EXPECT_THROW((void)make_solver(ranks, problem, jacobi(10), how), InputError);
  EXPECT_THROW((void)sweep_plan_for(ranks, problem, how), InputError);
}

TEST_F(Refusal, UndeclaredTimeDependence) {
  auto const hidden = [](double x, double, double, double t) { return x * t; };
  Problem problem = box_problem(Equation::diffusion, 2, {9, 9, 1}, {});
  problem.source = varying(hidden);
  EXPECT_EQ(refusal(problem, method_for(problem, 10)), "");

  problem.source.varies_in_time = false;
  EXPECT_SAYS(refusal(problem, method_for(problem, 10)), "the source depends on the time");
  problem.source = {};
  problem.boundary[y_upper].value = varying(hidden);
  problem.boundary[y_upper].value.varies_in_time = false;
  EXPECT_SAYS(refusal(problem, method_for(problem, 10)), "y_upper depends on the time");
}

TEST_F(Refusal, IterationsBeyondTheSettings) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  Problem const problem = box_problem(Equation::laplace, 2, {9, 9, 1}, {});
  auto const solver = make_solver(ranks, problem, jacobi(10), execution(problem, ranks));

  EXPECT_THROW(solver->advance_to(11), Error);
  EXPECT_EQ(solver->iteration(), 0);
  EXPECT_NO_THROW(solver->advance_to(10));
}

TEST_F(Refusal, ValuesOfAnotherPrecisionOrNumber) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  Problem problem = box_problem(Equation::laplace, 2, {9, 9, 1}, {});
  problem.precision = Precision::float32;
  auto const solver = make_solver(ranks, problem, jacobi(10), execution(problem, ranks));
  auto const points = static_cast<std::size_t>(solver->subdomain().owned().point_count());
  std::vector<float> right(points);
  std::vector<float> too_few(points - 1);
  std::vector<double> wrong(points);

  EXPECT_NO_THROW(solver->read_field(std::span(right)));
  EXPECT_THROW(solver->read_field(std::span(wrong)), Error);
  EXPECT_THROW(solver->read_field(std::span(too_few)), Error);
  EXPECT_THROW(solver->read_source(std::span(wrong)), Error);
  EXPECT_THROW(solver->read_source(std::span(too_few)), Error);
  EXPECT_THROW(solver->set_initial(std::span(std::as_const(wrong))), Error);
  EXPECT_THROW(solver->restore(std::span(std::as_const(too_few)), {}), Error);
}

}  // namespace
}  // namespace isotherm::test
