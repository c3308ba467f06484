#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "solver/solver.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/face_names.hpp"

namespace isotherm::test {

/// Returns a scalar function of the coordinates.
template <class Function>
ScalarFunction steady(Function const& function) {
  ScalarFunction result;
  result.evaluate = [function](double x, double y, double z, double) { return function(x, y, z); };
  result.text = "a test's function";
  return result;
}

/// Returns a scalar function of the field, u.
template <class OfField>
ScalarFunction of_field(OfField const& function) {
  ScalarFunction result;
  result.evaluate = [function](double, double, double, double u) { return function(u); };
  result.depends_on_u = true;
  result.text = "a test's function of u";
  return result;
}

/// Returns a scalar function of coordinates and time.
template <class Function>
ScalarFunction varying(Function const& function) {
  ScalarFunction result;
  result.evaluate = function;
  result.varies_in_time = true;
  result.text = "a test's function of time";
  return result;
}

inline void set_axis(Problem& problem, int axis, BoundaryCondition const& both) {
  problem.boundary[{axis, false}] = both;
  problem.boundary[{axis, true}] = both;
}

/// Returns a problem on a box with the same condition on all faces.
inline Problem box_problem(Equation equation, int dimension, Extent3 points,
                           BoundaryCondition const& everywhere, PerAxis<double> upper = {1, 1, 1}) {
  bool const periodic = everywhere.kind == BoundaryKind::periodic;
  Problem problem;
  problem.equation = equation;
  problem.grid = make_grid(dimension, points, {0, 0, 0}, upper,
                           {periodic, periodic, periodic && dimension == 3});
  for (int axis = 0; axis < dimension; ++axis) set_axis(problem, axis, everywhere);
  return problem;
}

inline MethodSettings jacobi(std::int64_t iterations) {
  MethodSettings method;
  method.iterations = iterations;
  return method;
}
inline MethodSettings ftcs(std::int64_t steps, double time_step_s) {
  MethodSettings method = jacobi(steps);
  method.name = "ftcs";
  method.time_step_s = time_step_s;
  return method;
}
inline MethodSettings method_for(Problem const& problem, std::int64_t iterations) {
  if (problem.equation != Equation::diffusion) return jacobi(iterations);
  return ftcs(iterations, 0.8 * largest_stable_time_step(problem.grid, problem.diffusivity));
}

/// Returns the execution on the tested backend, in the decomposition that a run would choose.
inline Execution execution(Problem const& problem, mpi::Communicator const& ranks) {
  Execution result;
  result.backend = tested_backend();
  int const devices = cuda_device_count();
  result.device = devices > 0 ? ranks.local_rank() % devices : 0;
  result.parts = choose_decomposition(problem.grid, ranks.size());
  return result;
}

/// Returns all sweep plans that can run the problem here.
inline std::vector<SweepPlan> plans(Problem const& problem) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  return sweep_plans_for(ranks, problem, execution(problem, ranks));
}

/// Returns this rank's owned values, x fastest.
template <class Real>
std::vector<Real> field_of(Solver& solver) {
  std::vector<Real> values(static_cast<std::size_t>(solver.subdomain().owned().point_count()));
  solver.read_field(std::span(values));
  return values;
}

/// Calls visit(global index, dense index) for the owned points.
template <class Visit>
void for_each_owned(Subdomain const& share, Visit const& visit) {
  std::size_t number = 0;
  Extent3 const n = share.extent();
  for (std::int64_t k = 0; k < n.z; ++k)
    for (std::int64_t j = 0; j < n.y; ++j)
      for (std::int64_t i = 0; i < n.x; ++i) visit(share.to_global(Index3{i, j, k}), number++);
}

/// Returns the largest |u − wanted(x, y, z)| of the owned points.
template <class Real, class Function>
double largest_error(Solver& solver, Function const& wanted) {
  std::vector<Real> const u = field_of<Real>(solver);
  Grid const& grid = solver.subdomain().grid();
  double largest = 0.0;
  for_each_owned(solver.subdomain(), [&](Index3 p, std::size_t number) {
    double const value =
        wanted(grid.coordinate(0, p.x), grid.coordinate(1, p.y), grid.coordinate(2, p.z));
    double const error = std::abs(static_cast<double>(u[number]) - value);
    largest = std::isnan(largest) || error <= largest ? largest : error;  // keeps NaN
  });
  return largest;
}

/// Tests that advance a solver to its last step. All calls are collective.
class SteppingTest : public BackendTest {
 protected:
  mpi::Communicator ranks_{MPI_COMM_WORLD};

  std::unique_ptr<Solver> made(Problem const& problem, MethodSettings const& method) {
    return make_solver(ranks_, problem, method, execution(problem, ranks_));
  }
  /// Returns the solver after all steps.
  std::unique_ptr<Solver> after(Problem const& problem, MethodSettings const& method) {
    auto solver = made(problem, method);
    solver->advance_to(method.iterations);
    return solver;
  }
  template <class Function>
  double error_of(Solver& solver, Function const& exact) {
    return ranks_.max(largest_error<double>(solver, exact));
  }
};

}  // namespace isotherm::test
