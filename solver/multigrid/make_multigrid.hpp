#pragma once

#include <memory>

#include "solver/iteration/solver_interface.hpp"
#include "solver/iteration/solver_request.hpp"

// The functions that the table of methods holds for the method `multigrid` (solver/methods.hpp).

namespace isotherm {

/// Returns the plan of an iteration: one pass, which is a whole multigrid cycle, named after its
/// shape and sweeps ("V(2,2)").
/// @throws PlanRefusal  if the execution names a sweep plan other than "auto", because each level
///                      has a plan of its own
PassPlans multigrid_passes(mpi::Communicator const& ranks, Problem const& problem,
                           MethodSettings const& method, Subdomain const& subdomain,
                           Execution const& execution);
/// Returns true if this rank's part of some level has more points than any memory can hold.
bool levels_exceed_any_memory(Problem const& problem, MethodSettings const& method,
                              SolverPlan const& plan);
/// Makes the solver for the field's precision, the corrections' precision, the dimension and the
/// kind of medium. Collective.
std::unique_ptr<Solver> make_multigrid(SolverRequest const& request);
/// Returns an upper bound on the bytes that the solver allocates on this rank; `uncountable_bytes`
/// if levels_exceed_any_memory().
std::size_t multigrid_bytes(Problem const& problem, MethodSettings const& method,
                            SolverPlan const& plan);
/// Returns Hierarchy::host_footprint() of the problem's hierarchy; `uncountable_bytes` if
/// levels_exceed_any_memory().
std::size_t hierarchy_host_bytes(Problem const& problem, MethodSettings const& method,
                                 SolverPlan const& plan);

}  // namespace isotherm
