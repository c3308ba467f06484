#pragma once

#include "solver/problem/problem.hpp"

// Heterogeneous media and graded axes for benchmarks.

namespace isotherm::app {

/// The conductivity κ of a benchmark's unit cube. All media are isotropic, and none depends on time
/// or on the number of ranks.
enum class BenchConductivity {
  constant,  ///< κ = 1: a homogeneous medium
  smooth,    ///< smooth, with a ratio of 10 between the extremes
  ball,      ///< 100 in a ball, else 1
  layers,    ///< 100 in a layer, else 1
  blocks,    ///< 1000 in random ones of 9³ blocks, else 1
  strips,    ///< 10⁶ in six strips at 45°, else 1
  pores      ///< 10⁻⁶ at random points, 40 % of all, else 1
};

/// Sets the conductivity of a problem. A constant conductivity adds no medium, so the kernels with
/// constant coefficients are measured.
void set_conductivity(Problem& problem, BenchConductivity kind);

/// Grades all axes that are not periodic. Gaps grow smoothly from the ends to the middle, and the
/// widest is up to 20 times the narrowest (two-sided hyperbolic tangent stretching).
/// @pre the grid is uniform; axes with fewer than three points remain unchanged
void grade_axes(Problem& problem);

/// Returns the value of the option --conductivity that selects this medium, such as "smooth".
char const* name(BenchConductivity kind);

}  // namespace isotherm::app
