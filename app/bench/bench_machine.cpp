#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "app/bench/bench.hpp"
#include "app/bench/measure/bench_timing.hpp"
#include "app/bench/measure/solution_measurement.hpp"
#include "app/machine/copy_rate.hpp"
#include "app/machine/memory_limits.hpp"
#include "case/basics/elapsed.hpp"
#include "case/basics/exit_code.hpp"
#include "case/basics/text/text.hpp"
#include "case/basics/text/wording.hpp"
#include "solver/direct/make_direct.hpp"

// `isotherm bench` without a part: three numbers for a machine, each next to those of machines that
// were measured before.

namespace isotherm::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t solution_points = 257;  ///< along each axis, on every machine
constexpr double solution_tolerance = 1e-8;
constexpr double max_scatter = 0.25;  ///< of repeated timings on an idle machine
constexpr double max_rates_s = 15.0;  ///< then copies and sweeps are not repeated any more
constexpr double max_load = 0.25;     ///< of the cores, by programs that ran before

/// What is known of a machine; nothing if it was not measured.
struct Rates {
  std::optional<double> copy_bytes_per_s{};
  std::optional<double> points_per_s{};  ///< Jacobi sweeps in 3D, float64
  std::optional<double> solution_s{};    ///< Poisson's equation, 257³, float64
};

/// A machine that was measured before. docs/developer/measurements.md has the dates and conditions.
struct Reference {
  char const* name;
  char const* in_words;  ///< in a sentence
  Rates rates;
};
std::array const references{Reference{"2 cores", "2 cores", {28e9, 3.08e9, 0.276}},
                            Reference{"16 cores", "16 cores", {{}, {}, 0.065}},
                            Reference{"H100", "an H100", {3.0e12, 520e9, 0.72e-3}}};

/// The three numbers, and how far repeated timings of each differed: the longest relative to the
/// shortest, minus one.
struct Machine {
  Rates rates{};
  double scatter = 0.0;
  double load = 0.0;  ///< processes that were ready to run in the minute before
};

/// Returns the load average of the last minute; 0 if the system does not report it.
double load_average() {
  std::ifstream file("/proc/loadavg");
  double load = 0.0;
  return file >> load ? load : 0.0;
}

/// Returns the median of timings and notes how far they differ.
double median_of(std::vector<double> values, Machine& machine) {
  auto const [smallest, largest] = std::ranges::minmax(values);
  machine.scatter = std::max(machine.scatter, largest / smallest - 1.0);
  return median(std::move(values));
}

/// Measures copies and sweeps on one solver, so both use the same memory. Repeats them less often
/// on a slow machine. Collective.
void measure_rates(mpi::Communicator const& ranks, Execution const& execution,
                   Problem const& problem, Batches batches, Machine& machine) {
  auto const solver = make_solver(ranks, problem, endless_method(problem), execution);
  std::vector<double> copies;
  std::vector<double> sweeps;
  Elapsed const since_start;
  for (int i = 0; i < batches.repeat; ++i) {
    if (i > 1 && ranks.any(since_start.seconds() > max_rates_s)) break;
    copies.push_back(copy_rate(ranks, problem, *solver));
    sweeps.push_back(static_cast<double>(problem.grid.point_count()) /
                     time_iteration(ranks, *solver, {1, batches.seconds}, solver->plan().steps));
  }
  machine.rates.copy_bytes_per_s = median_of(copies, machine);
  machine.rates.points_per_s = median_of(sweeps, machine);
}

/// Returns a number with a few digits, without an exponent if it is large.
std::string short_number(double value, int digits) {
  return value < 1000.0 ? fmt::format("{:.{}g}", value, digits) : fmt::format("{:.0f}", value);
}

/// Returns a number with three digits, or "-".
std::string cell(std::optional<double> value, double unit) {
  return value ? short_number(*value / unit, 3) : "-";
}

/// Prints a row of the table: a number of this machine and of the others.
void print_row(std::string const& what, Machine const& here, std::optional<double> Rates::*rate,
               double unit, bool is_comparable) {
  std::string line = fmt::format("{:<38} {:>9}", what, cell(here.rates.*rate, unit));
  for (Reference const& reference : references) {
    line += fmt::format(" {:>9}", is_comparable ? cell(reference.rates.*rate, unit) : "-");
  }
  std::cout << line << '\n';
}

/// Returns how a time compares with another one: "1.3 times as fast as 2 cores".
std::string comparison(double here_s, Reference const& reference) {
  double const ratio = *reference.rates.solution_s / here_s;
  std::string const times = short_number(std::max(ratio, 1.0 / ratio), 3) + " times";
  return times + (ratio >= 1.0 ? " as fast as " : " slower than ") + reference.in_words;
}

/// Returns the sentence that sums up the measurement.
std::string judgement(Machine const& here, Extent3 grid, bool is_comparable) {
  double const solution_s = *here.rates.solution_s;
  std::string text = fmt::format("A steady problem of {} points takes {} here", format_grid(grid),
                                 format_seconds(solution_s));
  if (!is_comparable) return text + '.';
  std::vector<std::string> parts;
  parts.reserve(references.size());
  for (Reference const& reference : references) parts.push_back(comparison(solution_s, reference));
  return text + ": " + join(parts, ", ") + '.';
}

