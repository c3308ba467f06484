#pragma once

#include "solver/problem/problem.hpp"

namespace isotherm {

/// What a benchmark's unit cube consists of.
enum class BenchConductivity {
  constant,  ///< no body
  smooth,    ///< κ varies smoothly, by a factor of 10 in all
  ball,      ///< one that conducts 100 times as well
  layers,    ///< likewise half of it
  blocks     ///< some of 9³ blocks, chosen at random, 1000 times
};

/// Makes the body. Does nothing where it is constant.
void set_conductivity(Problem& problem, BenchConductivity kind);

/// Grades all axes that are not periodic: gaps grow smoothly from the ends to the middle, to 20
/// times as wide.
void grade_axes(Problem& problem);

/// "smooth" …, as the option has it.
char const* name(BenchConductivity kind);

}  // namespace isotherm
