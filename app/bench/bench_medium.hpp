#pragma once

#include "solver/problem/problem.hpp"

// Heterogeneous media and graded axes for benchmarks.

namespace isotherm {

/// The conductivity κ of a benchmark's unit cube.
enum class BenchConductivity {
  constant,  ///< κ = 1: a homogeneous medium
  smooth,    ///< smooth, with a ratio of 10 between the extremes
  ball,      ///< 100 in a ball, else 1
  layers,    ///< 100 in a layer, else 1
  blocks     ///< 1000 in random ones of 9³ blocks, else 1
};

/// Sets the conductivity of a problem. A constant one remains a problem without a medium.
void set_conductivity(Problem& problem, BenchConductivity kind);

/// Grades all axes that are not periodic: gaps grow smoothly from the ends to the middle, where
/// they are up to 20 times as wide (two-sided hyperbolic tangent stretching).
void grade_axes(Problem& problem);

/// Returns the name of the option's value: "smooth" and so forth.
char const* name(BenchConductivity kind);

}  // namespace isotherm
