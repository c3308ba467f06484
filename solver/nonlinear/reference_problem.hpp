#pragma once

#include <optional>

#include "decomposition/field/value_refusal.hpp"
#include "solver/problem/problem.hpp"

// The linear problem around which a nonlinear one is solved.

namespace isotherm {

/// Returns the middle of given_range(). Coefficients that depend on the field are frozen there.
double reference_value(Problem const& problem);

/// Returns the linear problem with the same grid and the same fixed points, whose conductivities
/// and capacities are those at reference_value() and time 0. It has no source, no reaction
/// coefficient, and no heat flow through faces (LocalInflow has them). A steady problem that starts
/// from 0 starts from the reference value instead.
Problem reference_problem(Problem const& problem);

/// Returns which conductivity or capacity that depends on u is not a positive number at a point
/// where the field has the value `u`; none if all are.
std::optional<ValueFault> invalid_coefficient(Problem const& problem, Index3 point, double u);

/// Refuses what a nonlinear problem cannot have yet, and conductivities and capacities that
/// are not positive at given values.
/// @throws InputError
void check_nonlinear(Problem const& problem);

}  // namespace isotherm
