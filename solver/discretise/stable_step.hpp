#pragma once

#include "solver/problem/problem.hpp"

namespace isotherm {

/// Returns the largest Σ g / (c V) of a heterogeneous medium (finite_volumes.hpp) over all points
/// that are not fixed, per unit of the problem's time.
///
/// Its reciprocal is the longest stable explicit time step: by Gershgorin's theorem, twice this
/// number bounds the largest eigenvalue. Every point of the grid is examined, on all threads, in
/// slabs of some million points, so the memory does not grow with the grid. Not collective.
/// @param part, parts  divides the grid into `parts` equal parts along its slowest axis, and
///                     examines this one. Ranks can share the work this way, and take the maximum.
/// @throws ValueRefusal  if a conductivity or heat capacity is not positive
double inverse_stable_step(Problem const& problem, int part = 0, int parts = 1);

}  // namespace isotherm
