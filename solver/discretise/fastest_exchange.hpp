#pragma once

#include "solver/problem/problem.hpp"

namespace isotherm {

/// The largest Σ g / (c V) of a body (finite_volumes.hpp), per unit of the problem's time, over all
/// points that do not keep their values: one over the largest stable step. Looks at every point of
/// the grid, on all threads.
/// @param part  of so many `parts` of the points, each as large as the others: the largest of that
///              one alone, so that ranks can share them; they agree on the largest of all
/// @throws ValueRefusal  where a conductivity or a capacity is not positive
double fastest_exchange(Problem const& problem, int part = 0, int parts = 1);

}  // namespace isotherm
