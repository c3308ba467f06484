#pragma once

#include <memory>

#include "solver/iteration/solver_interface.hpp"
#include "solver/iteration/solver_request.hpp"

// What the table of methods says of implicit steps (solver/methods.hpp).

namespace isotherm {

/// One pass an iteration, which is a step. @throws PlanRefusal  where a sweep plan is asked for
PassPlans implicit_passes(mpi::Communicator const& ranks, Problem const& problem,
                          MethodSettings const& method, Subdomain const& subdomain,
                          Execution const& execution);
std::unique_ptr<Solver> make_backward_euler(SolverRequest const& request);
std::unique_ptr<Solver> make_crank_nicolson(SolverRequest const& request);
std::size_t implicit_bytes(Problem const& problem, MethodSettings const& method,
                           SolverPlan const& plan);
/// What a step moves if one cycle solves it.
double implicit_bytes_per_iteration(Problem const& problem, MethodSettings const& method);

}  // namespace isotherm
