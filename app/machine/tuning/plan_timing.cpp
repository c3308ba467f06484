#include "app/machine/tuning/plan_timing.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "app/machine/tuning/unit_problem.hpp"
#include "case/basics/elapsed.hpp"
#include "kernels/sweep/resident.hpp"
#include "solver/solver.hpp"

namespace isotherm::app {

namespace {

/// Approximate duration of a timed batch, in seconds.
constexpr double batch_s = 0.03;

/// Returns the seconds of this number of iterations.
double seconds_of(Solver& solver, std::int64_t iterations) {
  solver.wait();
  Elapsed const elapsed;
  solver.advance_to(solver.iteration() + iterations);
  solver.wait();
  return elapsed.seconds();
}

/// Returns the seconds of one iteration: the shorter of two batches, after a batch that warms up.
double iteration_seconds(Solver& solver) {
  std::int64_t iterations = 4 * std::int64_t{solver.plan().steps};
  double seconds = seconds_of(solver, iterations);
  // The first batch loads the kernels, so the second one decides how long a batch must be.
  for (seconds = seconds_of(solver, iterations); seconds < 0.5 * batch_s && iterations < 1'000'000;
       seconds = seconds_of(solver, iterations)) {
    iterations *= 2;
  }
  seconds = std::min(seconds, seconds_of(solver, iterations));
  return seconds / static_cast<double>(iterations);
}

/// Returns the problem that stands for a subject.
Problem problem_of(SweepSubject const& subject) {
  Extent3 const grid = timed_grid(subject.extent);
  return subject.fixed ? unit_problem(grid, subject.precision, Equation::laplace,
                                      BoundaryKind::dirichlet, subject.source)
                       : unit_problem(grid, subject.precision, Equation::diffusion,
                                      BoundaryKind::periodic, subject.source);
}

}  // namespace

Extent3 timed_grid(Extent3 extent) {
  constexpr std::int64_t max_points = std::int64_t{1} << 24;
  while (LocalBox{{}, extent}.point_count() > max_points) {
    std::int64_t& longest = extent.x >= extent.y && extent.x >= extent.z ? extent.x
                            : extent.y >= extent.z                       ? extent.y
                                                                         : extent.z;
    longest = (longest + 1) / 2;
  }
  return extent;
}

std::vector<TimedPlan> time_plans(mpi::Communicator const& alone, SweepSubject const& subject,
                                  double budget_s) {
  Elapsed const elapsed;
  Problem const problem = problem_of(subject);
  MethodSettings const method = endless_method(problem);
  Execution execution;
  execution.backend = subject.backend;
  execution.device = subject.device;
  std::vector<TimedPlan> timed;
  for (SweepPlan const& plan : sweep_plans_for(alone, problem, execution)) {
    if (elapsed.seconds() > budget_s) break;
    execution.plan = plan.name;
    try {
      auto const solver = make_solver(alone, problem, method, execution);
      double const seconds = iteration_seconds(*solver);
      timed.push_back({plan, static_cast<double>(problem.grid.point_count()) / seconds});
    } catch (std::runtime_error const&) {
      // The plan needs more points or more memory than there are: another one is taken.
      continue;
    }
  }
  std::ranges::stable_sort(timed, std::ranges::greater{}, &TimedPlan::points_per_second);
  return timed;
}

std::vector<TimedPlan> plans_to_remember(std::vector<TimedPlan> const& timed) {
  std::vector<TimedPlan> kept;
  int fewest = std::numeric_limits<int>::max();
  for (TimedPlan const& one : timed) {
    if (!kept.empty() && one.plan.steps >= fewest) continue;
    kept.push_back(one);
    // A resident grid takes all steps of an interval, but not every grid can be resident.
    if (one.plan.name != resident_plan) fewest = one.plan.steps;
  }
  return kept;
}

}  // namespace isotherm::app
