#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include "solver/iteration/solver_interface.hpp"
#include "solver/iteration/solver_request.hpp"
#include "solver/multigrid/cycle_types.hpp"

// The functions of the method `multigrid` for nonlinear problems (solver/methods.hpp).

namespace isotherm {

/// Calls `action` with a zero of the type of the corrections in Newton's method, and the dimension
/// as an integral constant.
template <class Action>
auto with_newton_types(Problem const& reference, MethodSettings const& method,
                       Action const& action) {
  auto const with_dimension = [&](auto correction) {
    return reference.grid.dimension == 2 ? action(correction, std::integral_constant<int, 2>{})
                                         : action(correction, std::integral_constant<int, 3>{});
  };
  return correction_precision(reference, method) == Precision::float32 ? with_dimension(float{})
                                                                       : with_dimension(double{});
}

/// Returns an upper bound on the bytes that a solver allocates in addition to those of Newton.
std::size_t nonlinear_footprint(Problem const& reference, SolverPlan const& plan);

/// Checks the problem and returns the scheme of its reference problem. @throws InputError
Scheme nonlinear_scheme(Problem const& problem, MethodSettings const& method);
/// Makes the solver. Collective.
std::unique_ptr<Solver> make_nonlinear(SolverRequest const& request);
/// Returns an upper bound on the bytes that the solver allocates on this rank.
std::size_t nonlinear_bytes(Problem const& problem, MethodSettings const& method,
                            SolverPlan const& plan);

}  // namespace isotherm
