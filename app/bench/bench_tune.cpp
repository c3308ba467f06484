#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/bench/bench.hpp"
#include "app/bench/measure/bench_timing.hpp"
#include "app/bench/measure/plan_measurement.hpp"
#include "app/bench/studies/block_shapes.hpp"
#include "app/machine/plan_file.hpp"
#include "app/machine/tuned_plans.hpp"
#include "case/basics/exit_code.hpp"
#include "case/basics/text/text.hpp"
#include "case/basics/version.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "io/files/atomic_file.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/precision.hpp"

namespace isotherm::app {

namespace {

using Json = nlohmann::ordered_json;

/// Relative difference of rates below which two plans are regarded as equally fast.
constexpr double noise = 0.02;

/// The properties of a sweep that plans depend on, apart from its grid.
struct SweepKind {
  int dimension;
  Precision precision;
  bool fixed;   ///< Dirichlet faces, else periodic axes
  bool source;  ///< has a source term
};

/// Returns all combinations of dimension, precision, boundary condition and source.
std::vector<SweepKind> sweep_kinds(TuneOptions const& tune) {
  std::vector<SweepKind> all;
  for (int const dimension : tune.dimensions) {
    for (Precision const precision : tune.precisions) {
      for (bool const fixed : {true, false}) {
        for (bool const source : {false, true}) {
          all.push_back({dimension, precision, fixed, source});
        }
      }
    }
  }
  return all;
}

/// Returns the problem to measure: Jacobi sweeps with Dirichlet faces, or FTCS steps in a periodic
/// box.
Problem problem_of(SweepKind const& kind, Extent3 grid) {
  return kind.fixed ? unit_problem(grid, kind.precision, Equation::laplace, BoundaryKind::dirichlet,
                                   kind.source)
                    : unit_problem(grid, kind.precision, Equation::diffusion,
                                   BoundaryKind::periodic, kind.source);
}

/// Returns the row of the plan table that a sweep of this kind matches, without bounds on the grid.
PlanRow row_of(SweepKind const& kind, Device const& device) {
  PlanRow row;
  row.backend = device.backend;
  row.device = device.info.name;
  row.dimension = kind.dimension;
  row.precision = kind.precision;
  row.fixed = kind.fixed;
  row.source = kind.source;
  return row;
}

/// Returns the number of points of the smallest subdomain, the same on every rank. Plan tables
/// choose by this number; see SweepSubject::extent.
std::int64_t points_of_smallest_rank(mpi::Communicator const& ranks, Device const& device,
                                     Grid const& grid) {
  Subdomain const mine(grid, choose_parts(grid, ranks, device), ranks.rank());
  return mine.smallest_extent(0) * mine.smallest_extent(1) * mine.smallest_extent(2);
}

/// The measurements of all plans on one grid, the plain plan first.
struct GridMeasurements {
  SweepKind kind;
  Extent3 grid;
  std::vector<PlanMeasurement> plans;
  std::string default_plan;

