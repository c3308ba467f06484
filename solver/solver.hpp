#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/halo/halo_exchange.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "kernels/sweep/plan_table.hpp"
#include "solver/iteration/solver_interface.hpp"
#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// The plan that make_solver would use. Collective. @throws InputError as make_solver does
SweepPlan solver_plan(mpi::Communicator const& ranks, Problem const& problem,
                      Execution const& execution);

/// True if "auto" takes the plan from execution.plan_table, not from the built-in table.
/// Collective.
bool plan_is_from_table(mpi::Communicator const& ranks, Problem const& problem,
                        Execution const& execution);

/// The plans that Execution::plan may name, the plain one first. Some of them may take more steps a
/// pass than the decomposition allows, which make_solver refuses. Collective.
std::vector<SweepPlan> solver_plans(mpi::Communicator const& ranks, Problem const& problem,
                                    Execution const& execution);

/// An upper bound of the device memory, in bytes, that make_solver allocates on a rank which owns
/// `owned` points.
std::size_t solver_bytes(Problem const& problem, Extent3 owned, SweepPlan const& plan);

/// The fewest bytes that one iteration reads and writes, summed over all ranks.
double bytes_per_iteration(Problem const& problem);

/// Checks, without allocating anything, that the method can solve the problem, that it is stable,
/// and that the solution is unique.
/// @throws InputError  as make_solver does
void check_solvable(Problem const& problem, MethodSettings const& method);

/// Allocates the fields, sets the initial state and the boundary values, and prepares everything
/// that advance_to() needs. Collective.
/// @throws InputError  if the problem or the settings are wrong: an unstable time step (the message
///                     names the largest stable one), a problem without a unique solution, a plan
///                     or transport that does not exist or does not work here
std::unique_ptr<Solver> make_solver(mpi::Communicator const& ranks, Problem const& problem,
                                    MethodSettings const& method, Execution const& execution);

}  // namespace isotherm
