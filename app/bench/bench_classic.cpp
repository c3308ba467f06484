#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/bench/bench.hpp"
#include "app/bench/measure/bench_timing.hpp"
#include "app/machine/copy_rate.hpp"
#include "case/basics/exit_code.hpp"

namespace isotherm {

namespace {

using Json = nlohmann::ordered_json;

/// A benchmark case with published times.
struct Classic {
  std::string title;
  Problem problem;
  std::int64_t iterations;
  /// Published time on a GPU, with its best block shape; 0: none.
  double published_ms;
  /// Further published times, as a text; may be empty.
  std::string others;
};

/// Laplace's equation, boundary 1, interior 0, float32, 20 Jacobi sweeps.
Classic laplace_classic(std::int64_t n, double published_ms, std::string const& others) {
  Classic classic{
      fmt::format("laplace-classic {0}^3", n),
      unit_problem({n, n, n}, Precision::float32, Equation::laplace, BoundaryKind::dirichlet), 20,
      published_ms, others};
  for (BoundaryCondition& face : classic.problem.boundary) {
    face.value = ScalarFunction(1.0);
  }
  return classic;
}

/// Diffusion of a hot square in a periodic plane, float64, 2000 steps.
Classic diffusion_classic(std::int64_t n) {
  Classic classic{
      fmt::format("diffusion-classic {}^2", n),
      unit_problem({n, n, 1}, Precision::float64, Equation::diffusion, BoundaryKind::periodic),
      2000, 0.0, ""};
  classic.problem.initial.boxes = {{{0.25, 0.25, 0.0}, {0.75, 0.75, 1.0}, 1.0}};
  return classic;
}

/// Returns the cases in their published sizes.
std::vector<Classic> published_classics() {
  return {laplace_classic(512, 134.8, ""),
          laplace_classic(1024, 897.7,
                          "897.7 ms with blocks of 32x2x4, one thread per point, and 1953.5 ms "
                          "with 16x16, one thread per column; 228977 ms on one CPU core"),
          diffusion_classic(960)};
}

/// Returns the cases on grids of `n` points per axis, without published times.
std::vector<Classic> small_classics(std::int64_t n) {
  return {laplace_classic(n, 0.0, ""), diffusion_classic(n)};
}

/// The result of one plan on one case.
struct Row {
  SweepPlan plan{};
  bool is_default = false;
  double seconds = 0.0;
  double bytes_per_second = 0.0;  ///< of one read and one write per point and iteration
  double share_of_copy = 0.0;
};

/// Measures the case with the plan in `execution`: the whole run as published, not single
/// iterations. Each repetition builds a new solver, because a run has a fixed number of iterations.
Row measure(mpi::Communicator const& ranks, Execution const& execution, Classic const& classic,
            int repeat) {
  MethodSettings method = endless_method(classic.problem);
  // The published runs use the longest stable step.
  if (classic.problem.equation == Equation::diffusion) method.time_step_s = method.longest_step_s;
  auto const make = [&] { return make_solver(ranks, classic.problem, method, execution); };
  Row row;
  row.seconds = time_run(ranks, classic.iterations, repeat, make);
  auto const solver = make();
  row.plan = solver->plan();
  row.bytes_per_second =
      bytes_per_iteration(classic.problem) * static_cast<double>(classic.iterations) / row.seconds;
  row.share_of_copy = row.bytes_per_second / copy_rate(ranks, classic.problem, *solver);
  return row;
}

/// Returns the plans to time: all of them, but on the CPU and a large grid, for which each takes
/// minutes, only the plain and the default plan.
std::vector<SweepPlan> plans_to_time(mpi::Communicator const& ranks, Classic const& classic,
                                     Execution const& execution, std::string const& default_plan) {
  constexpr std::int64_t large = 500'000'000;
  std::vector<SweepPlan> plans = possible_plans(ranks, classic.problem, execution);
  if (execution.backend == Backend::cpu && classic.problem.grid.point_count() > large) {
    std::string const plain = plans.front().name;
    std::erase_if(plans, [&](SweepPlan const& plan) {
      return plan.name != plain && plan.name != default_plan;
    });
  }
  return plans;
}

/// Returns the shape of a plan's thread blocks. If the plan does not state it, it is the part of
/// its name after the steps: "temporal-3d t4 12x3" has "12x3".
std::string shape_of(SweepPlan const& plan) {
  if (!plan.shape.empty()) {
    return plan.shape;
  }
  std::size_t const steps = plan.name.find(" t");
  std::size_t const shape = steps == std::string::npos ? steps : plan.name.find(' ', steps + 1);
  return shape == std::string::npos ? "—" : plan.name.substr(shape + 1);
}

/// Prints the heading of the table.
///
/// - shape: of a plan's thread blocks
/// - ms: the whole run, from the first iteration to the last
/// - GB/s: one read and one write per point and iteration, relative to that time
/// - of copy: this rate relative to that of plain copies; temporal blocking can exceed 100 %
void print_heading(std::string const& devices) {
  std::cout << devices << "\n"
            << fmt::format("{:<24} {:<26} {:<12} {:>11} {:>10} {:>8}  {}\n", "case",
                           "plan (* default)", "shape", "ms", "GB/s", "of copy", "published");
}

/// Prints one row.
void print(Classic const& classic, Row const& row) {
  std::string const published =
      classic.published_ms > 0.0
          ? fmt::format("{:.1f} ms on a GPU with 300 GB/s", classic.published_ms)
          : "";
  std::cout << fmt::format("{:<24} {:<26} {:<12} {:>11.3f} {:>10.1f} {:>6.0f} %  {}\n",
                           classic.title, row.plan.name + (row.is_default ? " *" : ""),
                           shape_of(row.plan), row.seconds * 1e3, row.bytes_per_second * 1e-9,
                           100.0 * row.share_of_copy, published)
            << std::flush;
}

/// Returns one row as JSON.
///
/// `shape` is null if the plan has no blocks, `published_ms` if there is no published time.
/// `bytes_per_second` counts one read and one write per point and iteration.
Json to_json(Classic const& classic, Row const& row) {
  std::string const shape = shape_of(row.plan);
  return {{"case", classic.title},
          {"iterations", classic.iterations},
          {"plan", row.plan.name},
          {"is_default", row.is_default},
          {"shape", shape == "—" ? Json() : Json(shape)},
          {"ms", row.seconds * 1e3},
          {"bytes_per_second", row.bytes_per_second},
          {"share_of_copy", row.share_of_copy},
          {"published_ms", classic.published_ms > 0.0 ? Json(classic.published_ms) : Json()}};
}

/// Measures all plans of one case and prints their rows as soon as they are known. A run of the
/// default plan is marked with an asterisk in the table.
std::vector<Row> time_plans(mpi::Communicator const& ranks, Classic const& classic,
                            Execution execution, int repeat) {
  std::string const default_plan = sweep_plan_for(ranks, classic.problem, execution).name;
  std::vector<Row> rows;
  for (SweepPlan const& plan : plans_to_time(ranks, classic, execution, default_plan)) {
    execution.plan = plan.name;
    Row row = measure(ranks, execution, classic, repeat);
    row.is_default = plan.name == default_plan;
    if (ranks.is_root()) {
      print(classic, row);
    }
    rows.push_back(row);
  }
  if (ranks.is_root() && !classic.others.empty()) {
    std::cout << "  published: " << classic.others << "\n";
  }
  return rows;
}

}  // namespace

// Each case is skipped individually if it does not fit. All ranks agree on that, because
// solver_fits() is collective.
int bench_classic(mpi::Communicator const& ranks, BenchOptions const& options,
                  ClassicBenchOptions const& classics) {
  Device const device = choose_device(ranks, options.device);
  if (ranks.is_root()) {
    print_heading(bench_heading(ranks, device));
  }
  Json rows = Json::array();
  bool const small = classics.points > 0;
  for (Classic const& classic : small ? small_classics(classics.points) : published_classics()) {
    Execution const execution = default_execution(ranks, device, classic.problem.grid);
    if (!solver_fits(ranks, device, classic.problem, execution,
                     possible_plans(ranks, classic.problem, execution), 0)) {
      if (ranks.is_root()) {
        std::cout << classic.title << ": skipped, it does not fit into memory\n";
      }
      continue;
    }
    for (Row const& row : time_plans(ranks, classic, execution, options.repeat)) {
      rows.push_back(to_json(classic, row));
    }
  }
  Json const all{{"device", device.info.name}, {"ranks", ranks.size()}, {"rows", rows}};
  write_bench_file(ranks, options, all.dump(2) + "\n");
  return exit_code::done;
}

}  // namespace isotherm
