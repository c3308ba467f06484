#pragma once

#include <memory>
#include <string>

#include "solver/iteration/solver_interface.hpp"
#include "solver/iteration/solver_request.hpp"

// The method "direct": separable steady problems solved by transforms along the axes, with
// refinement of the residual (SeparableCorrection). Its functions for the table methods().

namespace isotherm {

/// Returns the discretisation, that of multigrid. @throws InputError  if the problem has an
/// obstacle_to_direct(), or multigrid could not solve it either
Scheme direct_scheme(Problem const& problem, MethodSettings const& method);

/// Returns the plans of its passes, which all have the name "transforms". @throws PlanRefusal  if
/// the user names another one
PassPlans direct_passes(mpi::Communicator const& ranks, Problem const& problem,
                        MethodSettings const& method, Subdomain const& subdomain,
                        Execution const& execution);

/// Returns how each axis is solved: "fft along x and y, tridiagonal along z".
/// @pre  obstacle_to_direct(problem) is empty
std::string transforms_in_words(Problem const& problem, Backend backend);

/// Makes the solver. Collective.
std::unique_ptr<Solver> make_direct(SolverRequest const& request);

/// Returns an upper bound on the bytes that the solver allocates.
std::size_t direct_bytes(Problem const& problem, MethodSettings const& method,
                         SolverPlan const& plan);

/// Returns true if a rank that holds the whole grid would need more bytes than can be counted.
bool grid_exceeds_any_memory(Problem const& problem);

/// Returns the least memory traffic of a solution in bytes: a pass along each axis to modes and
/// back, the last axis in one pass, and one evaluation of the residual.
double direct_bytes_per_iteration(Problem const& problem, MethodSettings const& method);

/// Returns true if a direct solution is expected to be faster than multigrid, on CPUs and on GPUs:
/// each point takes few enough operations. With variable coefficients multigrid takes several times
/// as long, so more operations pay off.
bool prefers_direct(Problem const& problem);

}  // namespace isotherm
