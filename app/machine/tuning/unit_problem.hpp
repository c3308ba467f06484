#pragma once

#include "kernels/core/error.hpp"
#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

// Problems on which sweeps are measured.

namespace isotherm::app {

/// Returns a problem on the unit square or cube, with zero derivatives at its Neumann faces. The
/// last axis of a steady problem always has Dirichlet faces, because the operator would otherwise
/// have a null space. The values of Dirichlet faces and of the initial field are 1, or 0 with a
/// source, so that no sweep meets subnormal numbers.
/// @param source  add a constant source of 1, which turns Laplace's equation into Poisson's
Problem unit_problem(Extent3 points, Precision precision, Equation equation, BoundaryKind boundary,
                     bool source = false);

/// Returns the error of a grid whose faces determine all points of an axis. It names --grid.
InputError without_unknowns(Extent3 points, int axis);

/// Checks that a problem has something to solve.
/// @throws InputError  if the faces of an axis determine all points, which names --grid
void require_unknowns(Problem const& problem);

/// Returns settings that iterate without residual norms and without a stopping criterion: Jacobi
/// for steady problems, ftcs at half the longest stable time step for diffusion.
MethodSettings endless_method(Problem const& problem);

}  // namespace isotherm::app
