#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

#include "jobs/bench.hpp"
#include "jobs/bench_timing.hpp"
#include "jobs/exit_code.hpp"
#include "jobs/text.hpp"
#include "jobs/with_precision.hpp"

namespace isotherm {

namespace {

using Json = nlohmann::ordered_json;

struct Row {
  std::string plan;
  int steps = 1;
  double seconds = 0.0;  ///< an iteration
  double points_per_second = 0.0;
  double copy_bytes_per_second = 0.0;
  double ratio = 0.0;       ///< to a sweep that is bound by the copy rate
  double difference = 0.0;  ///< largest, from the plain plan
};

/// Times the plans of one precision on one problem.
template <class Real>
class SweepBench {
 public:
  SweepBench(mpi::Communicator const& ranks, Device const& device, Problem problem, int repeat)
      : ranks_(ranks), problem_(std::move(problem)), repeat_(repeat) {
    execution_.backend = device.backend;
    execution_.device = device.number;
    execution_.parts = choose_decomposition(problem_.grid, ranks.size());
    plans_ = sweep_plans(device.backend, problem_.grid.dimension, sizeof(Real));
    for (SweepPlan const& plan : plans_) {
      common_steps_ = std::max<std::int64_t>(common_steps_, 2 * plan.steps + 1);
    }
    reference_ = field_after(plans_.front().name);
  }

  [[nodiscard]] std::vector<std::string> plan_names(std::string const& wanted) const {
    if (wanted != "all") {
      return {wanted};
    }
    std::vector<std::string> names;
    for (SweepPlan const& plan : plans_) {
      names.push_back(plan.name);
    }
    return names;
  }

  Row measure(std::string const& plan) {
    auto const solver = make(plan);
    Row row;
    row.plan = solver->plan().name;
    row.steps = solver->plan().steps;
    row.difference = difference_after(*solver);
    row.seconds = time_iteration(ranks_, *solver, repeat_);
    row.points_per_second = static_cast<double>(problem_.grid.point_count()) / row.seconds;
    row.copy_bytes_per_second = copy_rate(ranks_, problem_, *solver);
    row.ratio = bytes_per_iteration(problem_) / row.seconds / row.copy_bytes_per_second;
    return row;
  }

 private:
  std::unique_ptr<Solver> make(std::string const& plan) {
    execution_.plan = plan;
    auto solver = make_solver(ranks_, problem_, endless_method(problem_), execution_);
    solver->set_initial(random_field<Real>(solver->subdomain()).data());
    return solver;
  }

  /// The field after more than two passes of the longest plan, and a pass cut short.
  std::vector<Real> field_after(std::string const& plan) {
    auto const solver = make(plan);
    return advanced(*solver);
  }
  std::vector<Real> advanced(Solver& solver) {
    solver.advance_to(common_steps_);
    std::vector<Real> field(static_cast<std::size_t>(solver.subdomain().owned().point_count()));
    solver.read_field(field.data());
    return field;
  }
  double difference_after(Solver& solver) {
    std::vector<Real> const field = advanced(solver);
    double largest = 0.0;
    for (std::size_t i = 0; i < field.size(); ++i) {
      double const difference = std::abs(static_cast<double>(field[i]) - reference_[i]);
      largest = difference <= largest ? largest : difference;  // keeps what is not a number
    }
    return ranks_.max(largest);
  }

  mpi::Communicator const& ranks_;
  Problem problem_;
  int repeat_;
  Execution execution_;
  std::vector<SweepPlan> plans_;
  std::int64_t common_steps_ = 1;
  std::vector<Real> reference_;
};

void print(Row const& row, Precision precision) {
  std::cout << fmt::format("{:<8} {:<26} {:>5} {:>11.4f} {:>9.2f} {:>9.1f} {:>7.3f} {:>11.3g}\n",
                           name(precision), row.plan, row.steps, row.seconds * 1e3,
                           row.points_per_second * 1e-9, row.copy_bytes_per_second * 1e-9,
                           row.ratio, row.difference)
            << std::flush;
}

Json to_json(Row const& row, Precision precision) {
  return {{"precision", name(precision)},
          {"plan", row.plan},
          {"iterations_per_pass", row.steps},
          {"ms_per_iteration", row.seconds * 1e3},
          {"gcells_per_second", row.points_per_second * 1e-9},
          {"copy_bytes_per_second", row.copy_bytes_per_second},
          {"ratio_to_copy_bound", row.ratio},
          {"largest_difference_from_plain", row.difference}};
}

Extent3 default_grid(Device const& device) {
  std::int64_t const n = device.backend == Backend::cuda ? 512 : 256;
  return {n, n, n};
}

void print_heading(std::string const& devices, SweepBenchOptions const& sweep, Extent3 grid) {
  std::cout << fmt::format(
      "{}\n{}, {} boundaries, {} points\n"
      "{:<8} {:<26} {:>5} {:>11} {:>9} {:>9} {:>7} {:>11}\n",
      devices, name(sweep.equation), name(sweep.boundary), format_extent(grid, grid.z == 1 ? 2 : 3),
      "numbers", "plan", "steps", "ms a step", "GCell/s", "copy GB/s", "ratio", "difference");
}

}  // namespace

int bench_sweep(mpi::Communicator const& ranks, BenchOptions const& options,
                SweepBenchOptions const& sweep) {
  Device const device = choose_device(ranks, options.device);
  Extent3 const grid = sweep.grid.x > 0 ? sweep.grid : default_grid(device);
  if (ranks.is_root()) {
    print_heading(bench_heading(ranks, device), sweep, grid);
  }
  bool equal = true;
  Json rows = Json::array();
  for (Precision const precision : sweep.precisions) {
    with_precision(precision, [&]<class Real>(Real) {
      SweepBench<Real> bench(ranks, device,
                             unit_problem(grid, precision, sweep.equation, sweep.boundary),
                             options.repeat);
      for (std::string const& plan : bench.plan_names(sweep.plan)) {
        Row const row = bench.measure(plan);
        equal = equal && row.difference == 0.0;
        rows.push_back(to_json(row, precision));
        if (ranks.is_root()) {
          print(row, precision);
        }
      }
    });
  }
  Json const all{{"device", device.info.name},         {"ranks", ranks.size()},
                 {"equation", name(sweep.equation)},   {"boundary", name(sweep.boundary)},
                 {"points", {grid.x, grid.y, grid.z}}, {"rows", rows}};
  write_bench_file(ranks, options, all.dump(2) + "\n");
  return equal ? exit_code::done : exit_code::failed;
}

}  // namespace isotherm
