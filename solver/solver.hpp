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

/// The plan that make_solver will use. Collective. @throws InputError as make_solver does
SweepPlan solver_plan(mpi::Communicator const& ranks, Problem const& problem,
                      Execution const& execution);

/// True where "auto" finds this rank's plan in execution.plan_table. Collective.
bool plan_is_from_table(mpi::Communicator const& ranks, Problem const& problem,
                        Execution const& execution);

/// The plans that make_solver takes by name, the plain one first. Some may still take more steps a
/// pass than the decomposition allows. Collective.
std::vector<SweepPlan> solver_plans(mpi::Communicator const& ranks, Problem const& problem,
                                    Execution const& execution);

/// Bytes of queue memory that make_solver will take at most on a rank that owns `owned` points.
std::size_t solver_bytes(Problem const& problem, Extent3 owned, SweepPlan const& plan);

/// Bytes that one iteration reads and writes at least, over all ranks.
double bytes_per_iteration(Problem const& problem);

/// Checks what can be checked without memory: that the method solves the problem, is stable, and
/// has a unique solution to find.
/// @throws InputError  as make_solver does
void check_solvable(Problem const& problem, MethodSettings const& method);

/// Builds the fields (initial state and boundary values in place) and everything a run needs.
/// Collective.
/// @throws InputError  for what the problem or the settings get wrong (an unstable time step: names
///                     the largest stable one; a singular problem; a plan or transport that is not
///                     there)
std::unique_ptr<Solver> make_solver(mpi::Communicator const& ranks, Problem const& problem,
                                    MethodSettings const& method, Execution const& execution);

}  // namespace isotherm
