#include "app/run/report/time_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "case/basics/elapsed.hpp"
#include "case/key_at_fault.hpp"
#include "solver/discretise/given/given_range.hpp"
#include "solver/discretise/initial.hpp"
#include "solver/methods.hpp"
#include "solver/problem/conditions.hpp"

// The estimate times the kernels of the run with its decomposition and transport. It neglects
// output. With a tolerance it is an upper bound, because the run may end earlier.

namespace isotherm::app {

namespace {

constexpr double enough_s = 0.2;            // minimum duration of a measurement
constexpr double wanted_s = 0.4;            // duration that the next measurement aims at
constexpr std::int64_t fewest_points = 64;  // minimum per part along an axis that is shortened

/// Returns the maximum number of timed points per rank, which exceed the caches.
std::int64_t max_timed_points(Backend backend) {
  return std::int64_t{1} << (backend == Backend::cuda ? 27 : 23);
}

/// Returns the axis along which a part has the most points, the last one if several have; -1 if no
/// axis can be halved.
int axis_to_halve(Grid const& grid, Extent3 parts) {
  int chosen = -1;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    bool const can_be = grid.points[axis] / 2 >= fewest_points * parts[axis];
    if (can_be &&
        (chosen < 0 || grid.points[axis] / parts[axis] >= grid.points[chosen] / parts[chosen])) {
      chosen = axis;
    }
  }
  return chosen;
}

/// Returns the problem on another grid, with a smooth initial field.
Problem problem_to_time(Problem problem, Grid const& grid) {
  // Coefficients that depend on the field are valid within the range of the given values.
  ValueRange range{1.0, 3.0};
  if (is_nonlinear(problem)) range = given_range(problem);
  problem.grid = grid;
  if (is_nonlinear(problem) && !is_constant(problem.initial, 0.0)) return problem;
  problem.initial = {};
  // The values are not 0, because denormal numbers would slow the kernels down. They are not
  // constant, because implicit steps would then need no cycles.
  ScalarFunction& value = problem.initial.value;
  value.evaluate = [grid, range](double x, double y, double z, double) {
    PerAxis<double> const at{x, y, z};
    double product = 1.0;
    for (int axis = 0; axis < grid.dimension; ++axis) {
      double const points = std::max(1.0, static_cast<double>(grid.points[axis]));
      product *= std::cos(6.0 * (at[axis] - grid.lower[axis]) / (points * grid.spacing[axis]));
    }
    return range.smallest + 0.5 * range.width() * (1.0 + product);
  };
  return problem;
}

/// Times more and more iterations, until they take long enough for a clock. Collective.
void time_iterations(mpi::Communicator const& ranks, Solver& solver, std::int64_t limit,
                     TimeEstimate& estimate) {
  std::int64_t length = solver.plan().steps;
  do {
    std::int64_t const from = solver.iteration();
    Elapsed const watch;
    solver.advance_to(length < limit - from ? from + length : limit);
    solver.wait();
    if (solver.iteration() == from) return;  // the iteration has ended by itself
    estimate.timed_s = ranks.max(watch.seconds());
    estimate.timed = solver.iteration() - from;
    // At most a factor of 8, since a first measurement may be too short to extrapolate.
    double const growth = wanted_s / std::max(estimate.timed_s, 1e-9);
    length = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(std::min(growth, 8.0) * static_cast<double>(length)));
  } while (estimate.timed_s < enough_s && solver.iteration() < limit);
}

/// Returns the first `count` points of the grid along an axis.
Grid first_points(Grid const& grid, int axis, std::int64_t count) {
  Grid part = grid;
  part.points[axis] = count;
  if (!grid.is_graded(axis)) return part;
  auto const first = grid.graded[axis].values().begin();
  return with_coordinates(part, axis, {first, first + count});
}

}  // namespace

/// Halves the axis along which parts are longest, until the parts are small enough.
Grid grid_to_time(Grid const& grid, Extent3 parts, std::int64_t max_points) {
  Grid part = grid;
  std::int64_t const ranks = parts.x * parts.y * parts.z;
  for (int axis = axis_to_halve(part, parts); axis >= 0 && part.point_count() / ranks > max_points;
       axis = axis_to_halve(part, parts)) {
    part = first_points(part, axis, (part.points[axis] + 1) / 2);
  }
  return part;
}

TimeEstimate estimate_time(mpi::Communicator const& ranks, PreparedRun const& run) {
  Case const& chosen = run.chosen;
  TimeEstimate estimate;
  std::int64_t const done = run.options.resume ? run.resume_points.front().state.iteration : 0;
  estimate.iterations = chosen.method.iterations - done;
  Execution execution = run.plan.execution;
  Grid const grid =
      grid_to_time(chosen.problem.grid, execution.parts, max_timed_points(execution.backend));
  estimate.grid = grid.points;
  if (estimate.iterations <= 0) {
    return estimate;
  }
  // Only sweeps have a plan; multigrid chooses the plans of its levels.
  bool const sweeps = !method_named(chosen.method.name).evaluates_residuals;
  if (sweeps && grid != chosen.problem.grid) {
    execution.plan = run.plan.sweep.name;  // "auto" might choose another one for a part
  }
  MethodSettings method = chosen.method;
  // No tolerance may end the timed iterations.
  method.tolerance = method.absolute_tolerance = 0.0;
  // A step that bounds its error is taken at once and in two halves, and may be divided further.
  double const solutions = method.adaptive.tolerance > 0.0 ? 3.0 : 1.0;
  method.adaptive = {};
  auto const solver = blaming_values(chosen, [&] {
    return make_solver(ranks, problem_to_time(chosen.problem, grid), method, execution);
  });
  time_iterations(ranks, *solver, estimate.iterations, estimate);
  if (estimate.timed == 0) return estimate;
  auto const whole = static_cast<double>(chosen.problem.grid.point_count());
  // The time of an iteration is proportional to the number of points.
  estimate.seconds = solutions * estimate.timed_s / static_cast<double>(estimate.timed) * whole /
                     static_cast<double>(grid.point_count()) *
                     static_cast<double>(estimate.iterations);
  return estimate;
}

}  // namespace isotherm::app