  /// Returns the measurement of the default plan.
  [[nodiscard]] PlanMeasurement const& default_measurement() const {
    auto const found = std::ranges::find(plans, default_plan,
                                         [](PlanMeasurement const& one) { return one.plan.name; });
    return found == plans.end() ? plans.front() : *found;
  }
  /// Returns the measurement of the fastest correct plan; that of the default plan unless another
  /// one is faster by more than the noise.
  ///
  /// An incorrect plan has rate 0 and can only be chosen if all are incorrect.
  [[nodiscard]] PlanMeasurement const& best() const {
    auto const rate = [](PlanMeasurement const& one) {
      return one.equal ? one.points_per_second : 0.0;
    };
    PlanMeasurement const& fastest = *std::ranges::max_element(plans, {}, rate);
    return rate(default_measurement()) * (1.0 + noise) >= rate(fastest) ? default_measurement()
                                                                        : fastest;
  }
  /// Returns the speed-up of the best plan over the default.
  [[nodiscard]] double gain() const {
    return best().points_per_second / default_measurement().points_per_second;
  }
};

/// Returns the names of all plans to measure: those of the program, and kernels with the block
/// shapes that the device and the grid allow.
std::vector<std::string> plans_to_measure(SweepBench const& bench, Device const& device,
                                          SweepKind const& kind,
                                          std::vector<BlockShape> const& shapes) {
  std::vector<std::string> names;
  for (SweepPlan const& plan : bench.plans()) names.push_back(plan.name);
  if (kind.source) return names;  // shaped plans then run the plain kernel
  for (std::string const& kernel : shaped_kernels(device.backend)) {
    for (BlockShape const& shape : shapes) {
      std::string const name = plan_name(kernel, shape);
      try {
        if (shaped_plan(device.backend, kind.dimension, kind.precision, name)) {
          names.push_back(name);
        }
      } catch (InputError const&) {
        continue;  // a shape of the other dimension, or too large for shared memory
      }
    }
  }
  return names;
}

/// Measures all plans on one grid. SweepBench compares each plan with the plain one, so incorrect
/// plans are known. Collective.
GridMeasurements measure(mpi::Communicator const& ranks, Device const& device,
                         SweepKind const& kind, Extent3 grid, Batches batches,
                         std::vector<BlockShape> const& shapes) {
  SweepBench bench(ranks, device, problem_of(kind, grid), batches);
  GridMeasurements subject{kind, grid, {}, bench.default_plan().name};
  for (std::string const& plan : plans_to_measure(bench, device, kind, shapes)) {
    subject.plans.push_back(bench.measure(plan));
  }
  return subject;
}

/// Formats the columns that describe a sweep.
std::string describe(SweepKind const& kind, Extent3 grid) {
  return fmt::format("{:<8} {:<8} {:<6} {:>18}", name(kind.precision),
                     kind.fixed ? "fixed" : "periodic", kind.source ? "yes" : "no",
                     format_extent(grid, kind.dimension));
}

/// Prints the heading of the table.
///
/// - faces: fixed (Dirichlet) or periodic; source: whether there is one
/// - best plan, steps: the fastest correct plan, and its steps per pass
/// - GCell/s, ratio: its rate, and its speed relative to a sweep limited by the copy rate
/// - default plan, gain: the present default, and the speed-up over it
void print_heading(std::string const& devices) {
  std::cout << fmt::format("{}\n{:<8} {:<8} {:<6} {:>18}  {:<26} {:>5} {:>9} {:>7}  {:<26} {:>7}\n",
                           devices, "numbers", "faces", "source", "points", "best plan", "steps",
                           "GCell/s", "ratio", "default plan", "gain");
}

/// Prints one row, and lines about incorrect plans.
void print(GridMeasurements const& subject) {
  PlanMeasurement const& best = subject.best();
  std::cout << fmt::format("{}  {:<26} {:>5} {:>9.2f} {:>7.3f}  {:<26} {:>7.2f}\n",
                           describe(subject.kind, subject.grid), best.plan.name,
                           steps_text(best.plan), best.points_per_second * 1e-9, best.ratio,
                           subject.default_measurement().plan.name, subject.gain());
  for (PlanMeasurement const& one : subject.plans) {
    if (!one.equal) {
      std::cout << fmt::format(
          "  {} is rejected: its field differs from the plain plan's by {:.3g}\n", one.plan.name,
          one.difference);
    }
  }
  std::cout << std::flush;
}

/// Measures all plans on one grid and prints the result; none if the grid does not fit into memory.
/// Collective; only the root prints.
std::optional<GridMeasurements> measure_if_it_fits(mpi::Communicator const& ranks,
                                                   Device const& device, SweepKind const& kind,
                                                   Extent3 grid, Batches batches,
                                                   std::vector<BlockShape> const& shapes) {
  if (!SweepBench::fits(ranks, device, problem_of(kind, grid))) {
    if (ranks.is_root()) {
      std::cout << describe(kind, grid) << "  skipped, it does not fit into memory\n";
    }
    return std::nullopt;
  }
  GridMeasurements subject = measure(ranks, device, kind, grid, batches, shapes);
  if (ranks.is_root()) print(subject);
  return subject;
}

/// Returns one plan's measurement as JSON.
Json to_json(PlanMeasurement const& one) {
  return {{"plan", one.plan.name},
          {"iterations_per_pass", steps_json(one.plan)},
          {"gcells_per_second", one.points_per_second * 1e-9},
          {"ratio_to_copy_bound", one.ratio},
          {"equal_to_plain", one.equal}};
}

/// Returns the measurements on one grid as JSON.
///
/// `plans` has the measurements of all plans, including incorrect ones. `ratio_to_default` is the
/// speed-up of the best plan.
Json to_json(GridMeasurements const& subject) {
  Json plans = Json::array();
  for (PlanMeasurement const& one : subject.plans) {
    plans.push_back(to_json(one));
  }
  return {{"dimension", subject.kind.dimension},
          {"precision", name(subject.kind.precision)},
          {"fixed", subject.kind.fixed},
          {"source", subject.kind.source},
          {"points", extent_json(subject.grid)},
          {"best_plan", subject.best().plan.name},
          {"default_plan", subject.default_measurement().plan.name},
          {"ratio_to_default", subject.gain()},
          {"plans", plans}};
}

/// Returns the plan table as TOML, with its origin in comments.
std::string table_text(Device const& device, std::vector<TunedGrid> const& tuned) {
  std::string text = fmt::format(
      "# Plans for {}, measured by isotherm bench tune on {:%Y-%m-%d}\n"
      "# with {}.\n"
      "# isotherm run reads it as [run] plan_table, from ISOTHERM_PLAN_TABLE, or as\n# "
      "~/.config/isotherm/plans.toml. The first row that matches decides.\n",
      device.info.name, fmt::gmtime(std::time(nullptr)), build_line());
  for (TunedRow const& tuned_row : tuned_rows(tuned)) {
    text += '\n';
    text += to_toml(tuned_row.row, tuned_row.comment);
  }
  return text;
}

/// Checks the files that are written. @throws InputError  on every rank, if both are the same file
void check_files(mpi::Communicator const& ranks, TuneOptions const& tune,
                 BenchOptions const& options) {
  check_file_to_write(ranks, "--output", tune.output);
  on_root(ranks, [&] {
    if (!tune.output || !options.json) return;
    auto const full = [](std::filesystem::path const& file) {
      return std::filesystem::weakly_canonical(std::filesystem::absolute(file));
    };
    if (full(*tune.output) != full(*options.json)) return;
    throw InputError("--output and --json name the same file (needs two files)");
  });
}

}  // namespace

// For each kind of sweep and each grid: measure all plans, keep the fastest correct one, and
// finally merge neighbouring grids with the same plan into rows of a table (tuned_rows()). Grids
// that do not fit into memory are skipped.
int bench_tune(mpi::Communicator const& ranks, BenchOptions const& options,
               TuneOptions const& tune) {
  check_files(ranks, tune, options);
  Device const device = choose_device(ranks, options.device);
  check_shapes(device.backend, tune.shapes);
  if (ranks.is_root()) {
    print_heading(bench_heading(ranks, device));
  }
  bool equal = true;
  std::vector<TunedGrid> tuned;
  Json rows = Json::array();
  for (SweepKind const& kind : sweep_kinds(tune)) {
    for (Extent3 const grid :
         tuning_grids(device.backend, kind.dimension, tune.quick, tune.largest)) {
      auto const subject =
          measure_if_it_fits(ranks, device, kind, grid, options.batches, tune.shapes);
      if (!subject) continue;
      equal = equal && std::ranges::all_of(subject->plans, &PlanMeasurement::equal);
      tuned.push_back({row_of(kind, device), grid,
                       points_of_smallest_rank(ranks, device, problem_of(kind, grid).grid),
                       subject->best().plan.name, subject->best().points_per_second});
      rows.push_back(to_json(*subject));
    }
  }
  on_root(ranks, [&] {
    if (tune.output) {
      write_file_atomically(*tune.output, table_text(device, tuned));
    }
  });
  Json const all{{"device", device.info.name}, {"ranks", ranks.size()}, {"rows", rows}};
  write_bench_file(ranks, options, all.dump(2) + "\n");
  return equal ? exit_code::done : exit_code::failed;
}

}  // namespace isotherm::app
