#pragma once

#include <memory>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "solver/iteration/solver_interface.hpp"
#include "solver/iteration/solver_plan.hpp"
#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// Checks what can be checked without memory: that the settings make sense, and the method solves
/// the problem, is stable, and has a unique solution to find.
/// @throws InputError  SettingError where one of the settings is at fault
void check_solvable(Problem const& problem, MethodSettings const& method);

/// Checks the problem, the settings and the decomposition, and decides where and how the solver
/// will sweep; takes no memory. Collective.
/// @throws InputError  for what the problem or the settings get wrong (an unstable time step: names
///                     the largest stable one; a singular problem; parts that are not as many as
///                     the ranks; a sweep plan that is not there)
SolverPlan plan_solver(mpi::Communicator const& ranks, Problem const& problem,
                       MethodSettings const& method, Execution const& execution);

/// Builds the fields (initial state and boundary values in place) and everything a run needs, by a
/// plan that plan_solver() made of the same problem and settings. Collective.
/// @throws InputError  where a transport is not there, or a value is not finite
std::unique_ptr<Solver> make_solver(mpi::Communicator const& ranks, Problem const& problem,
                                    MethodSettings const& method, SolverPlan const& plan);

/// The same, with its own plan. @throws InputError  as both do
std::unique_ptr<Solver> make_solver(mpi::Communicator const& ranks, Problem const& problem,
                                    MethodSettings const& method, Execution const& execution);

/// The plans that Execution::plan can name, the plain one first: those that every rank has. Some
/// may still take more steps a pass than the decomposition allows. Collective.
std::vector<SweepPlan> sweep_plans_for(mpi::Communicator const& ranks, Problem const& problem,
                                       Execution const& execution);

/// The sweep plan that a solver will use, whatever its method. Collective.
/// @throws InputError  where Execution::plan is not to be had
SweepPlan sweep_plan_for(mpi::Communicator const& ranks, Problem const& problem,
                         Execution const& execution);

/// An upper bound of the bytes that the solver of such a plan takes of this rank's queue's memory,
/// which on the CPU is the host's: fields, all buffers, and on a device what its sweeps work in.
/// Not what libraries (CUDA, NCCL, MPI) take for themselves, nor what threads of the CPU keep of a
/// field while they sweep it, which is about as much as their caches hold. uncountable_bytes where
/// no memory holds such a part of a grid.
std::size_t solver_bytes(Problem const& problem, MethodSettings const& method,
                         SolverPlan const& plan);

/// The fewest bytes that one iteration reads and writes, summed over all ranks; of sweeps, where no
/// other method is named.
double bytes_per_iteration(Problem const& problem, MethodSettings const& method = {});

}  // namespace isotherm
