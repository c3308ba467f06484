#pragma once

#include "solver/problem/problem.hpp"

namespace isotherm {

/// Returns the largest Σ g / (c V) of a heterogeneous medium (finite_volumes.hpp) over all points
/// that are not fixed, per unit of the problem's time.
///
/// Its reciprocal is the longest stable explicit time step: by Gershgorin's theorem, twice this
/// number bounds the largest eigenvalue. Every point of the grid is examined, on all threads.
/// @param part  if the points are divided into `parts` equal parts: the part to examine. Ranks can
///              share the work this way, and take the maximum over all parts.
/// @throws ValueRefusal  if a conductivity or heat capacity is not positive
double inverse_stable_step(Problem const& problem, int part = 0, int parts = 1);

}  // namespace isotherm
