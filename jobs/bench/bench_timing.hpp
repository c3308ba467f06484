#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "jobs/bench/bench.hpp"
#include "jobs/machine/device_choice.hpp"
#include "solver/solver.hpp"

namespace isotherm {

/// Enqueues so many of what is timed, and does the host's part of them.
using TimedWork = std::function<void(std::int64_t count)>;

/// Seconds that one of `work` takes from event to event on `queue`, on the slowest rank: the median
/// of `repeat` batches after one that warms up. A batch is a multiple of `unit` and takes about a
/// tenth of a second. Collective.
double time_work(mpi::Communicator const& ranks, Queue& queue, int repeat, std::int64_t unit,
                 TimedWork const& work);

/// Seconds an iteration takes, by the device's clock on the slowest rank: the median of `repeat`
/// batches after one that warms up; batches are multiples of `unit` iterations. Collective.
double time_iteration(mpi::Communicator const& ranks, Solver& solver, int repeat,
                      std::int64_t unit);

/// Seconds for exactly `iterations`, from the first to the last, likewise; `make` builds a fresh
/// solver for each repetition. Collective.
double time_run(mpi::Communicator const& ranks, std::int64_t iterations, int repeat,
                std::function<std::unique_ptr<Solver>()> const& make);

/// A problem on the box [0, 1]^d, boundary values and derivatives 0. A steady one has Dirichlet
/// faces on its last axis whatever `boundary` says, as its solution would not be unique without.
/// @param source  add one, which turns Laplace's equation into Poisson's
Problem unit_problem(Extent3 points, Precision precision, Equation equation, BoundaryKind boundary,
                     bool source = false);

/// How a run would execute a case on this grid, of which nothing else is said. Collective.
Execution default_execution(mpi::Communicator const& ranks, Device const& device, Grid const& grid);

/// The plans that a solver of this problem takes, the plain one first. Collective.
std::vector<SweepPlan> possible_plans(mpi::Communicator const& ranks, Problem const& problem,
                                      Execution execution);

/// True where a solver of the problem fits into every rank's memory with each of the plans, beside
/// `host_fields` dense copies of the field. Collective.
bool solver_fits(mpi::Communicator const& ranks, Device const& device, Problem const& problem,
                 Execution execution, std::vector<SweepPlan> const& plans, int host_fields);

/// What runs `problem` without ever measuring a residual or stopping.
MethodSettings endless_method(Problem const& problem);

/// A random field, the same for every decomposition: this rank's owned points, dense, in [0, 1).
HostValues random_field(Subdomain const& subdomain, Precision precision);

/// The number of this index in such a field.
double random_value(std::uint64_t index);

/// "NVIDIA H200" …, and how many ranks: the first line of every table.
std::string bench_heading(mpi::Communicator const& ranks, Device const& device);

/// [x, y, z], as all numbers of points are written to files.
nlohmann::ordered_json extent_json(Extent3 of);

/// The grid that was asked for, else one that keeps the device busy.
Extent3 grid_or_default(Device const& device, Extent3 asked);

/// Finds what is in the way of writing to the file of an option, before anything is measured.
/// Collective. @throws InputError  on every rank
void check_file_to_write(mpi::Communicator const& ranks, std::string const& option,
                         std::optional<std::filesystem::path> const& file);

/// The root writes `text` to the file of --json, where one is asked for. Collective.
void write_bench_file(mpi::Communicator const& ranks, BenchOptions const& options,
                      std::string const& text);

}  // namespace isotherm
