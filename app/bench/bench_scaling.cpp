#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/bench/bench.hpp"
#include "app/bench/measure/bench_timing.hpp"
#include "app/bench/measure/group_measurement.hpp"
#include "app/bench/measure/plan_measurement.hpp"
#include "case/basics/exit_code.hpp"
#include "case/basics/text/text.hpp"

namespace isotherm::app {

namespace {

using Json = nlohmann::ordered_json;

/// Strong scaling keeps the grid; weak scaling keeps the points per rank.
enum class Scaling { strong, weak };

/// Returns the name of the option and in JSON.
char const* name(Scaling scaling) { return scaling == Scaling::strong ? "strong" : "weak"; }

/// Returns the sizes of groups: powers of 2, and the number of all ranks. For example 1, 2, 4, 6
/// for six ranks.
std::vector<int> group_sizes(int ranks) {
  std::vector<int> sizes;
  for (int n = 1; n < ranks; n *= 2) sizes.push_back(n);
  sizes.push_back(ranks);
  return sizes;
}

/// Returns a grid with `ranks` times the points. It grows along its last axis, so the other two
/// keep their size. Subdomains of different groups may have different shapes, since choose_parts()
/// decomposes each grid separately.
Extent3 grown(Extent3 grid, int ranks) {
  (grid.z == 1 ? grid.y : grid.z) *= ranks;
  return grid;
}

/// The smallest group that could be measured; parallel efficiencies are relative to it. One rank
/// may be too few if the grid does not fit into its memory.
struct Base {
  int ranks = 1;
  double seconds = 0.0;
};

/// The result of one group of ranks.
struct Row {
  Scaling scaling = Scaling::strong;
  int ranks = 1;
  Grid grid;
  GroupMeasurement measured;
  Base base;

  /// Returns the rate of the whole group.
  [[nodiscard]] double points_per_second() const {
    return static_cast<double>(grid.point_count()) / measured.seconds;
  }
  /// Returns the parallel efficiency: the ideal time, extrapolated from the base, relative to the
  /// actual one. For strong scaling the ideal time is inversely proportional to the number of
  /// ranks. With T(p) for the time on p ranks and p0 for the base: E = p0 T(p0) / (p T(p)) for
  /// strong scaling, and E = T(p0) / T(p) for weak scaling.
  [[nodiscard]] double efficiency() const {
    double const work = scaling == Scaling::strong ? static_cast<double>(base.ranks) / ranks : 1.0;
    return work * base.seconds / measured.seconds;
  }
};

/// Returns the grid that the user has given, or the default one.
Extent3 grid_of(Device const& device, ScalingBenchOptions const& bench) {
  return cube_unless_given(device, {1024, 256}, bench.grid);
}

/// The settings of one table.
struct Series {
  Scaling scaling;
  Precision precision;
  Device const& device;
  BenchOptions const& options;
  ScalingBenchOptions const& bench;

