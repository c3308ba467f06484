#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/bench/bench.hpp"
#include "app/bench/measure/bench_timing.hpp"
#include "app/bench/measure/plan_explanation.hpp"
#include "app/bench/measure/plan_measurement.hpp"
#include "app/bench/measure/run_measurement.hpp"
#include "app/bench/studies/studies.hpp"
#include "case/basics/exit_code.hpp"
#include "case/basics/text/text.hpp"

namespace isotherm::app {

namespace {

using Json = nlohmann::ordered_json;

/// The result of one plan.
struct Row {
  Precision precision = Precision::float32;
  PlanMeasurement measured{};
  std::optional<PlanExplanation> explanation{};  ///< with --explain
};

/// Prints one row.
void print(Row const& row) {
  PlanMeasurement const& measurement = row.measured;
  std::cout << fmt::format("{:<8} {:<26} {:>5} {:>11.4f} {:>9.2f} {:>9.1f} {:>7.3f} {:>11.3g}",
                           name(row.precision), measurement.plan.name, steps_text(measurement.plan),
                           measurement.seconds * 1e3, measurement.points_per_second * 1e-9,
                           measurement.copy_bytes_per_second * 1e-9, measurement.ratio,
                           measurement.difference)
            << std::endl;
  if (!row.explanation) return;
  for (std::string const& line : lines_of(*row.explanation, measurement)) {
    std::cout << "         " << line << std::endl;
  }
}

/// Returns one row as JSON.
Json to_json(Row const& row) {
  PlanMeasurement const& measurement = row.measured;
  Json json{{"precision", name(row.precision)},
            {"plan", measurement.plan.name},
            {"iterations_per_pass", steps_json(measurement.plan)},
            {"ms_per_iteration", measurement.seconds * 1e3},
            {"gcells_per_second", measurement.points_per_second * 1e-9},
            {"copy_bytes_per_second", measurement.copy_bytes_per_second},
            {"ratio_to_copy_bound", measurement.ratio},
            {"largest_difference_from_plain", measurement.difference}};
  if (row.explanation) json["explanation"] = to_json(*row.explanation);
  return json;
}

/// Prints the heading of the table.
///
/// ms per step: time per iteration. GCell/s: 10⁹ points per second. copy GB/s: the rate of plain
/// copies. ratio: speed relative to a sweep that reads and writes each point once at that rate;
/// temporal blocking can exceed 1. difference: the largest one from the plain plan, which should be
/// 0.
void print_heading(std::string const& devices, SweepBenchOptions const& sweep, Extent3 grid) {
  std::cout << fmt::format(
      "{}\n{}{}, {} boundaries, {} conductivity, {}{} points\n"
      "{:<8} {:<26} {:>5} {:>11} {:>9} {:>9} {:>7} {:>11}\n",
      devices, name(sweep.equation), sweep.source ? " with a source" : "", name(sweep.boundary),
      name(sweep.conductivity), sweep.graded ? "graded axes, " : "", format_grid(grid), "numbers",
      "plan", "steps", "ms per step", "GCell/s", "copy GB/s", "ratio", "difference");
}

/// Returns the names of the plans to measure. "all" means each plan that the problem supports;
/// "auto" is resolved by the solver.
std::vector<std::string> plan_names(SweepBench const& bench, std::string const& wanted) {
  if (wanted != "all") {
    return {wanted};
  }
  std::vector<std::string> names;
  for (SweepPlan const& plan : bench.plans()) {
    names.push_back(plan.name);
  }
  return names;
}

/// Measures the plans of one problem and prints their rows as soon as they are known. Collective;
/// only the root prints.
std::vector<Row> measure(mpi::Communicator const& ranks, Device const& device,
                         Problem const& problem, Batches batches, SweepBenchOptions const& sweep,
                         bool explains) {
  SweepBench bench(ranks, device, problem, batches);
  std::vector<Row> rows;
  for (std::string const& plan : plan_names(bench, sweep.plan)) {
    Row row{problem.precision, bench.measure(plan)};
    if (explains) row.explanation = explain(bench, device, problem, row.measured);
    if (ranks.is_root()) {
      print(row);
    }
    rows.push_back(row);
  }
  return rows;
}

/// @throws InputError  on every rank, if the benchmark does not fit into memory
void require_memory(mpi::Communicator const& ranks, Device const& device, Problem const& problem) {
  if (SweepBench::fits(ranks, device, problem)) return;
  throw InputError(fmt::format("--grid {} in {} does not fit into memory",
                               format_extent(problem.grid.points, problem.grid.dimension),
                               name(problem.precision)));
}

/// Checks that a problem has the plan. @throws InputError  on every rank, if it has not
void require_plan(mpi::Communicator const& ranks, Device const& device, Problem const& problem,
                  std::string const& plan) {
  if (plan == "all") return;
  Execution execution = default_execution(ranks, device, problem.grid);
  execution.plan = plan;
  (void)sweep_plan_for(ranks, problem, execution);
}

// All problems are checked before the first one is measured, since a measurement may take minutes.
int run_bench(mpi::Communicator const& ranks, BenchOptions const& options,
              SweepBenchOptions const& sweep, bool explains) {
  Device const device = choose_device(ranks, options.device);
  Extent3 const grid = cube_unless_given(device, {512, 256}, sweep.grid);
  std::vector<Problem> problems;
  for (Precision const precision : sweep.precisions) {
    problems.push_back(unit_problem(grid, precision, sweep.equation, sweep.boundary, sweep.source));
    require_unknowns(problems.back());
    set_conductivity(problems.back(), sweep.conductivity);
    if (sweep.graded) grade_axes(problems.back());
    require_plan(ranks, device, problems.back(), sweep.plan);
    require_memory(ranks, device, problems.back());
  }
  if (ranks.is_root()) {
    print_heading(bench_heading(ranks, device), sweep, grid);
  }
  bool equal = true;  // all plans, in all precisions, agree with the plain plan bit by bit
  Json rows = Json::array();
  for (Problem const& problem : problems) {
    for (Row const& row : measure(ranks, device, problem, options.batches, sweep, explains)) {
      equal = equal && row.measured.equal;
      rows.push_back(to_json(row));
    }
  }
  Json const all{{"device", device.info.name},
                 {"ranks", ranks.size()},
                 {"equation", name(sweep.equation)},
                 {"boundary", name(sweep.boundary)},
                 {"conductivity", name(sweep.conductivity)},
                 {"source", sweep.source},
                 {"graded", sweep.graded},
                 {"points", extent_json(grid)},
                 {"rows", rows}};
  write_bench_file(ranks, options, all.dump(2) + "\n");
  return equal ? exit_code::done : exit_code::failed;
}

}  // namespace

int bench_sweep(mpi::Communicator const& ranks, BenchOptions const& options,
                SweepBenchOptions const& sweep) {
  return run_bench(ranks, options, sweep, false);
}

int explain_sweep(mpi::Communicator const& ranks, BenchOptions const& options,
                  SweepBenchOptions const& sweep) {
  require_one_rank(ranks, "bench sweep --explain");
  return run_bench(ranks, options, sweep, true);
}

}  // namespace isotherm::app
