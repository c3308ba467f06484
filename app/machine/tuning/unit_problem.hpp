#pragma once

#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

// Problems on which sweeps are measured.

namespace isotherm::app {

/// Returns a problem on the unit square or cube, with zero boundary values and derivatives. The
/// last axis of a steady problem always has Dirichlet faces, because the operator would otherwise
/// have a null space.
/// @param source  add a constant source, which turns Laplace's equation into Poisson's
Problem unit_problem(Extent3 points, Precision precision, Equation equation, BoundaryKind boundary,
                     bool source = false);

/// Returns settings that iterate without residual norms and without a stopping criterion: Jacobi
/// for steady problems, ftcs at half the longest stable time step for diffusion.
MethodSettings endless_method(Problem const& problem);

}  // namespace isotherm::app
