#pragma once

#include "kernels/multigrid/value_range.hpp"
#include "solver/problem/problem.hpp"

// The linear problem around which a nonlinear one is solved.

namespace isotherm {

/// Returns the range of the values that a problem gives: on Dirichlet faces and patches, in fixed
/// regions, and beyond Robin faces, at up to 9 points along each axis. Without any, it is the range
/// of the initial values.
ValueRange given_range(Problem const& problem);

/// Returns the middle of given_range(). Coefficients that depend on the field are frozen there.
double reference_value(Problem const& problem);

/// Returns the linear problem with the same grid and the same fixed points, whose conductivities
/// are those at reference_value(). It has no source, no reaction coefficient, and no heat flow
/// through faces (LocalInflow has them). Fields start from the reference value if the problem
/// starts from 0.
Problem reference_problem(Problem const& problem);

/// Refuses what a nonlinear problem cannot have yet, and conductivities that are not positive at
/// given values.
/// @throws InputError
void check_nonlinear(Problem const& problem);

}  // namespace isotherm
