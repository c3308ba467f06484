#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/backends.hpp"
#include "tests/support/solving.hpp"

// Resumed solvers continue like uninterrupted ones.

namespace isotherm::test {
namespace {

Problem heated_box(Equation equation, Precision precision) {
  Problem problem = box_problem(equation, 3, {17, 14, 15}, {});
  problem.precision = precision;
  problem.boundary[x_upper] = {BoundaryKind::neumann, 0.5};
  problem.boundary[z_lower] = {BoundaryKind::dirichlet,
                               steady([](double x, double y, double) { return x * x - 3.0 * y; })};
  problem.source = steady([](double x, double y, double z) { return 5.0 * x * y * z; });
  return problem;
}

Problem seasons() {
  Problem problem = heated_box(Equation::diffusion, Precision::float64);
  problem.boundary[z_lower].value =
      varying([](double x, double, double, double t) { return x + std::sin(800.0 * t); });
  problem.boundary[x_upper].value =
      varying([](double, double y, double, double t) { return y * std::cos(300.0 * t); });
  problem.source = varying([](double x, double, double z, double t) { return x * z + 10.0 * t; });
  return problem;
}

struct Ending {
  std::int64_t iteration = 0;
  bool converged = false;
  std::vector<Residual> residuals;
};

void append(std::vector<Residual>& all, std::vector<Residual> const& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// Runs to iteration `cut`, then moves field and state to a new solver that finishes the run.
template <class Real>
Ending interrupted(Problem const& problem, MethodSettings const& method, std::int64_t cut,
                   std::vector<Real>& field) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  Execution const how = execution(problem, ranks);
  Ending ending;
  auto const first = make_solver(ranks, problem, method, how);
  first->advance_to(cut);
  SolverState const state = first->state();
  append(ending.residuals, first->take_residuals());

  auto const second = make_solver(ranks, problem, method, how);
  std::vector<Real> const u = field_of<Real>(*first);
  second->restore(std::span(u), state);
  second->advance_to(method.iterations);
  append(ending.residuals, second->take_residuals());
  ending.iteration = second->iteration();
  ending.converged = second->converged();
  field = field_of<Real>(*second);
  return ending;
}

template <class Real>
Ending uninterrupted(Problem const& problem, MethodSettings const& method,
                     std::vector<Real>& field) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  auto const solver = make_solver(ranks, problem, method, execution(problem, ranks));
  solver->advance_to(method.iterations);
  field = field_of<Real>(*solver);
  return {solver->iteration(), solver->converged(), solver->take_residuals()};
}

template <class Real>
void expect_resumes_bit_for_bit(Problem const& problem, MethodSettings const& method,
                                std::vector<std::int64_t> const& cuts) {
  std::vector<Real> wanted;
  Ending const whole = uninterrupted<Real>(problem, method, wanted);
  for (std::int64_t const cut : cuts) {
    SCOPED_TRACE(cut);
    std::vector<Real> found;
    Ending const resumed = interrupted<Real>(problem, method, cut, found);

    EXPECT_EQ(found, wanted);
    EXPECT_EQ(resumed.iteration, whole.iteration);
    EXPECT_EQ(resumed.converged, whole.converged);
    EXPECT_EQ(resumed.residuals.size(), whole.residuals.size());
    for (std::size_t i = 0; i < std::min(resumed.residuals.size(), whole.residuals.size()); ++i) {
      EXPECT_EQ(resumed.residuals[i].iteration, whole.residuals[i].iteration);
      EXPECT_EQ(resumed.residuals[i].time_s, whole.residuals[i].time_s);
      EXPECT_EQ(resumed.residuals[i].value, whole.residuals[i].value);
      EXPECT_EQ(resumed.residuals[i].error.has_value(), whole.residuals[i].error.has_value());
    }
  }
}

MethodSettings with_checks(MethodSettings method, std::int64_t every, double tolerance) {
  method.check_every = every;
  method.tolerance = tolerance;
  method.norm = Norm::max;
  return method;
}

class ResumedRun : public BackendTest {};

TEST_F(ResumedRun, DiffusionEqualsTheUninterruptedRun) {
  for (Precision const precision : {Precision::float32, Precision::float64}) {
    Problem const problem = heated_box(Equation::diffusion, precision);
    MethodSettings const method = with_checks(method_for(problem, 43), 8, 0.0);
    precision == Precision::float32
        ? expect_resumes_bit_for_bit<float>(problem, method, {0, 1, 7, 8, 9, 21, 43})
        : expect_resumes_bit_for_bit<double>(problem, method, {0, 1, 7, 8, 9, 21, 43});
  }
}

TEST_F(ResumedRun, TimeDependentValuesEqualTheUninterruptedRun) {
  Problem const problem = seasons();
  expect_resumes_bit_for_bit<double>(problem, with_checks(method_for(problem, 30), 8, 0.0),
                                     {0, 1, 8, 9, 17, 30});
}

TEST_F(ResumedRun, StopsAtTheSameIteration) {
  Problem const problem = heated_box(Equation::poisson, Precision::float64);
  MethodSettings const method = with_checks(jacobi(5000), 10, 0.003);
  std::vector<double> field;
  std::int64_t const stop = uninterrupted<double>(problem, method, field).iteration;
  EXPECT_GT(stop, 20);
  EXPECT_LT(stop, 5000);

  // Cuts before, at and after checks, and between the deciding residual and its check.
  expect_resumes_bit_for_bit<double>(
      problem, method, {0, 1, 10, 11, stop - 11, stop - 10, stop - 9, stop - 1, stop});
}

// Only the initial field gives the values a range; later fields have almost none.
TEST_F(ResumedRun, MeasuresErrorsRelativeToTheInitialRange) {
  Problem problem = box_problem(Equation::laplace, 2, {33, 33, 1}, {});
  for (auto& face : problem.boundary) face = {BoundaryKind::dirichlet, 0.0};
  problem.initial.value =
      steady([](double x, double y, double) { return std::sin(3.0 * x) * std::sin(3.0 * y); });
  MethodSettings const method = with_checks(jacobi(5000), 20, 1e-5);
  std::vector<double> field;
  Ending const whole = uninterrupted<double>(problem, method, field);
  EXPECT_TRUE(whole.converged);

  for (std::int64_t const cut : {60, 250}) {
    Ending const resumed = interrupted<double>(problem, method, cut, field);

    EXPECT_EQ(resumed.iteration, whole.iteration);
    EXPECT_NEAR(*resumed.residuals.back().error, *whole.residuals.back().error,
                1e-6 * *whole.residuals.back().error);
  }
}

TEST_F(ResumedRun, KeepsDirichletValuesOfTheCheckpoint) {
  Problem const problem = heated_box(Equation::poisson, Precision::float64);
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  auto const solver = make_solver(ranks, problem, jacobi(5), execution(problem, ranks));
  std::vector<double> const given(field_of<double>(*solver).size(), 7.25);

  solver->restore(std::span(std::as_const(given)), {3, {}, {}});

  EXPECT_EQ(field_of<double>(*solver), given);
  EXPECT_EQ(solver->iteration(), 3);
}

TEST_F(ResumedRun, InitialDataGetBoundaryValues) {
  Problem const problem = heated_box(Equation::poisson, Precision::float64);
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  auto const solver = make_solver(ranks, problem, jacobi(50), execution(problem, ranks));
  std::vector<double> const boundary = field_of<double>(*solver);
  std::vector<double> const given(boundary.size(), 7.25);
  solver->advance_to(20);

  solver->set_initial(std::span(std::as_const(given)));

  std::vector<double> const found = field_of<double>(*solver);
  Extent3 const n = problem.grid.points;
  std::int64_t wrong = 0;
  for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t number) {
    bool const fixed = p.x == 0 || p.y == 0 || p.y == n.y - 1 || p.z == 0 || p.z == n.z - 1;
    if (found[number] != (fixed ? boundary[number] : 7.25)) ++wrong;
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(solver->iteration(), 0);
  EXPECT_FALSE(solver->state().first_residual.has_value());
}

}  // namespace
}  // namespace isotherm::test
