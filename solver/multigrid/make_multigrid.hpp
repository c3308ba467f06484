#pragma once

#include <memory>

#include "solver/iteration/solver_interface.hpp"
#include "solver/iteration/solver_request.hpp"

// What the table of methods says of multigrid (solver/methods.hpp).

namespace isotherm {

/// One pass an iteration, which is a cycle. @throws PlanRefusal  where a sweep plan is asked for
PassPlans multigrid_passes(mpi::Communicator const& ranks, Problem const& problem,
                           MethodSettings const& method, Subdomain const& subdomain,
                           Execution const& execution);
/// True where no memory holds this rank's part of one of the levels.
bool levels_exceed_any_memory(Problem const& problem, MethodSettings const& method,
                              SolverPlan const& plan);
std::unique_ptr<Solver> make_multigrid(SolverRequest const& request);
std::size_t multigrid_bytes(Problem const& problem, MethodSettings const& method,
                            SolverPlan const& plan);
/// What a cycle moves at least, see cycle_bytes().
double multigrid_bytes_per_iteration(Problem const& problem, MethodSettings const& method);

}  // namespace isotherm