  /// Returns the grid of strong scaling, or of one rank of weak scaling.
  [[nodiscard]] Extent3 grid() const { return grid_of(device, bench); }
  /// Returns the problem for a group of ranks.
  [[nodiscard]] Problem problem(int ranks) const {
    return unit_problem(scaling == Scaling::strong ? grid() : grown(grid(), ranks), precision,
                        bench.equation, bench.boundary);
  }
};

/// Measures the problem on the first `count` ranks while the others sleep. Those return an empty
/// result. Collective over all ranks.
///
/// Invalid input is detected by all ranks of the group together and becomes a row of the table. Any
/// other error of one rank ends the job.
GroupMeasurement measure_first(mpi::Communicator const& ranks, int count, Problem const& problem,
                               Series const& series) {
  GroupMeasurement measured;
  if (auto const group = ranks.first(count)) {
    measured = measure_group(*group, series.device, problem, series.bench, series.options.batches);
  }
  // Sleeping ranks leave the cores to the group. A busy wait would distort the measurement.
  ranks.wait_asleep();
  return measured;
}

/// Prints the heading of one table.
///
/// - parts: subdomains along each axis
/// - ms per step: time of an iteration
/// - GCell/s: 10⁹ points per second, all ranks together
/// - efficiency, lost: the parallel efficiency E, and 1 - E
/// - halos: the share of a step that subdomains without neighbours do not need
/// - s for N: time of N steps as a whole, if requested
void print_heading(Series const& series) {
  std::cout << fmt::format(
      "\n{} scaling: {} points{}, {}, {}, {} boundaries{}\n"
      "{:>5} {:>20} {:>10} {:>11} {:>9} {:>10} {:>7} {:>7}",
      name(series.scaling), format_grid(series.grid()),
      series.scaling == Scaling::weak ? " per rank" : "", name(series.precision),
      name(series.bench.equation), name(series.bench.boundary),
      series.bench.check_every > 0 ? fmt::format(", checks every {}", series.bench.check_every)
                                   : "",
      "ranks", "points", "parts", "ms per step", "GCell/s", "efficiency", "lost", "halos");
  if (series.bench.steps > 0) {
    std::cout << fmt::format(" {:>14}", fmt::format("s for {}", series.bench.steps));
  }
  std::cout << fmt::format("  {:<26} {}\n", "plan", "transport") << std::flush;
}

/// Formats a share in percent, or an empty text.
std::string percent(std::optional<double> share) {
  return share ? fmt::format("{:.1f} %", 100.0 * *share) : "";
}

/// Prints one row.
void print(Row const& row) {
  GroupMeasurement const& measurement = row.measured;
  int const dimension = row.grid.dimension;
  std::cout << fmt::format("{:>5} {:>20} ", row.ranks, format_extent(row.grid.points, dimension));
  if (!measurement.obstacle.empty()) {
    std::cout << measurement.obstacle << std::endl;
    return;
  }
  std::cout << fmt::format("{:>10} {:>11.4f} {:>9.2f} {:>10} {:>7} {:>7}",
                           format_extent(measurement.parts, dimension), measurement.seconds * 1e3,
                           row.points_per_second() * 1e-9, percent(row.efficiency()),
                           percent(1.0 - row.efficiency()), percent(measurement.share_of_halos()));
  if (measurement.all_steps_s) {
    std::cout << fmt::format(" {:>14.4f}", *measurement.all_steps_s);
  }
  std::cout << fmt::format("  {:<26} {}", measurement.plan.name, measurement.transport.names())
            << std::endl;
}

/// Returns a time in milliseconds, or null.
Json milliseconds(std::optional<double> seconds) { return seconds ? Json(*seconds * 1e3) : Json(); }

/// Returns one row as JSON.
///
/// A row with an `obstacle` has no further keys. `base_ranks` is the group to which `efficiency`
/// refers. `ms_per_iteration_of_parts_alone` and `share_of_halos` are null for one rank.
Json to_json(Row const& row, Precision precision) {
  GroupMeasurement const& measurement = row.measured;
  Json json{{"scaling", name(row.scaling)},
            {"ranks", row.ranks},
            {"precision", name(precision)},
            {"points", extent_json(row.grid.points)},
            {"obstacle", measurement.obstacle.empty() ? Json() : Json(measurement.obstacle)}};
  if (!measurement.obstacle.empty()) return json;
  std::optional<double> const halos = measurement.share_of_halos();
  json.update({{"parts", extent_json(measurement.parts)},
               {"plan", measurement.plan.name},
               {"iterations_per_pass", steps_json(measurement.plan)},
               {"transport", measurement.transport.text()},
               {"ms_per_iteration", measurement.seconds * 1e3},
               {"gcells_per_second", row.points_per_second() * 1e-9},
               {"efficiency", row.efficiency()},
               {"lost", 1.0 - row.efficiency()},
               {"base_ranks", row.base.ranks},
               {"ms_per_iteration_of_parts_alone", milliseconds(measurement.alone_s)},
               {"share_of_halos", halos ? Json(*halos) : Json()},
               {"ms_of_all_steps", milliseconds(measurement.all_steps_s)}});
  return json;
}

/// Measures groups of increasing size. Only the root has complete rows. The first group without an
/// obstacle is the base of the efficiencies. Collective over all ranks.
std::vector<Row> measure(mpi::Communicator const& ranks, Series const& series) {
  std::vector<Row> rows;
  Base base;
  for (int const count : group_sizes(ranks.size())) {
    Problem const problem = series.problem(count);
    Row row{series.scaling, count, problem.grid, measure_first(ranks, count, problem, series), {}};
    bool const first = base.seconds == 0.0 && row.measured.obstacle.empty();
    if (first) base = {count, row.measured.seconds};
    row.base = base;
    if (ranks.is_root()) print(row);
    rows.push_back(row);
  }
  if (ranks.is_root() && base.ranks > 1) {
    std::cout << fmt::format(
        "Efficiencies are relative to {}, the fewest that could be measured.\n",
        format_count(base.ranks, "rank"));
  }
  return rows;
}

/// Returns the kinds of scaling to measure.
std::vector<Scaling> scalings(ScalingBenchOptions const& scaling) {
  std::vector<Scaling> wanted;
  if (scaling.strong) wanted.push_back(Scaling::strong);
  if (scaling.weak) wanted.push_back(Scaling::weak);
  return wanted;
}

/// Prints the legend of the tables.
void print_first_lines(mpi::Communicator const& ranks, Device const& device) {
  std::cout << bench_heading(ranks, device) << "\n"
            << "lost: 100 % minus the efficiency. halos: the share of a step beyond the time that "
               "the same\nparts take alone, without neighbours.\n";
  if (ranks.size() == 1) {
    std::cout << "Scaling needs more than one rank (mpirun -n 4 isotherm bench scaling measures 1, "
                 "2 and 4).\n";
  }
}

}  // namespace

// Invalid options are detected before the first measurement, on one rank's problem.
int bench_scaling(mpi::Communicator const& ranks, BenchOptions const& options,
                  ScalingBenchOptions const& scaling) {
  Device const device = choose_device(ranks, options.device);
  Json rows = Json::array();
  // Stage 1: check the transport and the plan for each precision.
  for (Precision const precision : scaling.precisions) {
    Series const series{Scaling::strong, precision, device, options, scaling};
    Problem const problem = series.problem(1);
    require_unknowns(problem);
    check_scaling(ranks, device, problem, scaling);
  }
  if (ranks.is_root()) {
    print_first_lines(ranks, device);
  }
  // Stage 2: one table for each precision and kind of scaling.
  for (Precision const precision : scaling.precisions) {
    for (Scaling const kind : scalings(scaling)) {
      Series const series{kind, precision, device, options, scaling};
      if (ranks.is_root()) {
        print_heading(series);
      }
      for (Row const& row : measure(ranks, series)) rows.push_back(to_json(row, precision));
    }
  }
  // Stage 3: the same numbers as JSON.
  Json const all{{"device", device.info.name},
                 {"ranks", ranks.size()},
                 {"equation", name(scaling.equation)},
                 {"boundary", name(scaling.boundary)},
                 {"check_every", scaling.check_every},
                 {"steps", scaling.steps > 0 ? Json(scaling.steps) : Json()},
                 {"points", extent_json(grid_of(device, scaling))},
                 {"rows", rows}};
  write_bench_file(ranks, options, all.dump(2) + "\n");
  return exit_code::done;
}

}  // namespace isotherm::app
