#pragma once

#include <memory>

#include "solver/iteration/solver_interface.hpp"
#include "solver/iteration/solver_request.hpp"

// The entries of the implicit methods, backward_euler and crank_nicolson, in the table of methods
// (solver/methods.hpp).

namespace isotherm {

/// Returns the plan of an implicit method: one pass per iteration, which is a time step.
/// Collective.
/// @throws PlanRefusal  if the settings ask for a sweep plan, because steps are solved by cycles
PassPlans implicit_passes(mpi::Communicator const& ranks, Problem const& problem,
                          MethodSettings const& method, Subdomain const& subdomain,
                          Execution const& execution);
/// Makes the solver of the implicit method that the settings name. Collective.
std::unique_ptr<Solver> make_implicit(SolverRequest const& request);
/// Returns an upper bound on the bytes that the solver allocates on this rank, or
/// uncountable_bytes if that exceeds any memory.
std::size_t implicit_bytes(Problem const& problem, MethodSettings const& method,
                           SolverPlan const& plan);
/// Returns the bytes that a step moves through memory if a single cycle solves it.
double implicit_bytes_per_iteration(Problem const& problem, MethodSettings const& method);

}  // namespace isotherm
