#pragma once

#include <memory>
#include <string>

#include "solver/direct/time_model.hpp"
#include "solver/iteration/solver_interface.hpp"
#include "solver/iteration/solver_request.hpp"

// The method "direct": steady problems solved by transforms along the axes. Separable problems are
// solved exactly, with refinement of the residual (SeparableCorrection). In smooth media direct
// solutions precondition conjugate gradients (SmoothCorrection). Its functions for the table
// methods().

namespace isotherm {

/// Returns true if one direct solution is exact up to rounding. Else direct solutions precondition
/// conjugate gradients (SmoothCorrection).
bool is_separable_problem(Problem const& problem);

/// Returns why the method cannot solve the problem, neither exactly nor as a preconditioner: the
/// obstacle_to_direct(), and that to a preconditioner if it is another one; an empty string if it
/// can.
std::string obstacle_to_method(Problem const& problem);

/// Returns the discretisation, that of multigrid. @throws InputError  if the problem has an
/// obstacle_to_method(), or multigrid could not solve it either
Scheme direct_scheme(Problem const& problem, MethodSettings const& method);

/// Returns the plans of its passes, which all have the name "transforms". @throws PlanRefusal  if
/// the user names another one
PassPlans direct_passes(mpi::Communicator const& ranks, Problem const& problem,
                        MethodSettings const& method, Subdomain const& subdomain,
                        Execution const& execution);

/// Returns how each axis is solved: "fft along x and y, tridiagonal along z".
/// @param ranks  that solve the problem together
/// @pre  obstacle_to_method(problem) is empty
std::string transforms_in_words(Problem const& problem, Backend backend, int ranks);

/// Makes the solver. Collective.
std::unique_ptr<Solver> make_direct(SolverRequest const& request);

/// Returns an upper bound on the bytes that the solver allocates.
std::size_t direct_bytes(Problem const& problem, MethodSettings const& method,
                         SolverPlan const& plan);

/// Returns true if a rank that holds the whole grid would need more bytes than can be counted.
bool grid_exceeds_any_memory(Problem const& problem);

/// Returns the least memory traffic of an iteration in bytes: a pass along each axis to modes and
/// back, the last axis in one pass, and one evaluation of the residual or one step of conjugate
/// gradients.
double direct_bytes_per_iteration(Problem const& problem, MethodSettings const& method);

/// Returns true if a direct solution is expected to be faster than multigrid; see estimate_times().
bool prefers_direct(Problem const& problem, Backend backend, RanksOnHosts const& by = {});

}  // namespace isotherm
