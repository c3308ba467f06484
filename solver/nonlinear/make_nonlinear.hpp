#pragma once

#include <memory>

#include "solver/iteration/solver_interface.hpp"
#include "solver/iteration/solver_request.hpp"

// The functions of the method `multigrid` for nonlinear problems (solver/methods.hpp).

namespace isotherm {

/// Checks the problem and returns the scheme of its reference problem. @throws InputError
Scheme nonlinear_scheme(Problem const& problem, MethodSettings const& method);
/// Makes the solver. Collective.
std::unique_ptr<Solver> make_nonlinear(SolverRequest const& request);
/// Returns an upper bound on the bytes that the solver allocates on this rank.
std::size_t nonlinear_bytes(Problem const& problem, MethodSettings const& method,
                            SolverPlan const& plan);

}  // namespace isotherm
