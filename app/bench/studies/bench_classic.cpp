#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/bench/measure/bench_timing.hpp"
#include "app/bench/measure/run_measurement.hpp"
#include "app/bench/studies/block_shapes.hpp"
#include "app/bench/studies/classic_cases.hpp"
#include "app/bench/studies/studies.hpp"
#include "app/machine/copy_rate.hpp"
#include "case/basics/elapsed.hpp"
#include "case/basics/exit_code.hpp"
#include "case/basics/text/text.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/peak_rate.hpp"

namespace isotherm::app {

namespace {

using Json = nlohmann::ordered_json;

/// Returns the plans with a block shape that a case is run by.
std::vector<std::string> plans_with_shapes(ClassicCase const& classic, Backend backend,
                                           std::vector<BlockShape> const& wanted) {
  std::vector<std::string> names;
  bool const in_3d = classic.problem.grid.dimension == 3;
  for (std::string const& kernel : shaped_kernels(backend)) {
    auto const shapes = !wanted.empty() ? wanted : published_shapes(in_3d && kernel != "march");
    for (BlockShape const& shape : shapes) {
      if (!in_3d && shape.z > 1) continue;
      names.push_back(plan_name(kernel, shape));
    }
  }
  return names;
}

/// The field and the times of the CPU.
struct CpuRun {
  HostValues initial;
  HostValues field;
  double one_core_s = 0.0;
  double all_cores_s = 0.0;
};

/// Returns the settings of a case.
MethodSettings settings_of(ClassicCase const& classic) {
  MethodSettings method = endless_method(classic.problem);
  // The published runs take the longest stable step.
  if (classic.problem.equation == Equation::diffusion) method.time_step_s = method.longest_step_s;
  return method;
}

/// Returns the seconds of a case on this number of threads, by plain sweeps.
double cpu_seconds(Solver& solver, std::int64_t iterations, int threads) {
  set_cpu_threads(threads);
  solver.wait();
  Elapsed const elapsed;
  solver.advance_to(iterations);
  solver.wait();
  return elapsed.seconds();
}

/// Runs the case on the CPU, on one core and on all, once each.
CpuRun run_on_cpu(mpi::Communicator const& ranks, ClassicCase const& classic) {
  int const threads = cpu_threads();
  Execution execution;
  execution.plan = "plain";
  auto const solver = make_solver(ranks, classic.problem, settings_of(classic), execution);
  auto const points = static_cast<std::size_t>(classic.problem.grid.point_count());
  CpuRun run;
  run.initial = HostValues(classic.problem.precision, points);
  run.field = HostValues(classic.problem.precision, points);
  solver->read_field(run.initial.view());
  run.all_cores_s = cpu_seconds(*solver, classic.iterations, threads);
  solver->set_initial(std::as_const(run.initial).view());
  run.one_core_s = cpu_seconds(*solver, classic.iterations, 1);
  set_cpu_threads(threads);
  solver->read_field(run.field.view());
  return run;
}

/// The result of one plan on one case.
struct Row {
  SweepPlan plan{};
  bool is_default = false;
  RunTimes times{};
  Differences from_one_core{};
  double two_values_per_s = 0.0;    ///< bytes: one read and one write a point and iteration
  double all_operands_per_s = 0.0;  ///< bytes: every operand of the stencil read, one written
};

/// A case with everything that its rows are compared with.
struct Study {
  ClassicCase const* classic;
  CpuRun cpu;
  double copy_bytes_per_s = 0.0;
  double peak_bytes_per_s = 0.0;  ///< 0: unknown
};

/// Runs a case by one plan.
Row measure(mpi::Communicator const& ranks, Study const& study, Execution const& execution,
            int repeat) {
  ClassicCase const& classic = *study.classic;
  auto const solver = make_solver(ranks, classic.problem, settings_of(classic), execution);
  auto const points = static_cast<std::size_t>(classic.problem.grid.point_count());
  HostValues field(classic.problem.precision, points);
  Row row;
  row.plan = solver->plan();
  row.times = measure_run(*solver, study.cpu.initial, field, classic.iterations, repeat);
  row.from_one_core = differences(field, study.cpu.field);
  double const values = static_cast<double>(points) * static_cast<double>(classic.iterations) *
                        static_cast<double>(value_bytes(classic.problem.precision));
  double const operands = classic.problem.grid.dimension == 3 ? 7.0 : 5.0;
  row.two_values_per_s = 2.0 * values / row.times.iterations_s;
  row.all_operands_per_s = (operands + 1.0) * values / row.times.iterations_s;
  return row;
}

/// Returns a number with the given digits, or "-".
std::string cell(std::optional<double> value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

/// Returns the ratio to the peak rate, if that is known.
std::optional<double> share_of_peak(Study const& study, Row const& row) {
  if (study.peak_bytes_per_s <= 0.0) return std::nullopt;
  return row.two_values_per_s / study.peak_bytes_per_s;
}

/// Prints the heading of a case.
///
/// in, out: copies of the field to the device and back, in ms. ms: all iterations. launches:
/// kernels that they start. x 1, x all: as fast as one core and as all cores of the CPU. largest,
/// rms: differences from the field of one core. GB/s: one read and one write per point and
/// iteration. operands: every operand of the stencil read and one value written. copy, sheet: GB/s
/// relative to a copy and to the data sheet. published: ms on a GPU with 300 GB/s.
void print_heading(Study const& study) {
  ClassicCase const& classic = *study.classic;
  Grid const& grid = classic.problem.grid;
  std::cout << fmt::format(
      "\n{}: {} points, {}, {} iterations\n"
      "CPU, plain sweeps: {:.1f} ms on one core, {:.1f} ms on {}{}\n"
      "copies: {:.0f} GB/s{}\n"
      "{:<24} {:>8} {:>10} {:>8} {:>8} {:>8} {:>7} {:>8} {:>8} {:>7} {:>8} {:>6} {:>6} {:>9}\n",
      classic.name, format_extent(grid.points, grid.dimension), name(classic.problem.precision),
      classic.iterations, study.cpu.one_core_s * 1e3, study.cpu.all_cores_s * 1e3,
      format_count(cpu_threads(), "core"),
      classic.published_core_ms
          ? fmt::format("; published: {:.0f} ms on one core", *classic.published_core_ms)
          : "",
      study.copy_bytes_per_s * 1e-9,
      study.peak_bytes_per_s > 0.0
          ? fmt::format(", data sheet: {:.0f} GB/s", study.peak_bytes_per_s * 1e-9)
          : "",
      "plan (* default)", "in", "ms", "out", "launches", "x 1", "x all", "largest", "rms", "GB/s",
      "operands", "copy", "sheet", "published");
}

/// Prints one row.
void print(Study const& study, Row const& row) {
  std::optional<double> const sheet = share_of_peak(study, row);
  std::cout << fmt::format(
                   "{:<24} {:>8.2f} {:>10.3f} {:>8.2f} {:>8} {:>8.1f} {:>7.2f} {:>8.2g} {:>8.2g} "
                   "{:>7.0f} {:>8.0f} {:>6.2f} {:>6} {:>9}",
                   row.plan.name + (row.is_default ? " *" : ""), row.times.copy_in_s * 1e3,
                   row.times.iterations_s * 1e3, row.times.copy_out_s * 1e3,
                   row.times.launches > 0 ? std::to_string(row.times.launches) : "-",
                   study.cpu.one_core_s / row.times.iterations_s,
                   study.cpu.all_cores_s / row.times.iterations_s, row.from_one_core.largest,
                   row.from_one_core.rms, row.two_values_per_s * 1e-9,
                   row.all_operands_per_s * 1e-9, row.two_values_per_s / study.copy_bytes_per_s,
                   cell(sheet, 2), cell(study.classic->published_ms(row.plan.name), 1))
            << std::endl;
}

/// Returns a number as JSON, null if there is none.
Json json_of(std::optional<double> value) { return value ? Json(*value) : Json(); }

/// Returns one row as JSON. Bandwidths are in bytes per second.
Json to_json(Study const& study, Row const& row) {
  ClassicCase const& classic = *study.classic;
  return {{"case", classic.name},
          {"points", extent_json(classic.problem.grid.points)},
          {"precision", name(classic.problem.precision)},
          {"iterations", classic.iterations},
          {"plan", row.plan.name},
          {"is_default", row.is_default},
          {"shape", row.plan.shape.empty() ? Json() : Json(row.plan.shape)},
          {"copy_in_ms", row.times.copy_in_s * 1e3},
          {"kernel_ms", row.times.iterations_s * 1e3},
          {"copy_out_ms", row.times.copy_out_s * 1e3},
          {"launches", row.times.launches > 0 ? Json(row.times.launches) : Json()},
          {"one_core_ms", study.cpu.one_core_s * 1e3},
          {"all_cores_ms", study.cpu.all_cores_s * 1e3},
          {"speed_up_one_core", study.cpu.one_core_s / row.times.iterations_s},
          {"speed_up_all_cores", study.cpu.all_cores_s / row.times.iterations_s},
          {"largest_difference", row.from_one_core.largest},
          {"rms_difference", row.from_one_core.rms},
          {"bytes_per_second", row.two_values_per_s},
          {"operand_bytes_per_second", row.all_operands_per_s},
          {"share_of_copy", row.two_values_per_s / study.copy_bytes_per_s},
          {"share_of_data_sheet", json_of(share_of_peak(study, row))},
          {"published_ms", json_of(classic.published_ms(row.plan.name))}};
}

/// Returns the names of all plans of a case: with block shapes first, then those of the program.
std::vector<std::string> plans_to_run(mpi::Communicator const& ranks, ClassicCase const& classic,
                                      Execution const& execution,
                                      std::vector<BlockShape> const& shapes) {
  std::vector<std::string> names = plans_with_shapes(classic, execution.backend, shapes);
  for (SweepPlan const& plan : possible_plans(ranks, classic.problem, execution)) {
    names.push_back(plan.name);
  }
  return names;
}

/// Checks every plan before the first measurement. @throws InputError  if one cannot be used
void check(mpi::Communicator const& ranks, ClassicCase const& classic, Execution execution,
           std::vector<std::string> const& plans) {
  for (std::string const& plan : plans) {
    execution.plan = plan;
    (void)sweep_plan_for(ranks, classic.problem, execution);
  }
}

/// Runs a case by all its plans, and prints their rows as soon as they are known.
Json run_case(mpi::Communicator const& ranks, Device const& device, Execution execution,
              ClassicCase const& classic, std::vector<std::string> const& plans, int repeat) {
  std::string const default_plan = sweep_plan_for(ranks, classic.problem, execution).name;
  Study study{&classic, run_on_cpu(ranks, classic)};
  {
    Queue queue(device.backend, device.number);
    std::size_t const bytes = study.cpu.field.bytes().size();
    study.copy_bytes_per_s = copy_rate(ranks, queue, bytes);
    study.peak_bytes_per_s = peak_memory_rate(device.backend, device.number);
  }
  print_heading(study);
  Json rows = Json::array();
  for (std::string const& plan : plans) {
    execution.plan = plan;
    Row row = measure(ranks, study, execution, repeat);
    row.is_default = plan == default_plan;
    print(study, row);
    rows.push_back(to_json(study, row));
  }
  return rows;
}

/// Returns the cases to run. @throws InputError  if one is unknown
std::vector<ClassicCase> cases_of(ClassicBenchOptions const& options) {
  std::vector<ClassicCase> cases;
  for (std::string const& name : options.cases) {
    ClassicCase found = classic_case(name, options.points);
    // Both cubes become the same case if they have the same number of points.
    bool const is_new = std::ranges::find(cases, found.name, &ClassicCase::name) == cases.end();
    if (is_new) cases.push_back(std::move(found));
  }
  return cases;
}

}  // namespace

// A case that does not fit into memory is left out: the published sizes need up to 16 GiB.
int bench_classic(mpi::Communicator const& ranks, BenchOptions const& options,
                  ClassicBenchOptions const& classic) {
  require_one_rank(ranks, "bench classic");
  Device const device = choose_device(ranks, options.device);
  check_shapes(device.backend, classic.shapes);
  Execution execution;
  execution.backend = device.backend;
  execution.device = device.number;
  std::vector<ClassicCase> const cases = cases_of(classic);
  std::vector<std::vector<std::string>> plans;
  for (ClassicCase const& one : cases) {
    plans.push_back(plans_to_run(ranks, one, execution, classic.shapes));
    check(ranks, one, execution, plans.back());
  }
  std::cout << bench_heading(ranks, device) << "\n";
  Json rows = Json::array();
  constexpr int host_fields = 6;  // three of this study, and those of the solver on the CPU
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!solver_fits(ranks, device, cases[i].problem, execution,
                     possible_plans(ranks, cases[i].problem, execution), host_fields)) {
      std::cout << "\n" << cases[i].name << ": left out, it does not fit into memory\n";
      continue;
    }
    for (Json const& row :
         run_case(ranks, device, execution, cases[i], plans[i], options.batches.repeat)) {
      rows.push_back(row);
    }
  }
  if (rows.empty()) throw InputError("bench classic: no case fits into memory (use --points)");
  Json const all{{"device", device.info.name}, {"cores", cpu_threads()}, {"rows", rows}};
  write_bench_file(ranks, options, all.dump(2) + "\n");
  return exit_code::done;
}

}  // namespace isotherm::app
