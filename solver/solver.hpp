#pragma once

#include <memory>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "solver/iteration/solver_interface.hpp"
#include "solver/iteration/solver_plan.hpp"
#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// Checks everything that needs no memory: the settings make sense, the method solves the problem
/// and is stable, and the problem has a unique solution.
/// @throws InputError  about the problem; SettingError if a setting is at fault
void check_solvable(Problem const& problem, MethodSettings const& method);

/// Checks the problem, the settings and the decomposition, and chooses the kernel variants.
/// Allocates no fields. Collective.
/// @throws InputError  if the problem or the settings are wrong: an unstable time step (names the
///                     longest stable one), a singular problem, a number of parts other than the
///                     number of ranks, or an unknown sweep plan
SolverPlan plan_solver(mpi::Communicator const& ranks, Problem const& problem,
                       MethodSettings const& method, Execution const& execution);

/// Makes a solver with its fields; initial and boundary values are set. The plan must come from
/// plan_solver() with the same problem and settings. Collective.
/// @throws InputError  on every rank, if a transport is unavailable or a value is not finite
std::unique_ptr<Solver> make_solver(mpi::Communicator const& ranks, Problem const& problem,
                                    MethodSettings const& method, SolverPlan const& plan);

/// Plans and makes a solver. Collective. @throws InputError  as the two functions above do
///
///     MethodSettings method;
///     method.name = "multigrid";
///     method.iterations = 50;
///     method.tolerance = 1e-6;
///     auto const solver = make_solver(ranks, problem, method, Execution{});   // CPU, one rank
///     solver->advance_to(method.iterations);
///     solver->read_field(values);   // std::span<double>: this rank's points, x fastest
std::unique_ptr<Solver> make_solver(mpi::Communicator const& ranks, Problem const& problem,
                                    MethodSettings const& method, Execution const& execution);

/// Returns the kernel variants that Execution::plan can name, the plain one first: those available
/// on every rank. Some may fuse more steps than the decomposition allows. Collective.
std::vector<SweepPlan> sweep_plans_for(mpi::Communicator const& ranks, Problem const& problem,
                                       Execution const& execution);

/// Returns the sweep plan of a solver that sweeps from check to check. Collective.
/// @throws InputError  if Execution::plan cannot be used
SweepPlan sweep_plan_for(mpi::Communicator const& ranks, Problem const& problem,
                         Execution const& execution);

/// Returns an upper bound on the bytes that the planned solver allocates in the memory of this
/// rank's queue. On the CPU that is host memory. It covers fields, buffers, and the work space of
/// device sweeps.
///
/// Not included are allocations of libraries (CUDA, NCCL, MPI) and the copies that CPU threads keep
/// while they sweep, approximately as large as their caches. The result is uncountable_bytes if no
/// memory can hold the rank's part of the grid.
std::size_t solver_bytes(Problem const& problem, MethodSettings const& method,
                         SolverPlan const& plan);

/// Returns an upper bound on the bytes of host memory that the planned solver takes while it makes
/// aggregates for a device. 0 if it makes none before it starts, and on the CPU, where
/// solver_bytes() includes them.
std::size_t solver_host_bytes(Problem const& problem, MethodSettings const& method,
                              SolverPlan const& plan);

/// Returns the minimum number of bytes that an iteration reads and writes, over all ranks. Without
/// an argument `method` it is that of a sweep.
double bytes_per_iteration(Problem const& problem, MethodSettings const& method = {});

}  // namespace isotherm
