#include "app/bench/measure/solution_measurement.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "app/bench/measure/bench_timing.hpp"
#include "app/machine/copy_rate.hpp"
#include "case/basics/elapsed.hpp"

namespace isotherm::app {

namespace {

/// Returns the median of a number over several runs.
/// @param value  a function that returns the number of a run
template <class Value>
double median_of(std::vector<Solution> const& runs, Value const& value) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (Solution const& run : runs) values.push_back(value(run));
  return median(std::move(values));
}

/// Solves the problem once and measures set-up and solution separately. Set-up and solution are
/// timed on the host, each between two synchronisations of all ranks. The reference of the relative
/// residual is the norm of the zero field's residual, that is of the right-hand side.
/// @param copy_bytes_per_s  receives the rate of copies after the solution, unless it is known
Solution solve_once(mpi::Communicator const& ranks, Problem const& problem,
                    Execution const& execution, MethodSettings const& method,
                    double& copy_bytes_per_s) {
  Solution run{method.name, problem.precision, method.tolerance};
  // Barriers exclude differences between the ranks' start times.
  ranks.barrier();
  Elapsed const setup;
  auto const solver = make_solver(ranks, problem, method, execution);
  solver->wait();
  ranks.barrier();
  run.setup_s = ranks.max(setup.seconds());
  Elapsed const solution;
  solver->advance_to(method.iterations);
  solver->wait();
  run.seconds = ranks.max(solution.seconds());
  SolverState const state = solver->state();
  run.cycles = state.iteration;
  run.converged = solver->converged();
  run.relative = state.last_residual->value / state.reference.value_or(1.0);
  double const bytes = bytes_per_iteration(problem, method) * static_cast<double>(run.cycles);
  if (copy_bytes_per_s == 0.0) copy_bytes_per_s = copy_rate(ranks, problem, *solver);
  run.share_of_copy = bytes / run.seconds / copy_bytes_per_s;
  return run;
}

}  // namespace

MethodSettings solution_settings(std::string const& name, double tolerance) {
  MethodSettings method;
  method.name = name;
  method.iterations = 50;
  method.check_every = 1;
  method.tolerance = tolerance;
  method.relative_to = RelativeTo::rhs;  // the convention of other programs
  return method;
}

Solution measure_solution(mpi::Communicator const& ranks, Problem const& problem,
                          Execution const& execution, MethodSettings const& method, int repeat) {
  double copy_bytes_per_s = 0.0;
  (void)solve_once(ranks, problem, execution, method, copy_bytes_per_s);
  std::vector<Solution> runs;
  runs.reserve(static_cast<std::size_t>(repeat));
  for (int i = 0; i < repeat; ++i) {
    runs.push_back(solve_once(ranks, problem, execution, method, copy_bytes_per_s));
  }
  Solution result = runs.front();
  result.setup_s = median_of(runs, [](Solution const& run) { return run.setup_s; });
  result.seconds = median_of(runs, [](Solution const& run) { return run.seconds; });
  result.share_of_copy = median_of(runs, [](Solution const& run) { return run.share_of_copy; });
  auto const [shortest, longest] =
      std::ranges::minmax(runs, {}, [](Solution const& run) { return run.seconds; });
  result.scatter = longest.seconds / shortest.seconds - 1.0;
  return result;
}

}  // namespace isotherm::app
