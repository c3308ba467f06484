#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/backends.hpp"
#include "tests/support/solving.hpp"

/// Measures the order of convergence in space with manufactured solutions.
namespace isotherm::test {
namespace {

/// u = sin(1.3 x + 0.2) e^(y/2) cos z, on a box with Dirichlet and Neumann faces.
double wave(double x, double y, double z) {
  return std::sin(1.3 * x + 0.2) * std::exp(0.5 * y) * std::cos(z);
}
double wave_slope(int axis, double x, double y, double z) {
  if (axis == 0) return 1.3 * std::cos(1.3 * x + 0.2) * std::exp(0.5 * y) * std::cos(z);
  return axis == 1 ? 0.5 * wave(x, y, z)
                   : -std::sin(1.3 * x + 0.2) * std::exp(0.5 * y) * std::sin(z);
}
/// ∇·∇u / u
double wave_curvature(int dimension) { return -1.69 + 0.25 - (dimension == 3 ? 1.0 : 0.0); }

Problem wave_problem(int dimension, std::int64_t intervals) {
  std::int64_t const n = intervals + 1;
  Problem problem;
  problem.equation = Equation::poisson;
  problem.grid =
      make_grid(dimension, {n, n, dimension == 3 ? n : 1}, {0, 0, 0}, {2.0, 1.5, 1.2}, {});
  for (BoundaryCondition& face : problem.boundary) face.value = steady(wave);
  // Two Neumann faces share an edge.
  problem.boundary[x_lower] = {BoundaryKind::neumann, steady([](double x, double y, double z) {
                                 return -wave_slope(0, x, y, z);
                               })};
  problem.boundary[y_upper] = {BoundaryKind::neumann, steady([](double x, double y, double z) {
                                 return wave_slope(1, x, y, z);
                               })};
  problem.source = steady([dimension](double x, double y, double z) {
    return -wave_curvature(dimension) * wave(x, y, z);
  });
  return problem;
}

double converged_error(Problem const& problem) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  MethodSettings method = jacobi(40000);
  method.tolerance = 1e-9;
  auto const solver = make_solver(ranks, problem, method, execution(problem, ranks));
  solver->advance_to(method.iterations);
  EXPECT_TRUE(solver->converged());
  return ranks.max(largest_error<double>(*solver, wave));
}

class OrderOfConvergence : public BackendTest {};

void expect_second_order(std::vector<double> const& errors) {
  for (std::size_t i = 1; i < errors.size(); ++i) {
    double const order = std::log2(errors[i - 1] / errors[i]);
    EXPECT_GT(order, 1.9) << errors[i - 1] << " -> " << errors[i];
    EXPECT_LT(order, 2.15) << errors[i - 1] << " -> " << errors[i];
  }
}

TEST_F(OrderOfConvergence, PoissonIsSecondOrderIn2D) {
  expect_second_order({converged_error(wave_problem(2, 8)), converged_error(wave_problem(2, 16)),
                       converged_error(wave_problem(2, 32))});
}

TEST_F(OrderOfConvergence, PoissonIsSecondOrderIn3D) {
  expect_second_order({converged_error(wave_problem(3, 8)), converged_error(wave_problem(3, 16))});
}

/// The solution u = wave · e^(-t), with time-dependent Dirichlet values, Neumann values and source.
Problem cooling(int dimension, std::int64_t intervals) {
  constexpr double diffusivity = 0.6;
  Problem problem = wave_problem(dimension, intervals);
  problem.equation = Equation::diffusion;
  problem.diffusivity = diffusivity;
  problem.initial.value = steady(wave);
  auto const fading = [](ScalarFunction const& function) {
    return varying([function](double x, double y, double z, double t) {
      return function(x, y, z, 0.0) * std::exp(-t);
    });
  };
  for (BoundaryCondition& condition : problem.boundary) condition.value = fading(condition.value);
  double const rate = -1.0 - diffusivity * wave_curvature(dimension);
  problem.source = varying([rate](double x, double y, double z, double t) {
    return rate * wave(x, y, z) * std::exp(-t);
  });
  return problem;
}

double error_at(double end, Problem const& problem) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  double const largest = largest_stable_time_step(problem.grid, problem.diffusivity);
  auto const steps = static_cast<std::int64_t>(std::ceil(end / (0.75 * largest)));
  MethodSettings const method = ftcs(steps, end / static_cast<double>(steps));
  auto const solver = make_solver(ranks, problem, method, execution(problem, ranks));
  solver->advance_to(steps);
  double const left = std::exp(-end);
  return ranks.max(largest_error<double>(
      *solver, [&](double x, double y, double z) { return left * wave(x, y, z); }));
}

TEST_F(OrderOfConvergence, DiffusionIsSecondOrderIfTimeStepsScaleWithSpacingSquared) {
  expect_second_order(
      {error_at(0.5, cooling(2, 8)), error_at(0.5, cooling(2, 16)), error_at(0.5, cooling(2, 32))});
  expect_second_order({error_at(0.25, cooling(3, 8)), error_at(0.25, cooling(3, 16))});
}

}  // namespace
}  // namespace isotherm::test
