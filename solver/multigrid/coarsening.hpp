#pragma once

#include <optional>
#include <vector>

#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

// A correction solves the same equation as the field that it corrects, with the same σ, the
// residual as source and nothing given at the boundary; and on a coarser grid it looks the same
// again.

namespace isotherm {

/// The problem of a correction to a solution of `problem`: the same grid and kinds of faces, with
/// all values zero.
Problem correction_problem(Problem const& problem);

/// The same on the next coarser grid; none where no axis has more than `coarsest` points, as such a
/// grid is solved exactly.
///
/// An axis of m intervals gets ⌈m/2⌉, of which all are of the same length; so any grid can be
/// coarsened. Axes whose neighbours count little, since their spacing is at least 1.8 times the
/// smallest, wait until the others have caught up; those that count much go down to four points
/// meanwhile, and without a Dirichlet face to a single one, as what is constant along them has to
/// be corrected along the others.
/// Of a body points are left out, of any axis down to a single one: every second one, and of a
/// graded axis inner ones, but no two neighbours, with a gap at most 3 times as wide as the
/// narrowest of all axes. So coarse stretches wait until the fine ones have caught up.
std::optional<Problem> coarser_problem(Problem const& correction, std::optional<int> coarsest = {});

/// `problem` and all that are coarser, the finest first.
std::vector<Problem> correction_problems(Problem const& problem, std::optional<int> coarsest = {});

/// Which points of a body's graded axis are on the next coarser grid, too.
std::vector<std::int64_t> remaining_points(Grid const& fine, Grid const& coarse, int axis);

/// The points that an axis of the coarsest grid has at most unless asked otherwise: the fastest
/// that was measured (docs/solvers.md).
int usual_coarsest(int dimension);
/// The most that it may have, so that it can be solved by modes.
int most_coarsest(int dimension);
/// The same of a body, whose last grid is solved by the inverse of its operator.
int most_coarsest_of_body(int dimension);
/// @throws SettingError  where an axis is to have more points than that, or so few that it would
///                       have none left between two Dirichlet faces
void check_coarsest(Grid const& grid, std::int64_t coarsest);

/// Σ h^-2 over the axes of more than one point, as nothing varies along others; 1 where there are
/// none.
double inverse_spacings_squared(Grid const& grid);
/// What a point itself counts in σ − ∇·∇, by which everything is divided: 2 Σ h^-2 + σ over the
/// same axes. (Where there are none nothing is solved, see CoarsestSolve, and it is 2 + σ.)
double diagonal(Grid const& grid, double sigma);
/// How much the neighbours on each axis count in a relaxation: h_d^-2 / diagonal.
PerAxis<double> relaxation_weights(Grid const& grid, double sigma = 0.0);
/// What they leave to the point itself: 1 − 2 Σ weights = σ / diagonal.
double relaxation_shift(Grid const& grid, double sigma);

}  // namespace isotherm
