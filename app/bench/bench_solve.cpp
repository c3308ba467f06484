#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/bench/bench.hpp"
#include "app/bench/measure/bench_timing.hpp"
#include "app/bench/measure/solution_measurement.hpp"
#include "app/machine/memory_limits.hpp"
#include "case/basics/exit_code.hpp"
#include "case/basics/text/text.hpp"
#include "solver/direct/make_direct.hpp"
#include "solver/direct/time_model.hpp"

namespace isotherm::app {

namespace {

using Json = nlohmann::ordered_json;

/// Relative residual norms to solve to.
constexpr std::array tolerances{1e-8, 1e-10};

/// Returns the rate of the solution, in unknowns per second.
double unknowns_per_second(Solution const& solution, Problem const& problem) {
  return static_cast<double>(problem.grid.point_count()) / solution.seconds;
}

/// Prints one row.
void print(Solution const& solution, Problem const& problem) {
  std::cout << fmt::format(
                   "{:<8} {:<9} {:>9.0e} {:>6} {:>11.2e} {:>11.3f} {:>9.3f} {:>7.2f} {:>9.3g} "
                   "{:>9.1f} {:>10.3g}",
                   name(solution.precision), solution.method, solution.tolerance, solution.cycles,
                   solution.relative, solution.seconds * 1e3,
                   unknowns_per_second(solution, problem) * 1e-9, solution.share_of_copy,
                   solution.estimate.solve_s * 1e3, solution.setup_s * 1e3,
                   solution.estimate.set_up_s * 1e3)
            << (solution.converged ? "" : "  not reached") << std::endl;
}

/// Returns one row as JSON.
///
/// Times are medians in milliseconds.
Json to_json(Solution const& solution, Problem const& problem) {
  return {{"method", solution.method},
          {"precision", name(solution.precision)},
          {"tolerance", solution.tolerance},
          {"converged", solution.converged},
          {"cycles", solution.cycles},
          {"relative_residual", solution.relative},
          {"ms", solution.seconds * 1e3},
          {"gdof_per_second", unknowns_per_second(solution, problem) * 1e-9},
          {"share_of_copy", solution.share_of_copy},
          {"setup_ms", solution.setup_s * 1e3},
          {"estimated_ms", solution.estimate.solve_s * 1e3},
          {"estimated_setup_ms", solution.estimate.set_up_s * 1e3}};
}

/// Returns the methods to measure. @throws InputError  if the problem cannot be solved directly,
/// but that is asked for
std::vector<std::string> methods_of(SolveBenchOptions const& bench, Problem const& problem) {
  std::string const obstacle = obstacle_to_method(problem);
  if (bench.method == "all") {
    if (!obstacle.empty()) return {"multigrid"};
    return {"multigrid", "direct"};
  }
  if (bench.method == "direct" && !obstacle.empty()) {
    throw InputError("--method direct does not solve this problem: " + obstacle);
  }
  return {bench.method};
}

/// Returns the method that a run chooses by default, as in "direct (estimated with set-up: direct
/// 9.6 ms, multigrid 24 ms)".
std::string default_in_words(Device const& device, Problem const& problem, RanksOnHosts const& by,
                             SolutionTimes const& times) {
  std::string const obstacle = obstacle_to_method(problem);
  if (!obstacle.empty()) return "multigrid (no direct solution: " + obstacle + ')';
  return fmt::format("{} (estimated with set-up: direct {:.3g} ms, multigrid {:.3g} ms)",
                     prefers_direct(problem, device.backend, by) ? "direct" : "multigrid",
                     times.direct.total_s() * 1e3, times.multigrid.total_s() * 1e3);
}

/// @throws InputError  on every rank, if the solver does not fit into memory
void require_memory(mpi::Communicator const& ranks, Device const& device, Problem const& problem,
                    Execution const& execution, std::string const& method_name) {
  MethodSettings const method = solution_settings(method_name, tolerances.front());
  SolverPlan const plan = plan_solver(ranks, problem, method, execution);
  if (fits_on_all(ranks, device, {solver_bytes(problem, method, plan), 0})) return;
  throw InputError(fmt::format("--grid {} in {} does not fit into memory",
                               format_extent(problem.grid.points, problem.grid.dimension),
                               name(problem.precision)));
}

/// Prints the heading of the table.
///
/// - cycles: multigrid cycles, or direct solutions, until the tolerance is reached, at most 50
/// - residual: final norm relative to the right-hand side
/// - ms, GDOF/s: time to solution, and 10⁹ unknowns per second
/// - of copy: minimum memory traffic of all cycles, relative to the copy rate
/// - setup ms: construction of the solver, which includes the hierarchy and allocations
/// - est. ms, est. setup: estimates of ms, to 1e-8, and of setup ms (solver/direct/time_model.hpp)
void print_heading(std::string const& devices, SolveBenchOptions const& solve, Extent3 grid) {
  std::cout << fmt::format(
      "{}\npoisson, {} boundaries, {} conductivity, {}{} points, from a zero field\n"
      "{:<8} {:<9} {:>9} {:>6} {:>11} {:>11} {:>9} {:>7} {:>9} {:>9} {:>10}\n",
      devices, name(solve.boundary), name(solve.conductivity), solve.graded ? "graded axes, " : "",
      format_grid(grid), "numbers", "method", "tolerance", "cycles", "residual", "ms", "GDOF/s",
      "of copy", "est. ms", "setup ms", "est. setup");
}

/// Builds the problem of each precision. @throws InputError  on every rank, if it has no unknown
/// point, a method cannot solve it, or the solver does not fit into memory
std::vector<Problem> problems_of(mpi::Communicator const& ranks, Device const& device,
                                 SolveBenchOptions const& bench, Extent3 grid) {
  std::vector<Problem> problems;
  for (Precision const precision : bench.precisions) {
    problems.push_back(unit_problem(grid, precision, Equation::laplace, bench.boundary, true));
    require_unknowns(problems.back());
    set_conductivity(problems.back(), bench.conductivity);
    if (bench.graded) grade_axes(problems.back());
    for (std::string const& method : methods_of(bench, problems.back())) {
      require_memory(ranks, device, problems.back(),
                     default_execution(ranks, device, problems.back().grid), method);
    }
  }
  return problems;
}

/// Solves a problem by each method to each tolerance. Appends the rows as JSON, and prints them on
/// the root. Collective.
void measure(mpi::Communicator const& ranks, Device const& device, Problem const& problem,
             BenchOptions const& options, SolveBenchOptions const& bench, Json& rows) {
  Execution const execution = default_execution(ranks, device, problem.grid);
  RanksOnHosts const by{ranks.size(), device.hosts};
  SolutionTimes const times = estimate_times(problem, device.backend, by);
  if (ranks.is_root() && bench.method == "all") {
    std::cout << fmt::format("{:<8} default: {}", name(problem.precision),
                             default_in_words(device, problem, by, times))
              << std::endl;
  }
  for (std::string const& method : methods_of(bench, problem)) {
    for (double const tolerance : tolerances) {
      Solution row = measure_solution(ranks, problem, execution,
                                      solution_settings(method, tolerance), options.batches.repeat);
      row.estimate = method == "direct" ? times.direct : times.multigrid;
      if (ranks.is_root()) print(row, problem);
      rows.push_back(to_json(row, problem));
    }
  }
}

}  // namespace

// All problems are checked before the first one is solved.
int bench_solve(mpi::Communicator const& ranks, BenchOptions const& options,
                SolveBenchOptions const& bench) {
  Device const device = choose_device(ranks, options.device);
  Extent3 const grid = cube_unless_given(device, {512, 128}, bench.grid);
  std::vector<Problem> const problems = problems_of(ranks, device, bench, grid);
  std::string const devices = bench_heading(ranks, device);
  if (ranks.is_root()) print_heading(devices, bench, grid);
  Json rows = Json::array();
  for (Problem const& problem : problems) measure(ranks, device, problem, options, bench, rows);
  Json const all{{"device", device.info.name},
                 {"ranks", ranks.size()},
                 {"boundary", name(bench.boundary)},
                 {"conductivity", name(bench.conductivity)},
                 {"graded", bench.graded},
                 {"points", extent_json(grid)},
                 {"rows", rows}};
  write_bench_file(ranks, options, all.dump(2) + "\n");
  return exit_code::done;
}

}  // namespace isotherm::app
