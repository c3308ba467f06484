#pragma once

#include <optional>
#include <vector>

#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

// The grids of a hierarchy. A correction solves the same equation as the field that it corrects,
// with the same σ. Its source is the residual, and its boundary conditions are homogeneous. The
// same form holds on each coarser grid. For semi-coarsening and other remedies against anisotropy
// see U. Trottenberg, C. Oosterlee and A. Schüller, Multigrid, 2001.

namespace isotherm {

/// Returns the problem of a correction to a solution of `problem`: the same grid, σ and kinds of
/// faces, with all values zero. In a heterogeneous medium the spacings are those of an equivalent
/// isotropic medium, which only decide how to coarsen; the operator belongs to the Hierarchy.
Problem correction_problem(Problem const& problem);

/// Returns the correction problem on the next coarser grid; none if no axis has more than
/// `coarsest` points, because such a grid is solved exactly.
///
/// Constant coefficients: an axis of m intervals gets ⌈m/2⌉ intervals of equal length, so any
/// number of points can be coarsened. Coarsening is by direction (semi-coarsening). Axes with weak
/// coupling, whose spacing is at least 1.8 times the smallest, wait until the others have caught
/// up. Meanwhile strongly coupled axes shrink to four points; without a Dirichlet face they
/// collapse to a single one, because the mode that is constant along them has to be corrected along
/// the others.
///
/// Heterogeneous media: the coarse points (C points) are a subset of the fine ones. A uniform axis
/// omits every second point. A graded axis omits inner points, but never two neighbours. Their
/// narrower gap must be at most 3 times the narrowest gap of all axes. Coarse stretches
/// therefore wait until the fine ones have caught up. If no axis is graded, the factor is 1.8. Any
/// axis can shrink to a single point, but a periodic one keeps at least four.
/// @param coarsest  maximum number of points on an axis of the coarsest grid; default:
///                  usual_coarsest()
std::optional<Problem> coarser_problem(Problem const& correction, std::optional<int> coarsest = {});

/// Returns the problems of all levels, the finest first: correction_problem() and all that are
/// coarser.
std::vector<Problem> correction_problems(Problem const& problem, std::optional<int> coarsest = {});

/// Returns the fine indices of the C points of a graded axis, those that are also on the coarse
/// grid.
std::vector<std::int64_t> c_points(Grid const& fine, Grid const& coarse, int axis);

/// Returns the default maximum number of points on an axis of the coarsest grid, the fastest that
/// was measured (docs/explanation/solvers.md).
int usual_coarsest(int dimension);
/// Returns the largest value that a user may choose instead: the coarsest grid must be small enough
/// for the solution by modes (CoarsestSolve).
int max_coarsest(int dimension);
/// Returns the largest value that is used in a heterogeneous medium, whose coarsest grid is solved
/// by the dense inverse of its operator (DenseSolve). Larger requests are reduced to it.
int max_coarsest_of_medium(int dimension);
/// Checks a requested number of points on an axis of the coarsest grid.
/// @throws SettingError  if the number exceeds max_coarsest(), or is less than 3, which leaves no
///                       unknown between two Dirichlet faces
void check_coarsest(Grid const& grid, std::int64_t coarsest);

/// Returns Σ h^-2 over the axes of more than one point; 1 if there are none. Nothing varies along
/// an axis of one point.
double inverse_spacings_squared(Grid const& grid);
/// Returns the diagonal entry of σ − ∇², 2 Σ h^-2 + σ over the same axes. All coefficients are
/// divided by it. (A grid of a single point has 2 + σ; CoarsestSolve leaves it unsolved.)
double diagonal(Grid const& grid, double sigma);
/// Returns the weight of the two neighbours on each axis in a relaxation, h_d^-2 / diagonal.
PerAxis<double> relaxation_weights(Grid const& grid, double sigma = 0.0);
/// Returns the weight that is left to the point itself, 1 − 2 Σ weights = σ / diagonal.
double relaxation_shift(Grid const& grid, double sigma);

}  // namespace isotherm
