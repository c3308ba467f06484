#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/bench.hpp"
#include "app/machine/device_choice.hpp"
#include "app/machine/tuning/unit_problem.hpp"
#include "solver/solver.hpp"

// Timing and set-up that the parts of `isotherm bench` share.
//
// All times are medians over batches on the slowest rank. A batch takes approximately 0.1 s by
// default, so the resolution of clocks does not matter. An untimed batch warms up caches, clocks
// and allocations.

namespace isotherm::app {

/// Returns the median; of an even number of values the mean of the two middle ones.
/// @pre  values is not empty
double median(std::vector<double> values);

/// Enqueues the timed operation `count` times, and performs the host's part of it. It need not wait
/// for the device. All ranks call it with the same count.
using TimedWork = std::function<void(std::int64_t count)>;

/// Measures the time of one operation, between events on `queue`. Collective.
///
///     double const seconds = time_work(ranks, queue, Batches{}, 1, [&](std::int64_t count) {
///       for (std::int64_t n = 0; n < count; ++n) enqueue_sweep(queue);
///     });
///
/// @param batches  number and duration of the timed batches; their median is returned
/// @param unit  a batch has a multiple of this number of operations
/// @returns  seconds per operation on the slowest rank
double time_work(mpi::Communicator const& ranks, Queue& queue, Batches batches, std::int64_t unit,
                 TimedWork const& work);

/// Measures the time of one iteration, by the device's clock on the slowest rank. Parameters as for
/// time_work(). The solver advances by all timed iterations and those of the warm-up. Collective.
/// @pre the solver's settings allow that many iterations, as those of endless_method() do
double time_iteration(mpi::Communicator const& ranks, Solver& solver, Batches batches,
                      std::int64_t unit);

/// Measures the time of exactly `iterations` iterations as a whole, in seconds on the slowest rank.
/// `make` builds a new solver for each repetition and one for the warm-up, outside of the timed
/// part. Collective.
double time_run(mpi::Communicator const& ranks, std::int64_t iterations, int repeat,
                std::function<std::unique_ptr<Solver>()> const& make);

/// Returns the backend, device and decomposition that a run chooses for this grid by default.
/// Collective.
Execution default_execution(mpi::Communicator const& ranks, Device const& device, Grid const& grid);

/// Returns the plans that a solver of this problem supports, the plain one first. Collective.
std::vector<SweepPlan> possible_plans(mpi::Communicator const& ranks, Problem const& problem,
                                      Execution execution);

/// Returns true if the problem's solver fits into the memory of every rank with each of the plans.
/// The host must also hold `host_fields` copies of the field without halo. Nothing is allocated.
/// Collective.
bool solver_fits(mpi::Communicator const& ranks, Device const& device, Problem const& problem,
                 Execution execution, std::vector<SweepPlan> const& plans, int host_fields);

/// Returns a pseudo-random field with values in [0, 1): those of this rank's points, without halo.
/// The value of a point depends on its global index only, so the field is the same for every
/// decomposition.
HostValues random_field(Subdomain const& subdomain, Precision precision);

/// Returns the first line of every table: the devices and the number of ranks.
std::string bench_heading(mpi::Communicator const& ranks, Device const& device);

/// Returns [x, y, z], the form of sizes in JSON files.
nlohmann::ordered_json extent_json(Extent3 extent);

/// The points along each axis of a cube that keeps a device of each backend busy.
struct CubePoints {
  std::int64_t cuda;
  std::int64_t cpu;
};
/// Returns the grid that the user has given, or by default a cube.
Extent3 cube_unless_given(Device const& device, CubePoints points, Extent3 given);
/// Formats such a grid, "512 x 512" if it has one point in z.
std::string format_grid(Extent3 grid);

/// Checks that the file of an option can be written, before the measurement starts. Only the root
/// examines the file system. Does nothing if there is no file. Collective.
/// @param option  name of the option, which begins each message
/// @throws InputError  on every rank, if the file cannot be created or replaced
void check_file_to_write(mpi::Communicator const& ranks, std::string const& option,
                         std::optional<std::filesystem::path> const& file);

/// Writes `text` to the file of --json on the root, if one is given. Collective.
void write_bench_file(mpi::Communicator const& ranks, BenchOptions const& options,
                      std::string const& text);

}  // namespace isotherm::app
