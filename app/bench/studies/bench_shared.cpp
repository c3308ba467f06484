#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/bench/measure/bench_timing.hpp"
#include "app/bench/measure/run_measurement.hpp"
#include "app/bench/studies/block_shapes.hpp"
#include "app/bench/studies/studies.hpp"
#include "case/basics/exit_code.hpp"
#include "case/basics/text/text.hpp"
#include "kernels/core/error.hpp"

namespace isotherm::app {

namespace {

using Json = nlohmann::ordered_json;

/// The time of one plan.
struct Timing {
  std::string plan;
  double seconds = 0.0;  ///< of all steps
};

/// The fastest kernel of each kind for a grid and a number of steps.
struct Row {
  Precision precision = Precision::float32;
  Grid grid{};
  std::int64_t steps = 0;
  Timing global{};
  Timing shared{};
  Timing tile{};  ///< the program's own kernel with shared memory

  /// Returns the speed-up by shared memory.
  [[nodiscard]] double gain() const { return global.seconds / shared.seconds; }
  /// Returns the share of the time that it saves.
  [[nodiscard]] double saved() const { return 1.0 - shared.seconds / global.seconds; }
};

/// Returns the diffusion of a periodic square or cube of n points along each axis.
Problem problem_of(int dimension, std::int64_t n, Precision precision) {
  Extent3 const points{n, n, dimension == 3 ? n : 1};
  return unit_problem(points, precision, Equation::diffusion, BoundaryKind::periodic);
}

/// Returns the sizes asked for; by default grids that fit into caches, and grids that do not.
std::vector<std::int64_t> sizes_of(SharedBenchOptions const& options, int dimension) {
  if (!options.sizes.empty()) return options.sizes;
  if (dimension == 2) return {256, 512, 1024, 2048, 4096, 8192};
  return {64, 128, 256, 512};
}

/// Keeps the faster one of two timings.
void keep_faster(Timing& best, Timing const& other) {
  if (best.plan.empty() || other.seconds < best.seconds) best = other;
}

/// Measures the runs of one grid, with all numbers of steps, by one plan.
std::vector<Timing> time_plan(mpi::Communicator const& ranks, Problem const& problem,
                              Execution execution, std::string const& plan,
                              SharedBenchOptions const& options, int repeat) {
  execution.plan = plan;
  auto const solver = make_solver(ranks, problem, endless_method(problem), execution);
  solver->advance_to(std::min<std::int64_t>(options.steps.front(), 10));  // warms up
  std::vector<Timing> timings;
  for (std::int64_t const steps : options.steps) {
    timings.push_back({plan, time_iterations(*solver, steps, repeat)});
  }
  return timings;
}

/// Measures one grid: each kernel by all published block shapes, of which the fastest is kept.
std::vector<Row> measure(mpi::Communicator const& ranks, Problem const& problem,
                         Execution const& execution, SharedBenchOptions const& options,
                         int repeat) {
  std::vector<Row> rows;
  for (std::int64_t const steps : options.steps) {
    rows.push_back({problem.precision, problem.grid, steps});
  }
  auto const measure_plan = [&](std::string const& plan, Timing Row::*best) {
    auto const timings = time_plan(ranks, problem, execution, plan, options, repeat);
    for (std::size_t i = 0; i < rows.size(); ++i) keep_faster(rows[i].*best, timings[i]);
  };
  for (BlockShape const& shape : published_shapes(problem.grid.dimension == 3)) {
    measure_plan(plan_name("plain", shape), &Row::global);
    measure_plan(plan_name("shared", shape), &Row::shared);
  }
  measure_plan("tile", &Row::tile);
  return rows;
}

/// Prints the heading of the table.
///
/// global, shared: ms of all steps by the kernel with one thread a point, without and with shared
/// memory, each in its fastest block shape. saved: share of the time that shared memory saves.
/// tile: ms by the program's kernel with shared memory, which loads ahead.
void print_heading(std::string const& devices) {
  std::cout << devices << "\n"
            << fmt::format(
                   "diffusion, periodic boundaries\n{:<8} {:<18} {:>7} {:>11} {:<8} {:>11} "
                   "{:<8} {:>7} {:>7} {:>11}\n",
                   "numbers", "points", "steps", "global", "shape", "shared", "shape", "gain",
                   "saved", "tile");
}

/// Returns the shape in a plan's name.
std::string shape_in(std::string const& plan) { return plan.substr(plan.find(' ') + 1); }

/// Prints one row.
void print(Row const& row) {
  std::cout
      << fmt::format(
             "{:<8} {:<18} {:>7} {:>11.4f} {:<8} {:>11.4f} {:<8} {:>7.2f} {:>5.0f} % {:>11.4f}",
             name(row.precision), format_extent(row.grid.points, row.grid.dimension), row.steps,
             row.global.seconds * 1e3, shape_in(row.global.plan), row.shared.seconds * 1e3,
             shape_in(row.shared.plan), row.gain(), 100.0 * row.saved(), row.tile.seconds * 1e3)
      << std::endl;
}

/// Returns one row as JSON.
Json to_json(Row const& row) {
  return {{"precision", name(row.precision)},
          {"dimension", row.grid.dimension},
          {"points", extent_json(row.grid.points)},
          {"points_per_axis", row.grid.points.x},
          {"steps", row.steps},
          {"global_ms", row.global.seconds * 1e3},
          {"global_plan", row.global.plan},
          {"shared_ms", row.shared.seconds * 1e3},
          {"shared_plan", row.shared.plan},
          {"gain", row.gain()},
          {"saved", row.saved()},
          {"tile_ms", row.tile.seconds * 1e3}};
}

/// Returns all grids to measure. @throws InputError  if one does not fit into memory
std::vector<Problem> problems_of(mpi::Communicator const& ranks, Device const& device,
                                 Execution const& execution, SharedBenchOptions const& options) {
  std::vector<Problem> problems;
  for (int const dimension : options.dimensions) {
    for (Precision const precision : options.precisions) {
      for (std::int64_t const n : sizes_of(options, dimension)) {
        problems.push_back(problem_of(dimension, n, precision));
        if (solver_fits(ranks, device, problems.back(), execution, {SweepPlan{}}, 1)) continue;
        throw InputError(fmt::format("--sizes: {} points in {} do not fit into memory",
                                     format_extent(problems.back().grid.points, dimension),
                                     name(precision)));
      }
    }
  }
  return problems;
}

}  // namespace

int bench_shared(mpi::Communicator const& ranks, BenchOptions const& options,
                 SharedBenchOptions const& shared) {
  require_one_rank(ranks, "bench shared");
  Device const device = choose_device(ranks, options.device);
  if (device.backend == Backend::cpu) {
    throw InputError("bench shared compares kinds of memory of a GPU, but it runs on the CPU (" +
                     (device.reason.empty() ? "choose --device cuda" : device.reason) + ")");
  }
  Execution execution;
  execution.backend = device.backend;
  execution.device = device.number;
  std::vector<Problem> const problems = problems_of(ranks, device, execution, shared);
  print_heading(bench_heading(ranks, device));
  Json rows = Json::array();
  for (Problem const& problem : problems) {
    for (Row const& row : measure(ranks, problem, execution, shared, options.batches.repeat)) {
      print(row);
      rows.push_back(to_json(row));
    }
  }
  Json const all{{"device", device.info.name}, {"rows", rows}};
  write_bench_file(ranks, options, all.dump(2) + "\n");
  return exit_code::done;
}

}  // namespace isotherm::app