/// Returns a warning if other programs have disturbed the measurement, or an empty text. The load
/// average contains this program itself if it was started in the minute before, so it must exceed
/// that.
std::string warning(Machine const& here, Device const& device) {
  bool const is_loaded = here.load > max_load * std::max(1, device.threads);
  if (here.scatter > max_scatter) {
    return fmt::format(
        "repeated timings differ by {:.0f} %{}: repeat it on an idle machine", 100.0 * here.scatter,
        is_loaded ? fmt::format(", and the load average was {:.2g} before", here.load) : "");
  }
  if (!is_loaded) return "";
  return fmt::format(
      "the load average was {:.2g} before the measurement: other programs may have used the cores",
      here.load);
}

/// Prints the table and the conclusion.
void print(Machine const& here, Device const& device, Extent3 sweep_grid, Extent3 grid,
           bool is_comparable) {
  std::string heading = fmt::format("{:<38} {:>9}", "", "here");
  for (Reference const& reference : references) heading += fmt::format(" {:>9}", reference.name);
  std::cout << heading << '\n';
  print_row("copies of memory, GB/s", here, &Rates::copy_bytes_per_s, 1e9, true);
  print_row(fmt::format("Jacobi sweeps, {}, GCell/s", format_grid(sweep_grid)), here,
            &Rates::points_per_s, 1e9, is_comparable);
  print_row(fmt::format("Poisson's equation, {}, ms", format_grid(grid)), here, &Rates::solution_s,
            1e-3, is_comparable);
  std::cout << judgement(here, grid, is_comparable) << '\n';
  if (std::string const text = warning(here, device); !text.empty()) {
    std::cout << "warning: " << text << '\n';
  }
  std::cout << std::flush;
}

/// Returns the method that is expected to solve a problem in less time.
MethodSettings faster_method(Problem const& problem, Device const& device, int ranks) {
  bool const directly = obstacle_to_method(problem).empty() &&
                        prefers_direct(problem, device.backend, {ranks, device.hosts});
  return solution_settings(directly ? "direct" : "multigrid", solution_tolerance);
}

/// @throws InputError  on every rank, if a solver does not fit into memory
void require_memory(mpi::Communicator const& ranks, Device const& device,
                    std::vector<std::pair<Problem, MethodSettings>> const& solvers) {
  for (auto const& [problem, method] : solvers) {
    SolverPlan const plan =
        plan_solver(ranks, problem, method, default_execution(ranks, device, problem.grid));
    if (fits_on_all(ranks, device, {solver_bytes(problem, method, plan), 0})) continue;
    throw InputError(fmt::format("bench: {} points in float64 do not fit into memory (use --grid)",
                                 format_extent(problem.grid.points, problem.grid.dimension)));
  }
}

}  // namespace

int bench_machine(mpi::Communicator const& ranks, BenchOptions const& options, Extent3 wanted) {
  Machine here;
  here.load = load_average();
  Device const device = choose_device(ranks, options.device);
  bool const is_comparable = wanted.x == 0;
  std::int64_t const n = device.backend == Backend::cuda ? 512 : 256;
  Extent3 const sweep_grid = is_comparable ? Extent3{n, n, n} : wanted;
  Extent3 const grid =
      is_comparable ? Extent3{solution_points, solution_points, solution_points} : wanted;
  Problem const swept =
      unit_problem(sweep_grid, Precision::float64, Equation::laplace, BoundaryKind::dirichlet);
  Problem const solved =
      unit_problem(grid, Precision::float64, Equation::laplace, BoundaryKind::dirichlet, true);
  require_unknowns(solved);
  MethodSettings const method = faster_method(solved, device, ranks.size());
  require_memory(ranks, device, {{swept, endless_method(swept)}, {solved, method}});
  std::string const devices = bench_heading(ranks, device);
  if (ranks.is_root()) std::cout << devices << ", float64" << std::endl;
  Elapsed const since_start;
  measure_rates(ranks, default_execution(ranks, device, swept.grid), swept, options.batches, here);
  int const repeat = ranks.any(since_start.seconds() > max_rates_s) ? 1 : options.batches.repeat;
  Solution const solution = measure_solution(
      ranks, solved, default_execution(ranks, device, solved.grid), method, repeat);
  here.rates.solution_s = solution.seconds;
  here.scatter = std::max(here.scatter, solution.scatter);
  if (ranks.is_root()) print(here, device, sweep_grid, grid, is_comparable);
  Json const all{{"device", device.info.name},
                 {"ranks", ranks.size()},
                 {"copy_bytes_per_second", *here.rates.copy_bytes_per_s},
                 {"sweep_points", extent_json(sweep_grid)},
                 {"gcells_per_second", *here.rates.points_per_s * 1e-9},
                 {"solution_points", extent_json(grid)},
                 {"method", method.name},
                 {"solution_ms", *here.rates.solution_s * 1e3},
                 {"scatter", here.scatter},
                 {"load_average", here.load}};
  write_bench_file(ranks, options, all.dump(2) + "\n");
  return exit_code::done;
}

}  // namespace isotherm::app
