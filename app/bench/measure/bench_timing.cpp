#include "app/bench/measure/bench_timing.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "app/machine/memory_limits.hpp"
#include "case/basics/text/text.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "io/files/atomic_file.hpp"
#include "kernels/core/byte_count.hpp"
#include "kernels/core/cpu/splitmix64.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/precision.hpp"

namespace isotherm::app {

namespace {

/// Returns the time of `count` operations in seconds on the slowest rank. The barrier makes all
/// ranks start simultaneously. Collective.
///
/// Events measure the time of the device's work. The queue is idle before the first event, so the
/// measurement does not include earlier work.
double time_batch(mpi::Communicator const& ranks, Queue& queue, std::int64_t count,
                  TimedWork const& work) {
  Event before(queue);
  Event after(queue);
  queue.wait();
  ranks.barrier();
  before.record(queue);
  work(count);
  after.record(queue);
  after.wait();
  return ranks.max(after.seconds_since(before));
}

/// Returns the work that advances a solver by `count` iterations.
TimedWork iterations_of(Solver& solver) {
  return [&solver](std::int64_t count) { solver.advance_to(solver.iteration() + count); };
}

/// Returns the number of operations in a batch: a multiple of `unit` that takes approximately
/// `batch_s` seconds. The bounds protect against clocks that report 0. For example, a sweep of 1 ms
/// gives batches of 100 in 0.1 s, rounded to a multiple of the plan's steps per pass.
std::int64_t batch_length(mpi::Communicator const& ranks, Queue& queue, double batch_s,
                          std::int64_t unit, TimedWork const& work) {
  // The first batch warms up; the second gives the estimate.
  time_batch(ranks, queue, unit, work);
  double const seconds = time_batch(ranks, queue, 4 * unit, work) / 4.0;
  return unit *
         std::clamp<std::int64_t>(std::llround(batch_s / std::max(seconds, 1e-7)), 1, 100000);
}

/// Returns the pseudo-random number of an index, in [0, 1).
double random_value(std::uint64_t index) {
  return static_cast<double>(splitmix64(index) >> 40) / (1 << 24);  // 24 bits, as in a float32
}

}  // namespace

double median(std::vector<double> values) {
  std::ranges::sort(values);
  std::size_t const middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

// 1. Estimate the duration of one operation. 2. Choose the length of a batch; all ranks choose the
// same, since the estimate is a maximum over the ranks. 3. Warm up. 4. Time the batches.
double time_work(mpi::Communicator const& ranks, Queue& queue, Batches batches, std::int64_t unit,
                 TimedWork const& work) {
  std::int64_t const length = batch_length(ranks, queue, batches.seconds, unit, work);
  time_batch(ranks, queue, length, work);
  std::vector<double> seconds(static_cast<std::size_t>(batches.repeat));
  for (double& s : seconds) {
    s = time_batch(ranks, queue, length, work);
  }
  return median(std::move(seconds)) / static_cast<double>(length);
}

double time_iteration(mpi::Communicator const& ranks, Solver& solver, Batches batches,
                      std::int64_t unit) {
  return time_work(ranks, solver.queue(), batches, unit, iterations_of(solver));
}

double time_run(mpi::Communicator const& ranks, std::int64_t iterations, int repeat,
                std::function<std::unique_ptr<Solver>()> const& make) {
  std::vector<double> seconds;
  for (int i = 0; i <= repeat; ++i) {  // the first run warms up
    auto const solver = make();
    double const s = time_batch(ranks, solver->queue(), iterations, iterations_of(*solver));
    if (i > 0) {
      seconds.push_back(s);
    }
  }
  return median(std::move(seconds));
}

Execution default_execution(mpi::Communicator const& ranks, Device const& device,
                            Grid const& grid) {
  Execution execution;
  execution.backend = device.backend;
  execution.device = device.number;
  execution.parts = choose_parts(grid, ranks, device);
  return execution;
}

// A plan with many steps per pass needs deep halos, so small subdomains exclude it.
// sweep_plan_for() throws on every rank in that case.
std::vector<SweepPlan> possible_plans(mpi::Communicator const& ranks, Problem const& problem,
                                      Execution execution) {
  std::vector<SweepPlan> possible;
  for (SweepPlan const& plan : sweep_plans_for(ranks, problem, execution)) {
    execution.plan = plan.name;
    try {
      (void)sweep_plan_for(ranks, problem, execution);
      possible.push_back(plan);
    } catch (InputError const&) {  // on every rank: the parts are too small
    }
  }
  return possible;
}

// Without check_every the residual norm is never computed, so iterations run at full speed.
// Plans differ in their scratch memory, so the largest demand decides. A plan is not executed here;
// its demand is computed.
bool solver_fits(mpi::Communicator const& ranks, Device const& device, Problem const& problem,
                 Execution execution, std::vector<SweepPlan> const& plans, int host_fields) {
  MethodSettings const method = endless_method(problem);
  MemoryNeed need;
  // The memory of the most demanding plan.
  for (SweepPlan const& plan : plans) {
    execution.plan = plan.name;
    SolverPlan const solver = plan_solver(ranks, problem, method, execution);
    need.device = std::max(need.device, solver_bytes(problem, method, solver));
  }
  Subdomain const subdomain(problem.grid, execution.parts, ranks.rank());
  need.host =
      product_of_bytes(static_cast<std::size_t>(subdomain.owned().point_count()),
                       static_cast<std::size_t>(host_fields) * value_bytes(problem.precision));
  return fits_on_all(ranks, device, need);
}

namespace {

/// Fills the values of a rank's points, indexed by their position in the whole grid. OpenMP threads
/// share the rows along x; each value depends on its index only, so the result does not depend on
/// the number of threads.
/// @param values  the rank's owned points, dense, x fastest
template <class Real>
void fill_at_random(Subdomain const& subdomain, std::span<Real> values) {
  GlobalBox const box = subdomain.owned_global();
  Extent3 const n = box.extent();
  Extent3 const all = subdomain.grid().points;
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < n.y * n.z; ++row) {
    Index3 const first{box.lower.x, box.lower.y + row % n.y, box.lower.z + row / n.y};
    auto const index = static_cast<std::uint64_t>(first.x + all.x * (first.y + all.y * first.z));
    for (std::int64_t i = 0; i < n.x; ++i) {
      values[static_cast<std::size_t>(row * n.x + i)] =
          static_cast<Real>(random_value(index + static_cast<std::uint64_t>(i)));
    }
  }
}

}  // namespace

// The values are generated on the host, independently of backend and decomposition.
HostValues random_field(Subdomain const& subdomain, Precision precision) {
  GlobalBox const box = subdomain.owned_global();
  HostValues values(precision, static_cast<std::size_t>(box.point_count()));
  std::visit([&](auto numbers) { fill_at_random(subdomain, numbers); }, values.view());
  return values;
}

// Warns if the device code was compiled without optimisation, since its times are meaningless.
std::string bench_heading(mpi::Communicator const& ranks, Device const& device) {
  std::string const slow = hint_about_device_code(device, build_info());
  return fmt::format("{} on {}, {}{}{}", format_count(ranks.size(), "rank"),
                     format_count(device.hosts, "host"), describe(device),
                     ranks.size() > 1 ? " each" : "", slow.empty() ? "" : "\nwarning: " + slow);
}

nlohmann::ordered_json extent_json(Extent3 extent) { return {extent.x, extent.y, extent.z}; }

Extent3 cube_unless_given(Device const& device, CubePoints points, Extent3 given) {
  std::int64_t const n = device.backend == Backend::cuda ? points.cuda : points.cpu;
  return given.x > 0 ? given : Extent3{n, n, n};
}

std::string format_grid(Extent3 grid) { return format_extent(grid, grid.z == 1 ? 2 : 3); }

// Each check has a message that names the remedy. Without the checks, a measurement of an hour
// could end without its result.
void check_file_to_write(mpi::Communicator const& ranks, std::string const& option,
                         std::optional<std::filesystem::path> const& file) {
  on_root(ranks, [&] {
    if (!file) return;
    constexpr std::size_t longest = NAME_MAX - 4;  // ".tmp" is appended while writing
    if (std::size_t const length = file->filename().native().size(); length > longest) {
      throw InputError(option + ": the file name has " + std::to_string(length) +
                       " characters (needs at most " + std::to_string(longest) + ")");
    }
    std::filesystem::path const folder = std::filesystem::absolute(*file).parent_path();
    if (!std::filesystem::is_directory(folder)) {
      throw InputError(option + ": there is no directory " + folder.string());
    }
    if (std::filesystem::is_directory(*file)) {
      throw InputError(option + ": " + file->string() + " is a directory (needs a file)");
    }
    if (std::filesystem::exists(*file) && !std::filesystem::is_regular_file(*file)) {
      throw InputError(option + ": " + file->string() +
                       " is not a regular file (needs a regular file, which " +
                       "is replaced, or none)");
    }
    // Files are written under a temporary name and then renamed.
    std::filesystem::path const temporary = temporary_path(*file);
    if (std::filesystem::exists(std::filesystem::symlink_status(temporary))) {
      throw InputError(option + ": " + temporary.string() + ", the temporary file for " +
                       file->string() + ", already exists (remove it, or choose another name)");
    }
    if (::access(folder.c_str(), W_OK) != 0) {
      throw InputError(option + ": cannot write to " + folder.string() + ": " +
                       std::strerror(errno));
    }
  });
}

void write_bench_file(mpi::Communicator const& ranks, BenchOptions const& options,
                      std::string const& text) {
  on_root(ranks, [&] {
    if (options.json) {
      write_file_atomically(*options.json, text);
    }
  });
}

}  // namespace isotherm::app
