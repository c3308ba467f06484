#pragma once

#include <cstddef>
#include <memory>

#include "solver/iteration/solver_interface.hpp"
#include "solver/iteration/solver_request.hpp"

namespace isotherm {

/// Returns the pass of RKL2, which applies the operator once. @throws PlanRefusal  if another
/// kernel variant is asked for
PassPlans rkl2_passes(mpi::Communicator const& ranks, Problem const& problem,
                      MethodSettings const& method, Subdomain const& subdomain,
                      Execution const& execution);
/// Makes the solver of the problem's precision, dimension and kind of coefficients. Collective.
std::unique_ptr<Solver> make_rkl2(SolverRequest const& request);
/// Returns an upper bound on the bytes that it allocates.
std::size_t rkl2_bytes(Problem const& problem, MethodSettings const& method,
                       SolverPlan const& plan);
/// Returns the least memory traffic of a step with the stages of the settings' time step.
double rkl2_bytes_per_step(Problem const& problem, MethodSettings const& method);

}  // namespace isotherm
